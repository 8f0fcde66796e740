package server_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/server"
)

// away is a store whose transactions end with an error.
type away struct {
	server.Store
	err error
}

func (s away) View(context.Context, *server.Scope, func(server.Tx) error) error   { return s.err }
func (s away) Update(context.Context, *server.Scope, func(server.Tx) error) error { return s.err }

// TestStoreIsAwayForABatch: what the store cannot do is not the fault of an operation.
// Clients send a whole transaction again if its answer is 500 or 503; those in a part
// are final for them.
func TestStoreIsAwayForABatch(t *testing.T) {
	for _, c := range []struct {
		name   string
		err    error
		status int
		code   string
	}{
		{"no database", fmt.Errorf("%w: no connection", server.ErrUnavailable), 503, "ServerBusy"},
		{"a lost commit", server.ErrOutcomeUnknown, 500, "OperationTimedOut"},
		{"a closed store", engine.ErrClosed, 503, "ServerBusy"},
		{"blocks that cannot be read", engine.ErrReading, 503, "ServerBusy"},
		{"a full disk", engine.ErrStorage, 507, "InsufficientStorage"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.handler = server.NewOver(away{f.store, c.err}, server.Options{Now: func() time.Time { return f.now }, Observers: []server.Observer{f}})
			f.do("POST", "/things", `{"PartitionKey":"p","RowKey":"r"}`).wantRefusal(c.status, c.code)
			f.batch(insertPart("things", `{"PartitionKey":"p","RowKey":"r"}`)).wantRefusal(c.status, c.code)
			f.batch(insertPart("things", `{"PartitionKey":"p","RowKey":"1"}`), insertPart("things", `{"PartitionKey":"p","RowKey":"2"}`)).wantRefusal(c.status, c.code)
			f.batchQuery("/things").wantRefusal(c.status, c.code)
			if got := f.lastRecord().Operation; got != "Entity Group Transaction" {
				t.Errorf("the record is about %q", got)
			}
		})
	}
}
