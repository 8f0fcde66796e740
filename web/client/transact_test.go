//go:build !js

package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"sandtable/odata"
	"sandtable/odata/batch"
	"sandtable/odata/payload"
)

// answerBatch answers a batch with one response per operation, or with one error
// if fail returns a message.
func answerBatch(t *testing.T, seen *[]string, fail string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		request, err := batch.Parse(r.Header.Get("Content-Type"), body, 100)
		if err != nil {
			t.Error(err)
		}
		var answers []batch.Response
		for i, o := range request.Operations {
			_, path, _ := strings.Cut(o.Target, "/table/acc")
			*seen = append(*seen, fmt.Sprintf("%s %s %s%s", o.Method, path, o.Header.Get("If-Match"), o.Body))
			answers = append(answers, batch.Response{Status: 204, Header: batch.Header{{Name: "ETag", Value: fmt.Sprint("tag", i)}}})
		}
		if fail != "" {
			answers = []batch.Response{{Status: 409, Body: payload.AppendError(nil, "EntityAlreadyExists", fail+"\nRequestId:1\nTime:2")}}
		}
		w.Header().Set("Content-Type", "multipart/mixed; boundary=b")
		w.WriteHeader(http.StatusAccepted)
		w.Write(batch.AppendResponses(nil, "b", "c", answers))
	}
}

func TestTransact(t *testing.T) {
	var operations []string
	c := batchEndpoint(t, &operations, "")
	e := &odata.Entity{PartitionKey: "p", RowKey: "it's", Properties: []odata.Property{{Name: "A", Value: odata.Int32Value(1)}}}
	tags, err := c.Transact(context.Background(), "T", []Operation{
		{Write: Insert, Entity: e}, {Write: Merge, Entity: e}, {Write: Replace, Entity: e, IfMatch: "tag"}, {Write: Delete, Entity: e, IfMatch: "*"},
	})
	if err != nil || !slices.Equal(tags, []string{"tag0", "tag1", "tag2", "tag3"}) {
		t.Errorf("tags %q, %v", tags, err)
	}
	const at, body = "/T(PartitionKey='p',RowKey='it''s') ", `{"PartitionKey":"p","RowKey":"it's","A":1}`
	wantSeen(t, operations, "POST /T "+body, "MERGE "+at+body, "PUT "+at+"tag"+body, "DELETE "+at+"*")
}

func TestTransactNamesTheOperationThatFailed(t *testing.T) {
	var operations []string
	c := batchEndpoint(t, &operations, "1:The specified entity already exists.")
	e := &odata.Entity{PartitionKey: "p", RowKey: "r"}
	_, err := c.Transact(context.Background(), "T", []Operation{{Entity: e}, {Entity: e}})
	var failed *OperationError
	if !errors.As(err, &failed) || failed.Index != 1 || !HasCode(err, CodeEntityAlreadyExists) {
		t.Fatalf("got %v", err)
	}
	if want := "operation 2: EntityAlreadyExists: The specified entity already exists."; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestTransactThatIsRefusedWhole(t *testing.T) {
	var operations []string
	c := batchEndpoint(t, &operations, "This request is not authorized to perform this operation.")
	e := &odata.Entity{PartitionKey: "p", RowKey: "r"}
	_, err := c.Transact(context.Background(), "T", []Operation{{Entity: e}, {Entity: e}})
	var failed *OperationError
	if err == nil || errors.As(err, &failed) {
		t.Errorf("no operation is to blame, got %v", err)
	}
}

// batchEndpoint starts a server that answers batches.
func batchEndpoint(t *testing.T, seen *[]string, fail string) *Client {
	t.Helper()
	server := httptest.NewServer(answerBatch(t, seen, fail))
	t.Cleanup(server.Close)
	return &Client{Base: server.URL + "/table/acc", Transport: DefaultTransport()}
}
