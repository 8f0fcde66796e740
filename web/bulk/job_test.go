package bulk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"sandtable/odata"
	"sandtable/odata/batch"
	"sandtable/odata/payload"
	"sandtable/web/client"
)

// table answers batches: it keeps the row keys that were written.
type table struct {
	mu      sync.Mutex
	rows    []string
	refused string // a row key that is refused wherever it comes
	answer  func(client.Request) (client.Response, error)
}

func (f *table) Do(_ context.Context, r client.Request) (client.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.answer != nil {
		return f.answer(r)
	}
	return f.batch(r)
}

func (f *table) batch(r client.Request) (client.Response, error) {
	request, err := batch.Parse(r.Header.Get("Content-Type"), r.Body, 100)
	if err != nil {
		return client.Response{}, err
	}
	var keys []string
	var parts []batch.Response
	for i, o := range request.Operations {
		body, err := payload.DecodeEntity(o.Body)
		if err != nil {
			return client.Response{}, err
		}
		if body.RowKey.Text == f.refused {
			text := payload.AppendError(nil, "EntityAlreadyExists", fmt.Sprintf("%d:The specified entity already exists.\nRequestId:1\nTime:2", i))
			parts, keys = []batch.Response{{Status: 409, Body: text}}, nil
			break
		}
		keys = append(keys, body.RowKey.Text)
		parts = append(parts, batch.Response{Status: 204, Header: batch.Header{{Name: "ETag", Value: "tag " + body.RowKey.Text}}})
	}
	f.rows = append(f.rows, keys...)
	return client.Response{Status: 202, Header: client.Header{{Name: "Content-Type", Value: "multipart/mixed; boundary=b"}},
		Body: batch.AppendResponses(nil, "b", "c", parts)}, nil
}

// rows returns n inserts into each of the partitions.
func rows(n int, partitions ...string) []Row {
	var all []Row
	for i := range n {
		for _, p := range partitions {
			key := fmt.Sprintf("%s%03d", p, i)
			all = append(all, Row{Line: len(all) + 2, Operation: client.Operation{Entity: &odata.Entity{PartitionKey: p, RowKey: key}}})
		}
	}
	return all
}

func job(f *table, rows []Row) *Job {
	return &Job{Client: &client.Client{Base: "http://host/table/a", Transport: f}, Table: "T", Transactions: Group(rows)}
}

func TestGroup(t *testing.T) {
	large := rows(3, "l")
	for i := range large {
		large[i].Entity.Properties = []odata.Property{{Name: "A", Value: odata.StringValue(strings.Repeat("x", 300_000))}}
	}
	var got []string
	for _, tx := range Group(append(rows(250, "p", "q"), large...)) {
		got = append(got, fmt.Sprintf("%s %d", tx[0].Entity.PartitionKey, len(tx)))
	}
	if want := []string{"p 100", "p 100", "p 50", "q 100", "q 100", "q 50", "l 2", "l 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if Group(nil) != nil {
		t.Error("transactions of nothing")
	}
}

func TestRunWritesEverything(t *testing.T) {
	f := &table{}
	j := job(f, rows(250, "p", "q"))
	var last Progress
	j.Progress = func(p Progress) { last = p }
	report := j.Run(context.Background())
	if report.Err != nil || len(report.Written) != 500 || len(f.rows) != 500 || last.Written != 500 || last.Transactions != 6 {
		t.Errorf("%v, %d written, %d there, %+v", report.Err, len(report.Written), len(f.rows), last)
	}
	for _, w := range report.Written {
		if w.Tag != "tag "+w.Entity.RowKey {
			t.Fatalf("the tag of %s is %q", w.Entity.RowKey, w.Tag)
		}
	}
}

func TestRunLeavesOutWhatIsRefused(t *testing.T) {
	f := &table{refused: "p007"}
	j, last := job(f, rows(20, "p")), Progress{}
	j.Progress = func(p Progress) { last = p }
	report := j.Run(context.Background())
	if last.Written != 19 || last.Refused != 1 {
		t.Errorf("progress %+v", last)
	}
	if report.Err != nil || len(report.Written) != 19 || len(f.rows) != 19 || len(report.Left) != 0 {
		t.Fatalf("%v, %d written, %d there, %d left", report.Err, len(report.Written), len(f.rows), len(report.Left))
	}
	if r := report.Refused; len(r) != 1 || r[0].Line != 9 || !client.HasCode(r[0].Err, client.CodeEntityAlreadyExists) {
		t.Errorf("refused %+v", r)
	}
}

// TestRunEndsWithAFailure: an answer that the next transaction would get as well
// ends the job, and nothing after it is sent.
func TestRunEndsWithAFailure(t *testing.T) {
	missing := batch.Response{Status: 404, Body: payload.AppendError(nil, client.CodeTableNotFound, "0:The table specified does not exist.\nRequestId:1\nTime:2")}
	for code, answer := range map[string]client.Response{
		"InsufficientStorage": {Status: 507, Body: payload.AppendError(nil, "InsufficientStorage", "Full.")},
		client.CodeTableNotFound: {Status: 202, Header: client.Header{{Name: "Content-Type", Value: "multipart/mixed; boundary=b"}},
			Body: batch.AppendResponses(nil, "b", "c", []batch.Response{missing})},
	} {
		t.Run(code, func(t *testing.T) {
			f := &table{}
			f.answer = func(r client.Request) (client.Response, error) {
				if len(f.rows) >= 100 {
					return answer, nil
				}
				return f.batch(r)
			}
			j := job(f, rows(500, "p"))
			j.Parallel = 1
			report := j.Run(context.Background())
			if !client.HasCode(report.Err, code) || len(report.Written) != 100 || len(report.Left) != 400 {
				t.Errorf("%v, %d written, %d left", report.Err, len(report.Written), len(report.Left))
			}
		})
	}
}

func TestRunEndsWhenItIsCancelled(t *testing.T) {
	f := &table{}
	j := job(f, rows(500, "p"))
	j.Parallel = 1
	ctx, cancel := context.WithCancel(context.Background())
	j.Progress = func(p Progress) {
		if p.Transactions == 2 {
			cancel()
		}
	}
	report := j.Run(ctx)
	if !errors.Is(report.Err, context.Canceled) || len(report.Written) != 200 || len(f.rows) != 200 || len(report.Left) != 300 {
		t.Errorf("%v, %d written, %d there, %d left", report.Err, len(report.Written), len(f.rows), len(report.Left))
	}
	if left := report.Left[0]; left.Line != 202 {
		t.Errorf("the first row left is from line %d", left.Line)
	}
}
