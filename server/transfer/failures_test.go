//go:build !js

package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sandtable/odata/connection"
	"sandtable/server/transfer"
)

// failing is a transport that loses or refuses some requests.
type failing struct {
	http.RoundTripper
	count atomic.Int64
	fail  func(n int64, r *http.Request) (*http.Response, error)
}

func (f *failing) RoundTrip(r *http.Request) (*http.Response, error) {
	if answer, err := f.fail(f.count.Add(1), r); answer != nil || err != nil {
		return answer, err
	}
	return f.RoundTripper.RoundTrip(r)
}

func (e *endpoint) failWith(fail func(n int64, r *http.Request) (*http.Response, error)) *failing {
	f := &failing{RoundTripper: e.HTTP.Transport, fail: fail}
	e.HTTP = &http.Client{Transport: f}
	return f
}

// TestThrottling: an endpoint that is busy, and one whose connections break, only
// make it slower. Retry-After is obeyed.
func TestThrottling(t *testing.T) {
	from, to := newEndpoint(t, "source"), newEndpoint(t, "target")
	fill(t, from)
	busy := func(after string) (*http.Response, error) {
		return &http.Response{StatusCode: 503, Header: http.Header{"Retry-After": {after}}, Body: io.NopCloser(strings.NewReader(""))}, nil
	}
	var waited []time.Duration
	to.Waiting = func(d time.Duration, _ error) {
		if d >= time.Second {
			waited = append(waited, d)
		}
	}
	to.failWith(func(n int64, r *http.Request) (*http.Response, error) {
		switch {
		case n == 5:
			return busy("1")
		case n%6 == 0:
			return nil, io.ErrUnexpectedEOF
		}
		return nil, nil
	})
	if _, err := transfer.Copy(t.Context(), from.Client, to.Client, transfer.Options{}); err != nil {
		t.Fatal(err)
	}
	if len(waited) != 1 {
		t.Errorf("waited %v for a second or more, want once", waited)
	}
	if found := differences(t, from, to, transfer.Options{}); len(found) > 0 {
		t.Errorf("the copy differs: %q", found)
	}
}

// TestRetryAfterIsLong: a pause beyond RetryFor ends the copy at once, however long it is.
func TestRetryAfterIsLong(t *testing.T) {
	for _, after := range []string{"61", "9223372037", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"} {
		t.Run(after, func(t *testing.T) {
			e := newEndpoint(t, "source")
			sent := e.failWith(func(int64, *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: 503, Header: http.Header{"Retry-After": {after}}, Body: http.NoBody}, nil
			})
			ctx, cancel := context.WithCancel(t.Context())
			e.Waiting = func(time.Duration, error) { cancel() }
			if _, err := e.Tables(ctx); !transfer.IsStatus(err, 503) || sent.count.Load() != 1 {
				t.Errorf("after %d requests: %v", sent.count.Load(), err)
			}
		})
	}
}

// TestSamePageAgain: an endpoint that continues with the page that it has just sent would
// never come to an end.
func TestSamePageAgain(t *testing.T) {
	for name, body := range map[string]string{
		"NextTableName":    `{"value":[{"TableName":"Orders"}]}`,
		"NextPartitionKey": `{"value":[{"PartitionKey":"p","RowKey":"1"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			from, to := newEndpoint(t, "source"), newEndpoint(t, "target")
			from.insert(t, "Orders", entity("p", "1"))
			from.RetryFor = 0
			from.failWith(func(n int64, r *http.Request) (*http.Response, error) {
				if n > 10 {
					return nil, errKilled
				}
				if strings.HasSuffix(r.URL.Path, "/Tables") == (name == "NextPartitionKey") {
					return nil, nil
				}
				header := http.Header{http.CanonicalHeaderKey("x-ms-continuation-" + name): {"a"}}
				return &http.Response{StatusCode: 200, Header: header, Body: io.NopCloser(strings.NewReader(body))}, nil
			})
			if _, err := transfer.Copy(t.Context(), from.Client, to.Client, transfer.Options{}); !errors.Is(err, transfer.ErrSamePage) {
				t.Errorf("got %v", err)
			}
		})
	}
}

var errKilled = errors.New("killed")

// TestResume kills a copy after every few requests. Each continues where the one
// before ended.
func TestResume(t *testing.T) {
	from, to := newEndpoint(t, "source"), newEndpoint(t, "target")
	fill(t, from)
	path := filepath.Join(t.TempDir(), "state")
	var ctx context.Context
	var kill context.CancelFunc
	requests := to.failWith(func(n int64, r *http.Request) (*http.Response, error) {
		if n%17 == 0 {
			kill()
			return nil, errKilled
		}
		return nil, nil
	})
	runs := 0
	for ; ; runs++ {
		if runs > 30 {
			t.Fatal("it does not come to an end")
		}
		state, err := transfer.OpenState(path, from.URL, to.URL, "")
		if err != nil {
			t.Fatal(err)
		}
		ctx, kill = context.WithCancel(t.Context())
		_, err = transfer.Copy(ctx, from.Client, to.Client, transfer.Options{State: state, Concurrency: 2})
		killed := ctx.Err() != nil
		kill()
		if err == nil {
			if err := state.Remove(); err != nil {
				t.Error(err)
			}
			break
		}
		if !killed {
			t.Fatal(err)
		}
	}
	t.Logf("%d runs, %d requests", runs+1, requests.count.Load())
	if runs < 3 {
		t.Errorf("it was killed %d times: the test shows nothing", runs)
	}
	if found := differences(t, from, to, transfer.Options{}); len(found) > 0 {
		t.Errorf("the copy differs: %q", found)
	}
}

// TestCancelledWhileWriting: a copy that is cancelled while its last writes
// succeed has not written everything, and says so.
func TestCancelledWhileWriting(t *testing.T) {
	from, to := newEndpoint(t, "source"), newEndpoint(t, "target")
	fill(t, from)
	path := filepath.Join(t.TempDir(), "state")
	ctx, cancel := context.WithCancel(t.Context())
	inner := to.HTTP.Transport
	to.failWith(func(n int64, r *http.Request) (*http.Response, error) {
		if n == 6 {
			cancel()
		}
		return inner.RoundTrip(r.WithContext(context.WithoutCancel(r.Context())))
	})
	for _, c := range []struct {
		ctx  context.Context
		want error
	}{{ctx, context.Canceled}, {t.Context(), nil}} {
		state, err := transfer.OpenState(path, from.URL, to.URL, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := transfer.Copy(c.ctx, from.Client, to.Client, transfer.Options{State: state, Concurrency: 2}); !errors.Is(err, c.want) {
			t.Errorf("copy: %v, want %v", err, c.want)
		}
	}
	if found := differences(t, from, to, transfer.Options{}); len(found) > 0 {
		t.Errorf("the copy differs: %q", found)
	}
}

// TestRedirected: a redirect is no success.
func TestRedirected(t *testing.T) {
	from, to := newEndpoint(t, "source"), newEndpoint(t, "target")
	fill(t, from)
	to.failWith(func(_ int64, r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 304, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r}, nil
	})
	if _, err := transfer.Copy(t.Context(), from.Client, to.Client, transfer.Options{}); !transfer.IsStatus(err, 304) {
		t.Errorf("copy: %v, want status 304", err)
	}
}

// TestTransactionIsRefused: the error of a whole transaction has the service's code.
func TestTransactionIsRefused(t *testing.T) {
	from, to := newEndpoint(t, "source"), newEndpoint(t, "target")
	fill(t, from)
	to.failWith(func(_ int64, r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/$batch") {
			r.Header.Set("Authorization", "SharedKeyLite target:AAAA")
		}
		return nil, nil
	})
	if _, err := transfer.Copy(t.Context(), from.Client, to.Client, transfer.Options{}); err == nil || !strings.Contains(err.Error(), "403 AuthenticationFailed Server failed") {
		t.Errorf("copy: %v, want 403 AuthenticationFailed", err)
	}
}

// TestTableBeingDeleted: the copy waits until the table is gone.
func TestTableBeingDeleted(t *testing.T) {
	from, to := newEndpoint(t, "source"), newEndpoint(t, "target")
	fill(t, from)
	to.RetryFor = time.Minute
	first := true
	to.failWith(func(_ int64, r *http.Request) (*http.Response, error) {
		if !first || r.Method != "POST" || !strings.HasSuffix(r.URL.Path, "/Tables") {
			return nil, nil
		}
		first = false
		body := `{"odata.error":{"code":"TableBeingDeleted","message":{"lang":"en-US","value":"The specified table is being deleted."}}}`
		return &http.Response{StatusCode: 409, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	})
	if _, err := transfer.Copy(t.Context(), from.Client, to.Client, transfer.Options{}); err != nil {
		t.Error(err)
	}
	want, err := from.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := to.Tables(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Errorf("the copy has the tables %q, %v; want %q", got, err, want)
	}
}

// TestStateOfAnotherCopy is refused.
func TestStateOfAnotherCopy(t *testing.T) {
	a, b := newEndpoint(t, "source"), newEndpoint(t, "target")
	path := filepath.Join(t.TempDir(), "state")
	if _, err := transfer.OpenState(path, a.URL, b.URL, ""); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"another direction": second(transfer.OpenState(path, b.URL, a.URL, "")), "another filter": second(transfer.OpenState(path, a.URL, b.URL, "N eq 1")),
	} {
		if !errors.Is(err, transfer.ErrOtherCopy) {
			t.Errorf("%s: %v, want ErrOtherCopy", name, err)
		}
	}
}

func second(_ any, err error) error { return err }

// TestCreateTableIsRefused: what cannot succeed later is not retried, and only a table
// that exists need not be created.
func TestCreateTableIsRefused(t *testing.T) {
	for _, c := range []struct {
		status  int
		code    string
		retried bool
		want    string // of the error, "" for none
	}{
		{409, "TableAlreadyExists", false, ""},
		{409, "TableBeingDeleted", true, "409 TableBeingDeleted"},
		{409, "AccountBeingCreated", false, "409 AccountBeingCreated"},
		{501, "NotImplemented", false, "501 NotImplemented"},
		{505, "", false, "505"},
		{500, "InternalError", true, "500 InternalError"},
		{503, "ServerBusy", true, "503 ServerBusy"},
		{429, "", true, "429"},
	} {
		t.Run(fmt.Sprint(c.status, c.code), func(t *testing.T) {
			to := newEndpoint(t, "target")
			to.RetryFor = 300 * time.Millisecond // time enough for another attempt
			requests := to.failWith(func(int64, *http.Request) (*http.Response, error) {
				body := `{"odata.error":{"code":"` + c.code + `","message":{"lang":"en-US","value":""}}}`
				return &http.Response{StatusCode: c.status, Body: io.NopCloser(strings.NewReader(body))}, nil
			})
			err := to.CreateTable(t.Context(), "Things")
			if got := requests.count.Load() > 1; got != c.retried {
				t.Errorf("%d requests, retried: %v, want %v", requests.count.Load(), got, c.retried)
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("the error is %v, want %q", err, c.want)
			}
		})
	}
}

// TestUntrustedCertificate: a certificate that is not trusted stays so, and the error
// says how to trust it.
func TestUntrustedCertificate(t *testing.T) {
	running := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(running.Close)
	running.Config.ErrorLog = log.New(io.Discard, "", 0)
	client := &transfer.Client{Endpoint: connection.Endpoint{URL: running.URL, Account: "a", Key: []byte("k")}, HTTP: new(http.Client), RetryFor: time.Minute}
	client.Waiting = func(time.Duration, error) { t.Fatal("it waits for another attempt") }
	if _, err := client.Tables(t.Context()); err == nil || !strings.Contains(err.Error(), "SSL_CERT_FILE") {
		t.Errorf("%v: SSL_CERT_FILE is missing", err)
	}
}
