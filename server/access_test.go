package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
	"sandtable/server/auth"
	"sandtable/server/servertest"
)

// unreadable is a store whose access policies cannot be read.
type unreadable struct {
	server.Store
	err error
}

func (s *unreadable) Policies(context.Context, string, string) (string, error) { return "", s.err }

// TestPolicyCannotBeRead: a signature that names a stored access policy gets the store's
// error when that cannot be read, and is refused only when the policy does not exist.
func TestPolicyCannotBeRead(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	store := &unreadable{Store: f.store}
	f.handler = server.NewOver(store, server.Options{Now: func() time.Time { return f.now }})
	sas, err := auth.SAS{Table: "things", Policy: "reader"}.Sign(testAccount, testKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		err    error
		status int
		code   string
	}{
		{"the database is away", fmt.Errorf("%w: no connection", server.ErrUnavailable), 503, "ServerBusy"},
		{"the database refuses it", errors.New("permission denied"), 500, "InternalError"},
		{"no table", engine.ErrTableNotFound, 403, "AuthenticationFailed"},
		{"the account is deleted meanwhile", engine.ErrAccountNotFound, 403, "AuthenticationFailed"},
		{"no policy", nil, 403, "AuthenticationFailed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store.err = c.err
			f.T = t
			r := f.do("GET", "/things?"+sas, "").wantStatus(c.status)
			if code, _ := r.serviceError(); code != c.code {
				t.Errorf("the error is %s, want %s", code, c.code)
			}
		})
	}
}

// failing is a store in which everything about a table goes wrong: fail is called
// with what is read.
type failing struct {
	server.Store
	fail func(what string) error
}

func (s failing) View(ctx context.Context, scope *server.Scope, f func(server.Tx) error) error {
	return s.Store.View(ctx, scope, func(tx server.Tx) error { return f(failingTx{tx, s.fail}) })
}

type failingTx struct {
	server.Tx
	fail func(string) error
}

func (tx failingTx) Tables(string, func(engine.TableInfo) bool) error { return tx.fail("tables") }

func (tx failingTx) Table() (server.Table, error) {
	table, err := tx.Tx.Table()
	return failingTable{table, tx.fail}, err
}

type failingTable struct {
	server.Table
	fail func(string) error
}

func (t failingTable) Get(odata.Key) (*odata.Entity, error) { return nil, t.fail("entity") }

func (t failingTable) Query(q engine.Query) server.Rows { return failingRows{t.Table.Query(q), t.fail} }

// failingRows fail behind the last row.
type failingRows struct {
	server.Rows
	fail func(string) error
}

func (r failingRows) Err() error { return r.fail("rows") }

// TestReadFails: what cannot be read is an error and never a shorter answer, and a
// panic is one, too.
func TestReadFails(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"r"}`)
	working := f.handler
	for name, fail := range map[string]func(string) error{
		"an error": func(what string) error { return errors.New(what + " cannot be read") },
		"a panic":  func(what string) error { panic(what + " cannot be read") },
	} {
		for target, what := range map[string]string{"/Tables": "tables", "/things": "rows", "/things(PartitionKey='p',RowKey='r')": "entity"} {
			t.Run(name+"/"+what, func(t *testing.T) {
				f.T, f.records = t, nil
				f.handler = server.NewOver(failing{f.store, fail}, server.Options{Now: func() time.Time { return f.now }, Observers: []server.Observer{f}})
				const text = "Server encountered an internal error. Please try again after some time."
				f.do("GET", target, "").wantError(500, "InternalError", text)
				if got := f.records[0].Reason; !strings.Contains(got, what+" cannot be read") {
					t.Errorf("the reason is %q", got)
				}
				f.handler = working
				f.do("GET", target, "").wantStatus(200)
			})
		}
	}
}

// TestSignatureOfAPathAsSent: curl and browsers send some characters as they are, and a
// signature covers the path as it is sent, or with the escapes that it lacks.
func TestSignatureOfAPathAsSent(t *testing.T) {
	f := newFixture(t)
	f.signed("POST", "/Tables", `{"TableName":"things"}`).wantStatus(201)
	f.signed("POST", "/things", `{"PartitionKey":"a|b^c","RowKey":"{é}"}`).wantStatus(201)
	const sent = "/things(PartitionKey='a|b^c',RowKey='{é}')"
	for name, path := range map[string]string{
		"as sent": sent,
		"escaped": "/things(PartitionKey='a%7Cb%5Ec',RowKey='%7B%C3%A9%7D')",
	} {
		t.Run(name, func(t *testing.T) {
			r := servertest.NewRequest("GET", strictBase+sent, "")
			date := f.now.UTC().Format(http.TimeFormat)
			r.Header.Set("x-ms-date", date)
			r.Header.Set("Authorization", "SharedKeyLite strictaccount:"+auth.Sign(testKey, date+"\n/strictaccount"+path))
			(&fixture{T: t, handler: f.handler}).send(r).wantStatus(200)
		})
	}
}
