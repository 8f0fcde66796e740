package scenario

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Difference is one request that two endpoints answer differently.
type Difference struct {
	Scenario Scenario
	Exchange Exchange
	Lines    []string // what differs: the answer of the first, then of the second
}

// String names the place in the file and what differs, a line each.
func (d Difference) String() string {
	return fmt.Sprintf("%s:%d: %s: %s %s\n\t%s", d.Scenario.File, d.Exchange.Line, d.Scenario.Title, d.Exchange.Method, d.Exchange.Path,
		strings.Join(d.Lines, "\n\t"))
}

// ignored are the headers that differ between any two answers.
var ignored = []string{"Date", "X-Ms-Request-Id", "Server", "Connection", "Keep-Alive", "Content-Length", "Transfer-Encoding"}

// Compare plays a scenario at two endpoints and returns where their answers
// differ apart from addresses, names of tables, times and request ids.
func Compare(ctx context.Context, a, b *Endpoint, s Scenario) ([]Difference, error) {
	first, err := a.transcript(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.URL, err)
	}
	second, err := b.transcript(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.URL, err)
	}
	var differences []Difference
	for i, x := range s.Exchanges {
		if lines := first[i].differences(second[i]); lines != nil {
			differences = append(differences, Difference{Scenario: s, Exchange: x, Lines: lines})
		}
	}
	return differences, nil
}

// transcript plays a scenario and returns the answers in a form that does not
// depend on the endpoint.
func (e *Endpoint) transcript(ctx context.Context, s Scenario) ([]received, error) {
	var answers []received
	err := e.play(ctx, s, func(x Exchange, v variables, got received) {
		v.check(x.Want, got) // for what it captures
		answers = append(answers, v.neutral(got))
	})
	return answers, err
}

var (
	times    = regexp.MustCompile(timePattern)
	request  = regexp.MustCompile(`RequestId:[0-9a-fA-F-]+`)
	boundary = regexp.MustCompile(`response_[0-9a-fA-F-]+`)
)

// neutral replaces the values of variables by their names.
func (v variables) neutral(got received) received {
	var pairs []string
	for _, name := range []string{"endpoint", "host", "account"} {
		pairs = append(pairs, v[name], "{"+name+"}")
	}
	for name, value := range v {
		if value != "" && !slices.Contains(pairs, value) && !strings.HasPrefix(name, "etag") {
			pairs = append(pairs, value, "{"+name+"}")
		}
	}
	r := strings.NewReplacer(pairs...)
	neutral := func(text string) string {
		text = times.ReplaceAllString(r.Replace(text), "{time}")
		return boundary.ReplaceAllString(request.ReplaceAllString(text, "RequestId:{any}"), "response_{any}")
	}
	header := got.header.Clone()
	for _, name := range ignored {
		header.Del(name)
	}
	for _, values := range header {
		for i := range values {
			values[i] = neutral(values[i])
		}
	}
	body, ok := sortedJSON(neutral(got.body))
	if !ok {
		body = neutral(got.body)
	}
	return received{status: got.status, header: header, body: body}
}

func (r received) differences(other received) []string {
	var lines []string
	note := func(what, a, b string) {
		if a != b {
			lines = append(lines, what+" of a: "+a, what+" of b: "+b)
		}
	}
	note("status", fmt.Sprint(r.status), fmt.Sprint(other.status))
	names := make([]string, 0, len(r.header)+len(other.header))
	for name := range r.header {
		names = append(names, name)
	}
	for name := range other.header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		note(name, strings.Join(r.header[name], ", "), strings.Join(other.header[name], ", "))
	}
	note("body", r.body, other.body)
	return lines
}
