package scenario

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Failure is an answer that is not as its exchange expects.
type Failure struct {
	Scenario    Scenario
	Exchange    Exchange
	Differences []string
}

// String names the place in the file and the differences, a line each.
func (f Failure) String() string {
	return fmt.Sprintf("%s:%d: %s: %s %s\n\t%s", f.Scenario.File, f.Exchange.Line, f.Scenario.Title, f.Exchange.Method, f.Exchange.Path,
		strings.Join(f.Differences, "\n\t"))
}

// Run plays a scenario, creating its tables first and deleting all tables that
// it named afterwards. The error says why it could not be played.
func (e *Endpoint) Run(ctx context.Context, s Scenario) ([]Failure, error) {
	var failures []Failure
	err := e.play(ctx, s, func(x Exchange, v variables, got received) {
		if d := v.check(x.Want, got); d != nil {
			failures = append(failures, Failure{Scenario: s, Exchange: x, Differences: d})
		}
	})
	return failures, err
}

// play sends the requests of a scenario and hands on each answer.
func (e *Endpoint) play(ctx context.Context, s Scenario, answered func(Exchange, variables, received)) error {
	v, err := e.prepare(ctx, s)
	defer e.clean(context.WithoutCancel(ctx), s, v)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", s.File, s.Title, err)
	}
	for _, x := range s.Exchanges {
		header := make([]Field, len(x.Header))
		for i, f := range x.Header {
			header[i] = Field{Name: f.Name, Value: v.replace(f.Value), Absent: f.Absent}
		}
		got, err := e.send(ctx, x.Method, v.replace(x.Path), header, v.replace(x.Body))
		if err != nil {
			return fmt.Errorf("%s:%d: %w", s.File, x.Line, err)
		}
		answered(x, v, got)
	}
	return nil
}

// prepare names the tables of a scenario and makes what it starts with. A name
// that is used as {New…} is that of a table that the scenario itself makes.
func (e *Endpoint) prepare(ctx context.Context, s Scenario) (variables, error) {
	host := e.URL
	if u, err := url.Parse(e.URL); err == nil {
		host = u.Host
	}
	v := variables{"endpoint": e.URL, "account": e.Account, "host": host}
	suffix := strings.ToLower(rand.Text()[:10])
	for _, name := range s.Tables {
		v[name] = name + suffix
	}
	for _, x := range s.Exchanges {
		for _, m := range placeholder.FindAllStringSubmatch(x.Path+x.Body, -1) {
			if strings.HasPrefix(m[1], "New") {
				v[m[1]] = m[1] + suffix
			}
		}
	}
	json := []Field{{Name: "Content-Type", Value: "application/json"}, {Name: "Prefer", Value: "return-no-content"}}
	for _, name := range s.Tables {
		got, err := e.send(ctx, "POST", "/Tables", json, `{"TableName":"`+v[name]+`"}`)
		if err := created(got, err); err != nil {
			return v, fmt.Errorf("create table %s: %w", v[name], err)
		}
	}
	for _, i := range s.Inserts {
		got, err := e.send(ctx, "POST", "/"+v[i.Table], json, v.replace(i.Entity))
		if err := created(got, err); err != nil {
			return v, fmt.Errorf("insert into %s: %w", v[i.Table], err)
		}
	}
	return v, nil
}

func created(got received, err error) error {
	if err == nil && got.status != http.StatusNoContent {
		err = fmt.Errorf("status %d: %s", got.status, got.body)
	}
	return err
}

// clean deletes the tables that a scenario may have made. What is gone already
// is no problem, and neither is a failure: names are never used again.
func (e *Endpoint) clean(ctx context.Context, s Scenario, v variables) {
	for name, value := range v {
		if strings.HasPrefix(name, "New") || slices.Contains(s.Tables, name) {
			e.send(ctx, "DELETE", "/Tables('"+value+"')", nil, "")
		}
	}
}
