package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sandtable/web/client"
)

// ErrNoSandtable means that the answer does not come from a control API: another
// server has the address.
var ErrNoSandtable = errors.New("the endpoint is not a Sandtable")

// Client speaks the control API of a Sandtable, which the service of Azure
// does not have: what is stored where, and which accounts there are.
type Client struct {
	// Base is the address of the control API without a slash at its end, such
	// as https://host/_sandtable.
	Base      string
	Transport client.Transport
}

// Status is the state of a Sandtable as a whole.
type Status struct {
	Build      string   `json:"build"`
	Store      string   `json:"store"`      // "indexeddb", "file" or "memory"
	Durability string   `json:"durability"` // "relaxed" or "strict"
	Tables     int      `json:"tables"`
	Entities   int      `json:"entities"`
	Corruption []string `json:"corruption"` // what storage could not read
	// CheckpointFailure says why checkpoints fail; nil if they do not.
	CheckpointFailure *CheckpointFailure `json:"checkpointFailure"`
	LastCheckpoint    *time.Time         `json:"lastCheckpoint"` // nil before the first one
	WAL               int                `json:"walBytes"`       // of the records since
}

// CheckpointFailure means that the WAL grows because checkpoints fail.
type CheckpointFailure struct {
	Error    string    `json:"error"`
	Since    time.Time `json:"since"`
	Attempts int       `json:"attempts"`
}

// Verified is the result of checking the whole store.
type Verified struct {
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

// Status returns the state of the Sandtable.
func (c *Client) Status(ctx context.Context) (Status, error) {
	var s Status
	err := c.call(ctx, client.MethodGet, "/status", nil, &s)
	if err == nil && s.Store == "" && s.Build == "" {
		return s, fmt.Errorf("%w: %s", ErrNoSandtable, c.Base)
	}
	return s, err
}

// Worker returns the worker's state without starting the engine. If something else
// answers, the error is [ErrNoSandtable].
func (c *Client) Worker(ctx context.Context) (Worker, error) {
	var w Worker
	err := c.call(ctx, client.MethodGet, "/worker", nil, &w)
	if err == nil && w.Sandtable == 0 {
		return w, fmt.Errorf("%w: %s", ErrNoSandtable, c.Base)
	}
	return w, err
}

// Reset deletes all that is stored.
func (c *Client) Reset(ctx context.Context) error {
	return c.send(ctx, client.MethodPost, "/reset", map[string]string{"what": "all"}, nil)
}

// ResetUnopened deletes a store that does not open. One that opens by then is left alone.
func (c *Client) ResetUnopened(ctx context.Context) error {
	return c.send(ctx, client.MethodPost, "/reset", map[string]string{"what": "unopened"}, nil)
}

// Accounts returns all accounts.
func (c *Client) Accounts(ctx context.Context) ([]Account, error) {
	var answer struct {
		Accounts []Account `json:"accounts"`
	}
	err := c.call(ctx, client.MethodGet, "/accounts", nil, &answer)
	return answer.Accounts, err
}

// CreateAccount makes an account that accepts unsigned requests.
func (c *Client) CreateAccount(ctx context.Context, name string) error {
	return c.send(ctx, client.MethodPost, "/accounts", map[string]string{"name": name}, nil)
}

// Connection returns an account's address and the credentials to use it.
func (c *Client) Connection(ctx context.Context, account string) (Connection, error) {
	var answer Connection
	err := c.call(ctx, client.MethodGet, "/accounts/"+account+"/connection", nil, &answer)
	return answer, err
}

// send is call with a body in JSON.
func (c *Client) send(ctx context.Context, method, path string, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.call(ctx, method, path, text, answer)
}

func (c *Client) call(ctx context.Context, method, path string, body []byte, answer any) error {
	text, err := c.receive(ctx, method, path, body, nil)
	if err != nil || answer == nil {
		return err
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrNoSandtable, c.Base+path, err)
	}
	return nil
}

// receive returns the body of an answer, and passes its parts to received, if set, as they
// arrive.
func (c *Client) receive(ctx context.Context, method, path string, body []byte, received func([]byte)) ([]byte, error) {
	header := client.Header{{Name: "Accept", Value: "application/json"}}
	if method != client.MethodGet {
		header = append(header, client.Field{Name: "X-Sandtable", Value: "1"}) // required: other sites' forms cannot send it
	}
	if body != nil {
		header = append(header, client.Field{Name: "Content-Type", Value: "application/json"})
	}
	response, err := client.Send(ctx, c.Transport, client.Request{Method: method, URL: c.Base + path, Header: header, Body: body, Received: received})
	return response.Body, err
}
