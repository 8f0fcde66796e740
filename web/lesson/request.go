package lesson

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/inspect"
)

// RequestsRule is about the requests that match all of its members. Without
// bounds, at least one has to.
type RequestsRule struct {
	Method    string `json:"method"`
	Operation string `json:"operation"` // such as "Insert Entity"
	Reads     bool   `json:"reads"`     // reads entities
	Scans     bool   `json:"scans"`     // reads a partition or a table from end to end
	Plan      string `json:"plan"`      // such as [client.PlanPoint]
	Status    int    `json:"status"`
	Code      string `json:"code"` // of the service's error
	Table     string `json:"table"`
	URL       string `json:"url"` // text in the decoded path and query
	// Of details: values of headers and bodies contain a text.
	Header         map[string]string `json:"header"`
	ResponseHeader map[string]string `json:"responseHeader"`
	Body           string            `json:"body"`
	Response       string            `json:"response"`
	// Since leaves out the requests before the first that matches it.
	Since *RequestsRule `json:"since"`

	Count    *Range `json:"count"`
	Examined *Range `json:"examined"` // entities, by all together
	Returned *Range `json:"returned"`
}

func (r *RequestsRule) detailed() bool {
	return len(r.Header)+len(r.ResponseHeader) > 0 || r.Body != "" || r.Response != "" || r.Since != nil && r.Since.detailed()
}

func (r *RequestsRule) try(run Run) (string, bool) {
	requests := run.Requests
	if r.Since != nil {
		at := 0
		for at < len(requests) && !r.Since.matches(requests[at]) {
			at++
		}
		if at == len(requests) {
			return "there was no such request", false
		}
		requests = requests[at+1:]
	}
	n, examined, returned := 0, 0, 0
	var last *control.RecordedDetail
	for i, q := range requests {
		if r.matches(q) {
			n++
			last = &requests[i]
			examined, returned = examined+read(q.Recorded).Examined, returned+read(q.Recorded).Returned
		}
	}
	switch {
	case r.Count == nil && n == 0, r.Count != nil && !r.Count.holds(n):
		return r.miscounted(requests, n, last), false
	case !r.Examined.holds(examined):
		return "your requests read " + humanize.Count(examined, "entity", "entities"), false
	case !r.Returned.holds(returned):
		return "your requests returned " + humanize.Count(returned, "entity", "entities"), false
	}
	return "", true
}

// read returns what a request read. A point read has no statistics of its own.
func read(q control.Recorded) control.Statistics {
	switch {
	case q.Statistics != nil:
		return *q.Statistics
	case q.Operation == inspect.GetEntity && !q.Failed():
		return control.Statistics{Kind: client.PlanPoint, Examined: 1, Returned: 1}
	}
	return control.Statistics{}
}

// miscounted says how many requests there were, and about one what it did.
func (r *RequestsRule) miscounted(requests []control.RecordedDetail, n int, last *control.RecordedDetail) string {
	if n > 1 {
		return humanize.Count(n, "request", "requests") + " did"
	}
	if last == nil && len(requests) > 0 {
		last = &requests[len(requests)-1]
	}
	if last == nil {
		return "no request did"
	}
	if s := last.Statistics; s != nil {
		return fmt.Sprintf("your query was a %s: it read %s to return %s", s.Kind, humanize.Number(s.Examined), humanize.Number(s.Returned))
	}
	text := fmt.Sprintf("%s was answered %d", last.Method, last.Status)
	if last.Code != "" {
		text += " " + last.Code
	}
	return text
}

func (r *RequestsRule) matches(q control.RecordedDetail) bool {
	switch {
	case r.Method != "" && q.Method != r.Method,
		r.Operation != "" && q.Operation != r.Operation,
		r.Reads && q.Operation != inspect.GetEntity && q.Operation != inspect.QueryEntities,
		r.Scans && !q.Scanned(),
		r.Plan != "" && read(q.Recorded).Kind != r.Plan,
		r.Status != 0 && q.Status != r.Status,
		r.Code != "" && q.Code != r.Code,
		r.URL != "" && !strings.Contains(address(q.Recorded), r.URL),
		r.Table != "" && !strings.EqualFold(callOf(q.Recorded).Path.Table, r.Table):
		return false
	}
	return within(q.RequestHeaders, r.Header) && within(q.ResponseHeaders, r.ResponseHeader) && in(q.RequestBody, r.Body) && in(q.ResponseBody, r.Response)
}

// address returns the decoded path and query of a request, with the parameters of a
// shared access signature, as far as they are recorded, at the end.
func address(q control.Recorded) string {
	text := inspect.Resource(q)
	for _, o := range callOf(q).Options {
		text += "&" + o.Name + "=" + o.Value
	}
	return text
}

func callOf(q control.Recorded) inspect.Call {
	return inspect.CallOf(control.RecordedDetail{Recorded: q})
}

func within(fields, wanted map[string]string) bool {
	for name, text := range wanted {
		found := false
		for field, value := range fields {
			found = found || strings.EqualFold(field, name) && strings.Contains(value, text)
		}
		if !found {
			return false
		}
	}
	return true
}

func in(body *string, text string) bool {
	return text == "" || body != nil && strings.Contains(*body, text)
}

// problem says what cannot hold for any request, "" for nothing.
func (r *RequestsRule) problem() string {
	plans := []string{"", client.PlanPoint, client.PlanRowRange, client.PlanPartitionScan, client.PlanTableScan}
	switch {
	case r.Method != strings.ToUpper(r.Method):
		return fmt.Sprintf("there is no method %q", r.Method)
	case !slices.Contains(plans, r.Plan):
		return fmt.Sprintf("there is no plan %q", r.Plan)
	case r.Operation != "" && !slices.Contains(control.Operations, r.Operation):
		return fmt.Sprintf("there is no operation %q", r.Operation)
	case r.Status != 0 && (r.Status < 100 || r.Status > 599):
		return fmt.Sprintf("%d is not a status", r.Status)
	case r.Since != nil:
		if problem := r.Since.problem(); problem != "" {
			return problem
		}
	}
	return cmp.Or(r.Count.problem(), r.Examined.problem(), r.Returned.problem())
}
