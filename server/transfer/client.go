package transfer

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sandtable/odata"
	"sandtable/odata/connection"
	"sandtable/odata/payload"
	"sandtable/server/auth"
)

// Client sends requests to one endpoint. It is safe for concurrent use.
type Client struct {
	connection.Endpoint
	HTTP *http.Client
	// RetryFor limits how long a temporary failure is retried: no response, 429, a
	// status from 500 on except 501 and 505, or a table that is being deleted.
	RetryFor time.Duration
	// Waiting is called before each pause between two attempts, unless it is nil.
	Waiting func(time.Duration, error)
	// Create creates a table unless it exists, in a store of this process, which takes
	// the names of the service and of Cosmos DB alike; nil to request it of the endpoint.
	Create func(ctx context.Context, table string) error
}

// Token is where a page begins; nil is the beginning.
type Token struct {
	NextPartitionKey string `json:"nextPartitionKey,omitempty"`
	NextRowKey       string `json:"nextRowKey,omitempty"`
	Rows             int64  `json:"rows,omitempty"` // of a file that are before it
}

// StatusError means that a response refuses a request.
type StatusError struct {
	Status int
	Code   string // of the service's error, or ""
	Text   string
}

// Error returns the status, the code and the first line of the text.
func (e *StatusError) Error() string {
	text, _, _ := strings.Cut(e.Text, "\n")
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", e.Status, e.Code, text))
}

func (e *StatusError) mayGoAway() bool {
	if e.Status == http.StatusNotImplemented || e.Status == http.StatusHTTPVersionNotSupported {
		return false
	}
	return e.Status >= 500 || e.Status == http.StatusTooManyRequests || e.Code == "TableBeingDeleted"
}

// ErrSamePage means that an endpoint continues with the page that it has just sent.
var ErrSamePage = errors.New("the endpoint continues with the page that it has just sent")

// IsStatus reports whether an error is a response with this status.
func IsStatus(err error, status int) bool {
	var of *StatusError
	return errors.As(err, &of) && of.Status == status
}

// maxResponse bounds what is read of a response: a page has at most 4 MiB, in the
// service's count, and every character may be escaped.
const maxResponse = 64 << 20

type response struct {
	status int
	header http.Header
	body   []byte
}

// call sends a request and retries temporary failures. Check, if not nil, returns the
// error in an accepted response.
func (c *Client) call(ctx context.Context, method, path string, header http.Header, body []byte, check func(*response) error) (*response, error) {
	end := time.Now().Add(c.RetryFor)
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 30*time.Second) {
		answer, err := c.once(ctx, method, path, header, body)
		if err == nil && check != nil {
			err = check(answer)
		}
		var refused *StatusError
		if err == nil || ctx.Err() != nil || errors.As(err, &refused) && !refused.mayGoAway() || isUntrusted(err) {
			return answer, err
		}
		wait := pause/2 + rand.N(pause)
		if answer != nil {
			wait = max(wait, retryAfter(answer.header))
		}
		if time.Now().Add(wait).After(end) {
			return nil, err
		}
		if c.Waiting != nil {
			c.Waiting(wait, err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// retryAfter returns a response's Retry-After, or 0.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, math.MaxInt32)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return time.Until(at)
	}
	return 0
}

// once sends a request. For a refusal it returns both the response and an error.
func (c *Client) once(ctx context.Context, method, path string, header http.Header, body []byte) (*response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = header.Clone()
	r.Header.Set("x-ms-version", "2019-02-02")
	r.Header.Set("x-ms-date", time.Now().UTC().Format(http.TimeFormat))
	r.Header.Set("DataServiceVersion", "3.0;NetFx")
	c.authorize(r)
	got, err := c.HTTP.Do(r)
	if err != nil {
		return nil, withHint(withoutQuery(err))
	}
	defer got.Body.Close()
	read, err := io.ReadAll(io.LimitReader(got.Body, maxResponse))
	if err != nil {
		return nil, err
	}
	answer := &response{got.StatusCode, got.Header, read}
	if got.StatusCode < 200 || got.StatusCode > 299 { // a redirect is no success
		return answer, statusError(got.StatusCode, read)
	}
	return answer, nil
}

// withoutQuery removes the URL from a transport's error, because it may contain a
// signature.
func withoutQuery(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// isUntrusted reports whether an error is a certificate that is not accepted, which
// another attempt does not change.
func isUntrusted(err error) bool {
	var of *tls.CertificateVerificationError
	return errors.As(err, &of)
}

// withHint says what to do about an authority that this machine does not know.
func withHint(err error) error {
	var of x509.UnknownAuthorityError
	if errors.As(err, &of) {
		return fmt.Errorf("%w: if you trust it, name the file of its certificate in SSL_CERT_FILE", err)
	}
	return err
}

func statusError(status int, body []byte) error {
	e := &StatusError{Status: status}
	if of, err := payload.DecodeErrorResponse(body); err == nil {
		e.Code, e.Text = of.Code, of.Message
	}
	return e
}

func (c *Client) authorize(r *http.Request) {
	if c.Key == nil {
		separator := "&"
		if r.URL.RawQuery == "" {
			separator = ""
		}
		r.URL.RawQuery += separator + c.SAS
		return
	}
	r.Header.Set("Authorization", auth.SharedKeyLite(auth.Request{
		Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.Query(), Header: r.Header,
	}, c.Account, c.Key))
}

func accepting(level string) http.Header {
	return http.Header{"Accept": {"application/json;odata=" + level}}
}

// Tables returns the names of all tables, or the only one that a SAS reaches.
func (c *Client) Tables(ctx context.Context) (all []string, err error) {
	if c.Table != "" {
		return []string{c.Table}, nil
	}
	query := url.Values{}
	for {
		answer, err := c.call(ctx, "GET", "/Tables?"+query.Encode(), accepting("nometadata"), nil, nil)
		if err != nil {
			return nil, fmt.Errorf("list the tables: %w", err)
		}
		names, err := payload.DecodeTablesResponse(answer.body)
		if err != nil {
			return nil, fmt.Errorf("list the tables: %w", err)
		}
		all = append(all, names...)
		next := answer.header.Get("x-ms-continuation-NextTableName")
		if next == "" {
			return all, nil
		}
		if len(names) > 0 && next == query.Get("NextTableName") {
			return nil, fmt.Errorf("list the tables: %w", ErrSamePage)
		}
		query.Set("NextTableName", next)
	}
}

// CreateTable creates a table unless it exists. A SAS of a table cannot create it:
// then the first write shows whether it exists.
func (c *Client) CreateTable(ctx context.Context, name string) error {
	if c.Create != nil {
		return c.Create(ctx, name)
	}
	header := accepting("nometadata")
	header.Set("Content-Type", "application/json")
	header.Set("Prefer", "return-no-content")
	_, err := c.call(ctx, "POST", "/Tables", header, payload.AppendTableRequest(nil, name), nil)
	var refused *StatusError
	if errors.As(err, &refused) && refused.Code == "TableAlreadyExists" || c.Key == nil && IsStatus(err, http.StatusForbidden) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("create table %s: %w", name, err)
	}
	return nil
}

// tablePath returns the path of a table, escaped: Cosmos DB's names may have any character.
func tablePath(name string) string {
	return odata.Path{Resource: odata.EntitiesResource, Table: name}.String()
}

// Page returns a page of the entities of a table that match a filter, with their
// types, and where the next one begins, nil for the end.
func (c *Client) Page(ctx context.Context, table, filter string, from *Token) ([]*odata.Entity, *Token, error) {
	query := url.Values{}
	if filter != "" {
		query.Set("$filter", filter)
	}
	if from != nil {
		query.Set("NextPartitionKey", from.NextPartitionKey)
		if from.NextRowKey != "" {
			query.Set("NextRowKey", from.NextRowKey)
		}
	}
	answer, err := c.call(ctx, "GET", tablePath(table)+"()?"+query.Encode(), accepting("fullmetadata"), nil, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("read table %s: %w", table, err)
	}
	read, err := payload.DecodeEntitiesResponse(answer.body)
	if err != nil {
		return nil, nil, fmt.Errorf("read table %s: %w", table, err)
	}
	entities := make([]*odata.Entity, len(read))
	for i := range read {
		entities[i] = &read[i].Entity
	}
	const prefix = "x-ms-continuation-"
	next := &Token{NextPartitionKey: answer.header.Get(prefix + "NextPartitionKey"), NextRowKey: answer.header.Get(prefix + "NextRowKey")}
	if next.NextPartitionKey == "" {
		next = nil
	}
	if next != nil && from != nil && *next == *from && len(read) > 0 { // an empty page may mean that the endpoint ran out of time
		return nil, nil, fmt.Errorf("read table %s: %w", table, ErrSamePage)
	}
	return entities, next, nil
}
