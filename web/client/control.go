package client

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Control speaks the control API of a Sandtable, which the service of Azure
// does not have: what is stored where, and which accounts there are.
type Control struct {
	// Base is the address of the control API without a slash at its end, such
	// as https://host/_sandtable.
	Base      string
	Transport Transport
}

// Status is the state of a Sandtable as a whole.
type Status struct {
	Build      string            `json:"build"`
	Store      string            `json:"store"`      // "indexeddb" or "memory"
	Durability string            `json:"durability"` // "relaxed" or "strict"
	Accounts   int               `json:"accounts"`
	Tables     int               `json:"tables"`
	Entities   int               `json:"entities"`
	Corruption []json.RawMessage `json:"corruption"` // what storage could not read
	// CheckpointFailure says why checkpoints fail; nil if they do not.
	CheckpointFailure *CheckpointFailure `json:"checkpointFailure"`
	LastCheckpoint    *time.Time         `json:"lastCheckpoint"` // nil before the first one
}

// CheckpointFailure means that the WAL grows because checkpoints fail.
type CheckpointFailure struct {
	Error    string    `json:"error"`
	Since    time.Time `json:"since"`
	Attempts int       `json:"attempts"`
}

// Verified is the result of checking the whole store.
type Verified struct {
	Accounts int      `json:"accounts"`
	Tables   int      `json:"tables"`
	Entities int      `json:"entities"`
	Blocks   int      `json:"blocks"`
	Bytes    int      `json:"bytes"`
	Records  int      `json:"walRecords"`   // of the WAL
	Found    int      `json:"problemCount"` // number of problems
	Findings []string `json:"problems"`     // the first of them, in words
}

// Account is an account that lives in this Sandtable.
type Account struct {
	Name   string `json:"name"`
	Access string `json:"access"` // "open" or "strict"
	Tables int    `json:"tables"`
	Faults bool   `json:"faults"` // requests to it fail on purpose
}

// Worker is the state of a service worker, without its engine.
type Worker struct {
	Sandtable int    `json:"sandtable"` // the version of the protocol between pages and workers
	Build     string `json:"build"`
	Store     string `json:"store"` // identifies its store; "" if there is none
	Full      bool   `json:"full"`  // the browser has no space for writes
}

// Connection is what a client needs to use an account.
type Connection struct {
	Account          string `json:"account"`
	Endpoint         string `json:"endpoint"`
	SAS              string `json:"sas"`
	ConnectionString string `json:"connectionString"`
	SASURL           string `json:"sasUrl"`
}

// Status asks for the state of the whole.
func (c *Control) Status(ctx context.Context) (Status, error) {
	var s Status
	err := c.call(ctx, MethodGet, "/status", nil, &s)
	if err == nil && s.Store == "" && s.Build == "" {
		return s, fmt.Errorf("%w: %s", ErrNoSandtable, c.Base)
	}
	return s, err
}

// Worker asks a service worker how it is. It answers at once and starts
// nothing; anybody else's answer is [ErrNoSandtable].
func (c *Control) Worker(ctx context.Context) (Worker, error) {
	var w Worker
	err := c.call(ctx, MethodGet, "/worker", nil, &w)
	if err == nil && w.Sandtable == 0 {
		return w, fmt.Errorf("%w: %s", ErrNoSandtable, c.Base)
	}
	return w, err
}

// Reset deletes all that is stored.
func (c *Control) Reset(ctx context.Context) error {
	return c.call(ctx, MethodPost, "/reset", []byte(`{"what":"all"}`), nil)
}

// Accounts asks for all accounts.
func (c *Control) Accounts(ctx context.Context) ([]Account, error) {
	var answer struct {
		Accounts []Account `json:"accounts"`
	}
	err := c.call(ctx, MethodGet, "/accounts", nil, &answer)
	return answer.Accounts, err
}

// CreateAccount makes an account that accepts unsigned requests.
func (c *Control) CreateAccount(ctx context.Context, name string) error {
	body, err := json.Marshal(map[string]string{"name": name})
	if err != nil {
		return fmt.Errorf("account %q: %w", name, err)
	}
	return c.call(ctx, MethodPost, "/accounts", body, nil)
}

// Connection asks for an account's connection string and the like.
func (c *Control) Connection(ctx context.Context, account string) (Connection, error) {
	var answer Connection
	err := c.call(ctx, MethodGet, "/accounts/"+account+"/connection", nil, &answer)
	return answer, err
}

func (c *Control) call(ctx context.Context, method, path string, body []byte, answer any) error {
	text, err := c.ask(ctx, method, path, body)
	if err != nil || answer == nil {
		return err
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrNoSandtable, c.Base+path, err)
	}
	return nil
}

func (c *Control) ask(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	return c.receive(ctx, method, path, body, nil)
}

// receive is ask that passes on the parts of the answer as they come.
func (c *Control) receive(ctx context.Context, method, path string, body []byte, received func([]byte)) ([]byte, error) {
	header := Header{{"Accept", "application/json"}}
	if method != MethodGet {
		header = append(header, Field{"X-Sandtable", "1"}) // required: other sites' forms cannot send it
	}
	if body != nil {
		header = append(header, Field{"Content-Type", "application/json"})
	}
	response, err := exchange(ctx, c.Transport, Request{Method: method, URL: c.Base + path, Header: header, Body: body, Received: received})
	return response.Body, err
}

// controlError reads the body of a refusal of the control API.
func controlError(body []byte) (code, message string, ok bool) {
	var answer struct {
		Error struct{ Code, Message string } `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil || answer.Error.Message == "" {
		return "", "", false
	}
	return answer.Error.Code, answer.Error.Message, true
}
