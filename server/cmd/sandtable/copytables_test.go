//go:build !js

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"sandtable/server/faults"
)

// TestCopyTablesThatDifferInCase: Cosmos DB has two tables Orders and orders, which would be
// one here: the second would replace entities of the first, or its file, or be left out of
// a copy that is resumed.
func TestCopyTablesThatDifferInCase(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/Tables") {
			fmt.Fprint(w, `{"value":[{"TableName":"Orders"},{"TableName":"orders"},{"TableName":"People"}]}`)
			return
		}
		name := strings.TrimSuffix(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:], "()")
		fmt.Fprintf(w, `{"value":[{"PartitionKey":"%s","RowKey":"1"}]}`, name)
	}))
	t.Cleanup(other.Close)
	from := "AccountName=first1;AccountKey=AAAA;TableEndpoint=" + other.URL + "/first1"
	const both = `the names of the tables "Orders" and "orders" differ only in case`
	for _, c := range []struct {
		name, to, want string
		code           int
		args           []string
	}{
		{"all", "data", both, exitFailure, nil},
		{"all, resumed", "data", both, exitFailure, []string{"-resume", "state"}},
		{"a file", "orders.ndjson", both, exitFailure, nil},
		{"a pattern", "data", both, exitFailure, []string{"-tables", "?rders"}},
		{"one", "data", "copied tables: 1, entities: 1 ", exitSuccess, []string{"-tables", "orders"}},
		{"one as a file", "data.ndjson", "copied tables: 1, entities: 1 ", exitSuccess, []string{"-tables", "Orders"}},
		{"another", "data", "copied tables: 1, entities: 1 ", exitSuccess, []string{"-tables", "People"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			code, printed := copying(t, append(c.args, "-retry-for", "0", from, filepath.Join(".", c.to))...)
			if code != c.code || !strings.Contains(printed, c.want) {
				t.Errorf("exit code %d, want %d and %q in\n%s", code, c.code, c.want, printed)
			}
		})
	}
}

// TestResumeInAnotherFolder: "data" is another folder there, which has nothing of what the
// first process copied.
func TestResumeInAnotherFolder(t *testing.T) {
	source, state := filledServer(t, 3), filepath.Join(t.TempDir(), "state")
	source.SetFaults(t, 1, faults.Rule{Table: "People", Effect: faults.ServerBusy})
	for i, want := range []string{"503 ServerBusy", "file belongs to another copy"} {
		t.Chdir(t.TempDir())
		code, printed := copying(t, "-resume", state, "-retry-for", "0", source.ConnectionString(), "data")
		if code != exitFailure || !strings.Contains(printed, want) {
			t.Errorf("process %d: exit code %d, want %q in\n%s", i+1, code, want, printed)
		}
		source.SetFaults(t, 1)
	}
}
