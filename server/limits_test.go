package server_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sandtable/server"
	"sandtable/server/auth"
	"sandtable/server/message"
	"sandtable/server/nethttp"
	"sandtable/server/servertest"
)

// TestHTTPSIsTLS: neither an https request target nor a header makes a connection
// count as TLS.
func TestHTTPSIsTLS(t *testing.T) {
	const http, https = "http://" + testHost, "https://" + testHost
	for _, c := range []struct {
		name, target string // httptest sets TLS for https
		tls          bool
		proto        string
		allowed      bool
	}{
		{"TLS", https, true, "", true},
		{"plain", http, false, "", false},
		{"plain, with an https target", https, false, "", false},
		{"plain, with a header", http, false, "https", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			sas, err := auth.SAS{Permissions: "l", Expiry: f.now.Add(time.Hour), Protocol: "https"}.Sign(testAccount, testKey)
			if err != nil {
				t.Fatal(err)
			}
			for _, credentials := range []string{"sas", "bearer"} {
				r := httptest.NewRequest("GET", c.target+"/Tables", nil)
				if !c.tls {
					r.TLS = nil
				}
				r.Header.Set("Accept", "application/json")
				r.Header.Set("x-ms-version", testVersion)
				r.Header.Set("X-Forwarded-Proto", c.proto)
				if credentials == "sas" {
					r.URL.RawQuery = sas
				} else {
					r.Header.Set("Authorization", "Bearer token")
				}
				if got := f.send(r).status == 200; got != c.allowed {
					t.Errorf("%s: allowed %v, want %v", credentials, got, c.allowed)
				}
			}
		})
	}
}

// blockedBody returns its first bytes, signals the next read, and blocks.
type blockedBody struct {
	first   int // bytes before it blocks
	reading chan<- struct{}
	release <-chan struct{}
	body    io.Reader
}

func (b *blockedBody) Read(p []byte) (int, error) {
	if b.first > 0 {
		n, err := b.body.Read(p[:min(len(p), b.first)])
		b.first -= n
		return n, err
	}
	if b.reading != nil {
		close(b.reading)
		b.reading = nil
		<-b.release
	}
	return b.body.Read(p)
}

// TestBodyMemoryIsBounded: a body beyond the memory limit of all bodies in flight is
// refused, and accepted once the others are done. A declared length counts for
// nothing until it is sent.
func TestBodyMemoryIsBounded(t *testing.T) {
	f := newFixtureWith(t, func(o *server.Options) { o.BodyMemory = 100 })
	f.createTable("things")
	insert := func(rk string) []byte {
		return []byte(`{"PartitionKey":"p","RowKey":"` + rk + `","a":"` + strings.Repeat("x", 40) + `"}`)
	}
	request := func(body io.Reader, length int64) *http.Request {
		r := httptest.NewRequest("POST", "https://"+testHost+"/things", body)
		r.ContentLength = length
		r.Header.Set("Accept", "application/json;odata=minimalmetadata")
		r.Header.Set("Content-Type", "application/json")
		return r
	}
	size := len(insert("1"))
	cases := []struct {
		sent   int
		length int64 // of the second body
		want   int
	}{{size - 1, int64(size), 503}, {size - 1, -1, 503}, {1, int64(size), 201}, {1, -1, 201}}
	for _, c := range cases {
		reading, release, first := make(chan struct{}), make(chan struct{}), make(chan int)
		go func() {
			w := httptest.NewRecorder()
			body := &blockedBody{c.sent, reading, release, bytes.NewReader(insert("1"))}
			nethttp.Serve(f.handler, w, request(body, int64(size)))
			first <- w.Code
		}()
		<-reading
		second := f.send(request(bytes.NewReader(insert("2")), c.length))
		if second.wantStatus(c.want); c.want == 503 {
			second.wantError(503, "ServerBusy", "The server is busy.")
		}
		close(release)
		if got := <-first; got != 201 {
			t.Errorf("the first body: %d, want 201", got)
		}
		if c.want == 503 {
			f.send(request(bytes.NewReader(insert("2")), c.length)).wantStatus(201)
		}
		for _, rk := range []string{"1", "2"} {
			f.do("DELETE", "/things(PartitionKey='p',RowKey='"+rk+"')", "", "If-Match: *").wantStatus(204)
		}
	}
}

type failingBody struct{}

func (failingBody) Read([]byte) (int, error) { return 0, errors.New("broken off") }

// TestBodyMemoryIsReleased: refused and aborted bodies do not count.
func TestBodyMemoryIsReleased(t *testing.T) {
	f := newFixtureWith(t, func(o *server.Options) { o.BodyMemory = 100 })
	f.createTable("things")
	for range 3 {
		for _, length := range []int64{90, -1} {
			r := httptest.NewRequest("POST", "https://"+testHost+"/things", failingBody{})
			r.ContentLength = length
			r.Header.Set("Accept", "application/json")
			r.Header.Set("Content-Type", "application/json")
			f.send(r).wantStatus(400)
		}
		f.do("POST", "/things", `{"`+strings.Repeat("x", 90)+`":1}`).wantStatus(400)
	}
}

// TestBodySize: the limit of a body counts its bytes, whether or not its length is
// declared.
func TestBodySize(t *testing.T) {
	for _, c := range []struct {
		name             string
		excess           int
		declared, memory bool
		status           int
	}{
		{"at the limit", 0, true, false, 202},
		{"at the limit, in chunks", 0, false, false, 202},
		{"at the limit, in memory", 0, true, true, 202},
		{"above it", 1, true, false, 413},
		{"above it, in chunks", 1, false, false, 413},
		{"above it, in memory", 1, true, true, 413},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			body := changeset(insertPart("things", `{"PartitionKey":"p","RowKey":"r"}`))
			body += strings.Repeat("x", 4<<20+c.excess-len(body))
			r := servertest.NewRequest("POST", "/$batch", body, "Content-Type: multipart/mixed; boundary=batch_1")
			if !c.declared {
				r.ContentLength = -1
			}
			if c.memory {
				f.sendWhole(r).wantStatus(c.status)
			} else {
				f.send(r).wantStatus(c.status)
			}
		})
	}
}

// TestEntitySize: an entity of 1 MiB is stored, by whatever operation, and a longer one is
// not.
func TestEntitySize(t *testing.T) {
	properties := func(size int) string {
		size -= 4 + 2*len("pr") // the keys
		var members []string
		for i := 0; size > 0; i++ {
			const each = 8 + 2*len("p00") + 4 // and the text
			length := min((size-each)/2, 30<<10)
			members = append(members, fmt.Sprintf(`"p%02d":"%s"`, i, strings.Repeat("x", length)))
			size -= each + 2*length
		}
		return strings.Join(members, ",")
	}
	const target = "/things(PartitionKey='p',RowKey='r')"
	for _, c := range []struct{ name, method, target, keys string }{
		{"insert", "POST", "/things", `"PartitionKey":"p","RowKey":"r",`},
		{"replace", "PUT", target, ""},
		{"merge", "MERGE", target, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.createTable("things")
			f.do(c.method, c.target, "{"+c.keys+properties(1<<20+2)+"}").wantError(400, "EntityTooLarge", textEntityLarge)
			f.do(c.method, c.target, "{"+c.keys+properties(1<<20)+"}", "Prefer: return-no-content").wantStatus(204)
		})
	}
}

// sendWhole sends a request whose body is in memory, as a browser's is.
func (f *fixture) sendWhole(r *http.Request) *response {
	f.Helper()
	handler := f.handler
	status, header, body := servertest.Send(f.T, handlerFunc(func(w message.ResponseWriter, in *message.Request) {
		whole, err := io.ReadAll(in.Body)
		if err != nil {
			f.Fatal(err)
		}
		in.Body = bytes.NewBuffer(whole)
		handler.Serve(w, in)
	}), r)
	return &response{f.T, status, header, body}
}

type handlerFunc func(message.ResponseWriter, *message.Request)

func (f handlerFunc) Serve(w message.ResponseWriter, r *message.Request) { f(w, r) }

// TestBodyInMemoryCounts: a body that is in memory already counts like others.
func TestBodyInMemoryCounts(t *testing.T) {
	f := newFixtureWith(t, func(o *server.Options) { o.BodyMemory = 100 })
	f.createTable("things")
	for size, status := range map[int]int{20: 201, 100: 503} {
		entity := `{"PartitionKey":"p","RowKey":"r","a":"` + strings.Repeat("x", size) + `"}`
		f.sendWhole(servertest.NewRequest("POST", "/things", entity)).wantStatus(status)
	}
}

// TestLongSelect: the names in $select, which every row repeats, count for the size of a
// page.
func TestLongSelect(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	for i := range 20 {
		f.insert("things", fmt.Sprintf(`{"PartitionKey":"p","RowKey":"%02d"}`, i))
	}
	r := f.batchQuery("/things()?$select=" + strings.Repeat("x", 1<<20)).wantStatus(202)
	if n := strings.Count(r.body, "null"); n < 3 || n > 5 {
		t.Errorf("%d rows in %d bytes", n, len(r.body))
	}
	for _, name := range []string{"x-ms-continuation-nextpartitionkey: 1!4!cA--\r\n", "x-ms-continuation-nextrowkey: 1!4!"} {
		if !strings.Contains(strings.ToLower(r.body), strings.ToLower(name)) {
			t.Errorf("no %s", name)
		}
	}
}

// TestParametersAreLimited: each parameter takes more memory than it has bytes, in a
// request's address as in those of a batch.
func TestParametersAreLimited(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.do("GET", "/things?"+strings.Repeat("a&", 99), "").wantStatus(200)
	f.do("GET", "/things?"+strings.Repeat("a&", 100), "").wantError(400, "InvalidInput", "Bad Request - Error in query syntax.")
	if r := f.batchQuery("/things?" + strings.Repeat("a&", 100)); !strings.Contains(r.body, "Bad Request - Error in query syntax.") {
		t.Errorf("in a batch: %s", r.body)
	}
}
