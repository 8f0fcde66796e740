package server_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/auth"
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
