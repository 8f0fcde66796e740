package control_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server/nethttp"
	"sandtable/server/servertest"
)

// fill inserts n entities into a table in partitions of 1,000.
func (f *fixture) fill(account, name string, n int) {
	f.Helper()
	f.update(func(tx *engine.Tx) error {
		if err := tx.CreateTable(account, name); err != nil {
			return err
		}
		table, err := tx.Table(account, name)
		for i := 0; i < n && err == nil; i++ {
			_, err = table.Insert(odata.Key{PartitionKey: fmt.Sprint("p", i/1000), RowKey: fmt.Sprintf("%06d", i)}, properties(i))
		}
		return err
	})
}

var timestamps = regexp.MustCompile(`,"Timestamp":"[^"]*"`)

func withoutTimestamps(text string) string { return timestamps.ReplaceAllString(text, "") }

// TestDumpAndLoad: a handler loads what another one dumped, whole and in chunks,
// twice.
func TestDumpAndLoad(t *testing.T) {
	from := newFixture(t)
	from.fill(testAccount, "things", 2500)
	from.fill("strictaccount", "others", 3)
	dump := from.control("GET", "dump", "").wantStatus(200).wantHeader("Content-Type", "application/x-ndjson").
		wantHeader("Content-Disposition", `attachment; filename="sandtable-2026-11-20.jsonl"`).
		wantHeader("X-Sandtable-Tables", "2").wantHeader("X-Sandtable-Entities", "2503")
	if strings.Contains(dump.body, "Key1") || strings.Contains(dump.body, "primaryKey") {
		t.Error("the dump contains keys")
	}
	one := from.control("GET", "dump?account=strictaccount", "").wantStatus(200).wantHeader("X-Sandtable-Entities", "3").
		wantHeader("Content-Disposition", `attachment; filename="strictaccount-2026-11-20.jsonl"`)
	if strings.Contains(one.body, "things") || !strings.HasSuffix(one.body, `{"@sandtable":"end","accounts":1,"tables":1,"entities":3}`+"\n") {
		t.Errorf("dump of an account: %s", one.body)
	}

	to := newFixture(t)
	to.control("POST", "load", dump.body).wantStatus(200).wantBody(`{"accounts":2,"tables":2,"entities":2503,"unchanged":0,"corruption":0}`)
	to.control("POST", "load", dump.body).wantStatus(200).wantBody(`{"accounts":2,"tables":2,"entities":2503,"unchanged":2503,"corruption":0}`)
	if again := to.control("GET", "dump", ""); withoutTimestamps(again.body) != withoutTimestamps(dump.body) {
		t.Error("the loaded store differs from the dump")
	}
	to.control("POST", "load?account=copied", one.body).wantStatus(200).wantBody(`{"accounts":1,"tables":1,"entities":3,"unchanged":0,"corruption":0}`)

	pieces := newFixture(t)
	for _, size := range []int{100_000, 50} { // many chunks of the second size are shorter than a line
		if n := pieces.loadPieces(dump.body, size); n < 3 {
			t.Errorf("%d pieces", n)
		}
		if again := pieces.control("GET", "dump", ""); withoutTimestamps(again.body) != withoutTimestamps(dump.body) {
			t.Error("the store loaded in chunks differs from the dump")
		}
	}
}

// loadPieces loads an archive in chunks, like a page that reads a file.
func (f *fixture) loadPieces(text string, size int) (n int) {
	f.Helper()
	at, next := 0, ""
	for length := size; ; n++ {
		piece := text[at:min(at+length, len(text))]
		last := at+len(piece) == len(text)
		var answer struct {
			Accounts, Tables, Entities, Unchanged, Corruption, Bytes int
			Next                                                     string
		}
		f.control("POST", "load?chunk="+next+"&last="+fmt.Sprint(last), piece).decode(&answer)
		if at += answer.Bytes; last {
			if at != len(text) || answer.Next != "" || answer.Entities != 2503 {
				f.Errorf("the last chunk: %+v", answer)
			}
			return n
		}
		next = answer.Next
		if length = size; answer.Bytes == 0 {
			length = 20 * len(piece)
		}
	}
}

func TestLoadRefused(t *testing.T) {
	const head = `{"@sandtable":"archive","version":1}` + "\n" + `{"@sandtable":"account","name":"first1","access":"open"}` + "\n" + `{"@sandtable":"table","name":"Some"}` + "\n"
	f := newFixture(t)
	f.control("POST", "load", head).wantControlError(400, "InvalidArchive", "truncated")
	f.control("POST", "load", head+"{}").wantControlError(400, "InvalidArchive", "line 4: ")
	f.control("POST", "load?chunk=&last=true", head).wantControlError(400, "InvalidArchive", "truncated")
	f.control("POST", "load?chunk=", head+"{}\n").wantControlError(400, "InvalidArchive", "line 4: ")
	for _, bad := range []string{`"access":"open","properties":"<x"}`, `"access":"open"}` + "\n" + `{"@sandtable":"table","name":"Some","policies":"<x"}`} {
		text := `{"@sandtable":"archive","version":1}` + "\n" + `{"@sandtable":"account","name":"first1",` + bad + "\n"
		f.control("POST", "load", text).wantControlError(400, "InvalidArchive", "archive is malformed: p")
		f.control("POST", "load?chunk=", text).wantControlError(400, "InvalidArchive", "archive is malformed: p")
	}
	for _, action := range []string{"load", "load?chunk="} {
		r := servertest.NewRequest("POST", "http://localhost:8080/_sandtable/"+action, "", "X-Sandtable: test")
		r.Body, r.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader(head), iotest.ErrReader(errors.New("broken off")))), -1
		f.send(r).wantControlError(400, "InvalidInput", "")
	}
	f.control("POST", "load?chunk=", strings.Repeat(" ", 17<<20)).wantControlError(413, "RequestBodyTooLarge", "")
	// The lines before the error are loaded, and a client keeps its own position.
	f.do("GET", "https://first1.table.core.windows.net/Some()", "").wantStatus(200)
	f.db.Close()
	f.control("POST", "load", head).wantControlError(503, "ServerBusy", "")
}

// TestLoadOpensNothing: behind a network address an archive, which a stranger may have
// written, neither creates an account that needs no signature nor lets the pages of other
// sites in, unless its settings are requested.
func TestLoadOpensNothing(t *testing.T) {
	const cors = `"properties":"<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>*</AllowedOrigins><AllowedMethods>GET</AllowedMethods>` +
		`<MaxAgeInSeconds>1</MaxAgeInSeconds><ExposedHeaders/><AllowedHeaders/></CorsRule></Cors></StorageServiceProperties>"}` + "\n"
	const text = `{"@sandtable":"archive","version":1}` + "\n" + `{"@sandtable":"account","name":"first1","access":"open"}` + "\n" +
		`{"@sandtable":"account","name":"devstoreaccount1","access":"open",` + cors + `{"@sandtable":"end","accounts":2,"tables":0,"entities":0}` + "\n"
	for _, c := range []struct {
		query, token string
		strict       bool
		access       engine.Access
		lets         bool // the pages of other sites in
	}{
		{"", "a token of 16 characters", true, engine.StrictAccess, false},
		{"?chunk=&last=true", "a token of 16 characters", true, engine.StrictAccess, false},
		{"?settings=false", "a token of 16 characters", false, engine.OpenAccess, false},
		{"?settings=true", "a token of 16 characters", true, engine.StrictAccess, true},
		{"", "", false, engine.OpenAccess, true}, // of a page: other sites do not reach it
	} {
		f := newFixtureWith(t, func(o *options) { o.Token, o.StrictAccounts = c.token, c.strict })
		f.do("POST", "http://localhost:8080/_sandtable/load"+c.query, text, "X-Sandtable: test", "Authorization: Bearer "+c.token).wantStatus(200)
		f.update(func(tx *engine.Tx) error {
			created, err := tx.Account("first1")
			if err != nil {
				return err
			}
			existing, err := tx.Account(testAccount)
			if created.Access != c.access || (existing.Properties != "") != c.lets {
				t.Errorf("%q, token %q: access %v, properties %q", c.query, c.token, created.Access, existing.Properties)
			}
			return err
		})
	}
}

// TestWorkerTakesTheLongestBody: the script around the engine refuses longer bodies before
// they get here, and must take the longest chunk.
func TestWorkerTakesTheLongestBody(t *testing.T) {
	const max = 16 << 20
	script, err := os.ReadFile("../../wasm/js/program.js")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(script), "const MAX_BODY = 16 << 20;") {
		t.Error("program.js has another limit")
	}
	f := newFixture(t)
	f.control("POST", "load?chunk=", strings.Repeat(" ", max)).wantControlError(400, "InvalidArchive", "")
	f.control("POST", "load?chunk=", strings.Repeat(" ", max+1)).wantControlError(413, "RequestBodyTooLarge", "")
}

// oneRotten is a storage that corrupts one block of entities.
type oneRotten struct{ *engine.MemoryStorage }

func (s oneRotten) ReadBlocks(ids []engine.BlockID) ([][]byte, error) {
	texts, err := s.MemoryStorage.ReadBlocks(ids)
	for i, text := range texts {
		info, err := engine.DescribeBlock(text)
		if err == nil && info.Table != 0 && info.First.RowKey == "000000" { // 0 is the catalog
			texts[i] = bytes.Clone(text)
			texts[i][len(text)/2] ^= 1
		}
	}
	return texts, err
}

// TestDumpOfACorruptStore: the dump completes and reports that data is missing.
func TestDumpOfACorruptStore(t *testing.T) {
	dump := storeFixture(t, oneRotten{holedStorage(t)}, 0).control("GET", "dump", "").wantStatus(200)
	end := regexp.MustCompile(`\n{"@sandtable":"end","accounts":1,"tables":2,"entities":[1-9]\d*,"corruption":2}\n$`)
	if !end.MatchString(dump.body) {
		t.Errorf("it ends with %s", dump.body[max(0, len(dump.body)-200):])
	}
	for _, action := range []string{"load", "load?chunk=&last=true"} {
		to := newFixture(t)
		if loaded := to.control("POST", action, dump.body).wantStatus(200); !strings.Contains(loaded.body, `"corruption":2`) {
			t.Errorf("%s returns %s", action, loaded.body)
		}
	}
}

// TestLoadGivesKeys: a loaded well-known account has its well-known key.
func TestLoadGivesKeys(t *testing.T) {
	f := newFixture(t)
	dump := f.control("GET", "dump?account="+testAccount, "").body
	f.control("DELETE", "accounts/"+testAccount, "").wantStatus(204)
	f.control("POST", "load", dump).wantStatus(200)
	if err := f.db.View(func(tx *engine.Tx) error {
		account, err := tx.Account(testAccount)
		if string(account.Keys[0]) != string(testKey) {
			t.Error("the account has other keys")
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// TestDumpIsSentAsItIsMade: a dump is streamed, a slow client applies backpressure,
// and a client may disconnect at any time.
func TestDumpIsSentAsItIsMade(t *testing.T) {
	f := newFixture(t)
	f.fill(testAccount, "things", 60_000) // 15 MB, more than a connection buffers
	written := make(chan struct{})
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(written)
		nethttp.Serve(f.handler, w, r)
	}))
	t.Cleanup(host.Close)
	address, _ := url.Parse(host.URL)
	response, err := http.Get("http://" + address.Host + "/_sandtable/dump")
	if err != nil {
		t.Fatal(err)
	}
	begin := make([]byte, 1000)
	if _, err := io.ReadFull(response.Body, begin); err != nil || !strings.HasPrefix(string(begin), `{"@sandtable":"archive"`) {
		t.Errorf("it starts with %q, %v", begin, err)
	}
	select {
	case <-written:
		t.Error("the whole dump was written at once")
	default:
	}
	response.Body.Close()
	<-written // or the test times out
}

// faultAfter is a writer that calls a function after the first write.
type faultAfter struct {
	http.ResponseWriter
	fault func()
}

func (w *faultAfter) Flush() {
	w.ResponseWriter.(http.Flusher).Flush()
	w.fault()
}

// TestDumpBrokenOff: a client can tell a dump that fails halfway from a complete one.
func TestDumpBrokenOff(t *testing.T) {
	f := newFixture(t)
	f.fill(testAccount, "things", 20_000)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, cancel := context.WithCancel(r.Context())
		defer cancel()
		nethttp.Serve(f.handler, &faultAfter{w, cancel}, r.WithContext(c))
	}))
	t.Cleanup(host.Close)
	response, err := http.Get(host.URL + "/_sandtable/dump")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil || !strings.HasPrefix(string(text), `{"@sandtable":"archive"`) {
		t.Errorf("%d bytes, then %v", len(text), err)
	}
}
