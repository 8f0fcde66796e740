package inspect

import (
	"errors"
	"strconv"
	"strings"

	"sandtable/odata"
	"sandtable/odata/batch"
	"sandtable/web/client"
	"sandtable/web/control"
)

// Part is an operation of a batch with its response, if there is one.
type Part struct {
	Call   Call
	Status int // 0 if the response is not recorded
	Code   string
	Answer []byte
}

// ErrTruncated means that a batch cannot be unfolded because its end was not recorded.
var ErrTruncated = errors.New("only the beginning of this batch was recorded, so it cannot be unfolded")

// maxParts is how many operations a batch may have here; the service accepts 100.
const maxParts = 1000

// Parts unfolds a batch into its operations. A refused batch answers only the
// operation that was refused.
func Parts(d control.RecordedDetail) ([]Part, error) {
	c := CallOf(d)
	if d.RequestBody == nil {
		return nil, errors.New("the bodies of requests are not recorded here")
	}
	request, err := batch.Parse(c.Header.Get("Content-Type"), c.Body, maxParts)
	if err != nil && d.Truncated {
		return nil, ErrTruncated
	}
	if err != nil {
		return nil, err
	}
	parts := make([]Part, len(request.Operations))
	for i, operation := range request.Operations {
		parts[i].Call = callOfPart(c, operation)
	}
	answer(parts, d)
	return parts, nil
}

func callOfPart(whole Call, o batch.Operation) Call {
	target := o.Target
	path := strings.HasPrefix(target, "/") // with the account or without it
	if path {
		scheme, host, _ := strings.Cut(whole.Service, "://")
		host, _, _ = strings.Cut(host, "/")
		target = scheme + "://" + host + target
	}
	c := addressed(control.Recorded{Method: o.Method, URL: target, Account: whole.Account})
	if path {
		c.Service = whole.Service
	}
	for _, f := range o.Header {
		c.Header = append(c.Header, client.Field{Name: f.Name, Value: f.Value})
	}
	c.Body, c.Method = o.Body, c.meant()
	c.Operation = operationOf(c.Method, c.Path, c.Header.Get("If-Match"))
	return c
}

// answer adds the responses that were recorded.
func answer(parts []Part, d control.RecordedDetail) {
	if d.ResponseBody == nil {
		return
	}
	responses, err := batch.ParseResponses(control.HeaderOf(d.ResponseHeaders).Get("Content-Type"), []byte(*d.ResponseBody))
	if err != nil {
		return
	}
	for i, r := range responses {
		at := i
		if len(responses) == 1 && r.Status >= 400 {
			at = failedPart(r.Body)
		}
		if at < len(parts) {
			parts[at].Status, parts[at].Answer = r.Status, r.Body
			parts[at].Code = codeOf(r.Body)
		}
	}
}

// failedPart reads which operation an error is about: its message begins with
// the number, as in "3:The specified entity already exists."
func failedPart(body []byte) int {
	number, _, found := strings.Cut(messageOf(body), ":")
	n, err := strconv.Atoi(number)
	if !found || err != nil || n < 0 {
		return 0
	}
	return n
}

// Label says in a few words what an operation of a batch is about.
func (p Part) Label() string {
	c := p.Call
	if c.Path.Resource == odata.EntityResource {
		return c.Path.Table + " " + c.Path.Key.PartitionKey + " / " + c.Path.Key.RowKey
	}
	if e, err := EntityOf(c); err == nil {
		return c.Path.Table + " " + e.PartitionKey + " / " + e.RowKey
	}
	return c.Rest
}
