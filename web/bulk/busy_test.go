package bulk

import (
	"errors"
	"testing"

	"sandtable/odata/batch"
	"sandtable/odata/payload"
	"sandtable/web/client"
)

// TestBusyIsNoRefusal: a service that is too busy names an operation, too, and has nothing against
// its row.
func TestBusyIsNoRefusal(t *testing.T) {
	for _, c := range []struct {
		name          string
		rows, status  int
		code          string
		left, refused int
	}{
		{"too busy", 10, 503, "ServerBusy", 10, 0},
		{"too busy for one row", 1, 503, "ServerBusy", 1, 0},
		{"too many requests", 10, 429, "TooManyRequests", 10, 0},
		{"a full disk", 10, 507, "InsufficientStorage", 10, 0},
		{"a key that is taken", 1, 409, client.CodeEntityAlreadyExists, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &table{answer: func(client.Request) (client.Response, error) {
				text := payload.AppendError(nil, c.code, "0:No.\nRequestId:1\nTime:2")
				return client.Response{Status: 202, Header: client.Header{{Name: "Content-Type", Value: "multipart/mixed; boundary=b"}},
					Body: batch.AppendResponses(nil, "b", "c", []batch.Response{{Status: c.status, Body: text}})}, nil
			}}
			report := job(f, rows(c.rows, "p")).Run(t.Context())
			if len(report.Left) != c.left || len(report.Refused) != c.refused || len(report.Written) != 0 {
				t.Errorf("%d left, %d refused, %d written", len(report.Left), len(report.Refused), len(report.Written))
			}
			if known := new(client.ServiceError); (c.left > 0) != (errors.As(report.Err, &known) && IsBusy(report.Err)) {
				t.Errorf("it ended with %v", report.Err)
			}
		})
	}
}
