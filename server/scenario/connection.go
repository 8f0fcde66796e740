package scenario

import (
	"errors"
	"net/http"
	"time"

	"sandtable/odata/connection"
)

// requestTimeout bounds one request.
const requestTimeout = 60 * time.Second

// ErrKeyNeeded means that a connection string lacks the account's key, with which
// scenarios sign requests and signatures.
var ErrKeyNeeded = errors.New("connection string needs AccountKey")

// Connect returns the endpoint that a storage connection string names.
func Connect(connectionString string) (*Endpoint, error) {
	e, err := connection.Parse(connectionString)
	if err != nil {
		return nil, err
	}
	if e.Key == nil {
		return nil, ErrKeyNeeded
	}
	return &Endpoint{URL: e.URL, Account: e.Account, Key: e.Key, Client: &http.Client{Timeout: requestTimeout}}, nil
}
