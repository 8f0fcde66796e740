package control

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"

	"sandtable/web/client"
)

// Recorded is a request that the endpoint has answered, as the list shows it.
type Recorded struct {
	ID           uint64      `json:"id"`
	Time         time.Time   `json:"time"`
	Milliseconds float64     `json:"milliseconds"`
	Method       string      `json:"method"`
	URL          string      `json:"url"`
	Operation    string      `json:"operation"` // "" if none was found
	Account      string      `json:"account"`
	Table        string      `json:"table"` // "" if it is not about one, or not known
	Status       int         `json:"status"`
	Code         string      `json:"code"`   // of the service's error, or ""
	Reason       string      `json:"reason"` // why it was refused, or ""
	RequestID    string      `json:"requestId"`
	Statistics   *Statistics `json:"statistics"` // nil for what is neither query nor Get Entity
	Fault        *Fault      `json:"fault"`      // nil for a request that no fault met
	Operations   MemberCount `json:"operations"` // how many an entity group transaction has; 0 for other requests
}

// MemberCount is the number of operations in a list. The list itself is not decoded: an
// import sends thousands.
type MemberCount int

// UnmarshalJSON counts the operations of a list.
func (n *MemberCount) UnmarshalJSON(list []byte) error {
	*n = MemberCount(bytes.Count(list, []byte(`"operation":`)))
	return nil
}

// Statistics counts what a recorded query did.
type Statistics struct {
	Kind     string `json:"kind"` // its plan, such as PlanPoint
	Blocks   int    `json:"blocks"`
	Examined int    `json:"examined"`
	Returned int    `json:"returned"`
}

// Failed reports whether the request was refused, or its connection cut.
func (r Recorded) Failed() bool { return r.Status >= 400 || r.Status == 0 && r.Fault != nil }

// Scanned reports whether the request read a partition or a table from one end
// to the other.
func (r Recorded) Scanned() bool {
	return r.Statistics != nil && (r.Statistics.Kind == client.PlanPartitionScan || r.Statistics.Kind == client.PlanTableScan)
}

// RecordedDetail is a recorded request with its headers and bodies.
type RecordedDetail struct {
	Recorded
	RequestHeaders  map[string]string `json:"requestHeaders"`
	ResponseHeaders map[string]string `json:"responseHeaders"`
	RequestBody     *string           `json:"requestBody"` // nil if it was not recorded
	ResponseBody    *string           `json:"responseBody"`
	Truncated       bool              `json:"truncated"` // a body is longer than what is recorded
	// StringToSign is what the signature of a refused request should cover, Signed
	// what it does cover; "" if unknown.
	StringToSign string `json:"stringToSign"`
	Signed       string `json:"signed"`
}

// Recent is what the endpoint has recorded. Instance changes when it starts
// again; the numbers of requests start again with it.
type Recent struct {
	Instance string     `json:"instance"`
	Requests []Recorded `json:"requests"` // the oldest first
}

// Recent returns the recorded requests after a number.
func (c *Client) Recent(ctx context.Context, after uint64) (Recent, error) {
	var answer Recent
	err := c.call(ctx, client.MethodGet, "/requests?after="+strconv.FormatUint(after, 10), nil, &answer)
	if err == nil && answer.Instance == "" {
		return answer, fmt.Errorf("%w: %s/requests", ErrNoSandtable, c.Base)
	}
	return answer, err
}

// Recorded returns one recorded request. Old ones are no longer kept.
func (c *Client) Recorded(ctx context.Context, id uint64) (RecordedDetail, error) {
	var answer RecordedDetail
	err := c.call(ctx, client.MethodGet, "/requests/"+strconv.FormatUint(id, 10), nil, &answer)
	return answer, err
}

// SAS returns a shared access signature for all entities of an account, for a
// few minutes.
func (c *Client) SAS(ctx context.Context, account string, until time.Time) (string, error) {
	body := map[string]string{"permissions": "rwdlacu", "expiresOn": until.UTC().Format(time.RFC3339)}
	var answer struct{ SAS string }
	err := c.send(ctx, client.MethodPost, "/accounts/"+account+"/sas", body, &answer)
	return answer.SAS, err
}

// HeaderOf returns the fields of a recorded header, in no particular order.
func HeaderOf(fields map[string]string) client.Header {
	var h client.Header
	for name, value := range fields {
		h = append(h, client.Field{Name: name, Value: value})
	}
	return h
}
