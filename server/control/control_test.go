package control_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/control"
)

// wantControlError checks an error response of the control API.
func (r *response) wantControlError(status int, code, contains string) {
	r.Helper()
	r.wantStatus(status).wantHeader("Content-Type", "application/json")
	var document struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(r.body), &document); err != nil {
		r.Fatalf("%v in %s", err, r.body)
	}
	if document.Error.Code != code || document.Error.Message == "" || !strings.Contains(document.Error.Message, contains) {
		r.Errorf("body %s, want %s with a message that contains %q", r.body, code, contains)
	}
}

// decode parses a response's JSON document.
func (r *response) decode(v any) {
	r.Helper()
	r.wantStatus(200)
	decoder := json.NewDecoder(bytes.NewReader([]byte(r.body)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(v); err != nil {
		r.Fatalf("%v in %s", err, r.body)
	}
}

func TestControlStatus(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"r"}`)
	f.control("GET", "status", "").wantStatus(200).wantHeader("Cache-Control", "no-store").
		wantBody(`{"build":"test","store":"memory","durability":"relaxed","persisted":false,"quota":null,"usage":null,` +
			`"accounts":2,"tables":1,"entities":1,"blocks":{"total":0,"resident":0,"memory":0,"budget":268435456},"walBytes":` + strconv.Itoa(f.db.Stats().WAL) + `,"lastCheckpoint":null,` +
			`"checkpointFailure":null,"corruption":[],"settings":{"durability":"relaxed","permissiveCORS":false,"recordBodies":true,"tableDeletion":"0s"}}`)
}

// TestControlStatusOfAStore checks the status of a file store with blocks, a host
// that reports its quota, and corruption.
func TestControlStatusOfAStore(t *testing.T) {
	storage := new(engine.MemoryStorage)
	db, err := engine.Open(storage, engine.Options{CheckpointAfter: 1})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *engine.Tx) error {
		if err := tx.PutAccount(engine.Account{Name: "first1"}); err != nil {
			return err
		}
		return tx.CreateTable("first1", "things")
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil { // waits for the checkpoint
		t.Fatal(err)
	}
	if err := storage.Append(1<<40, []byte("corrupt")); err == nil {
		t.Fatal("the store is still open")
	}
	if _, err := storage.Load(); err != nil {
		t.Fatal(err)
	}
	if err := storage.Append(1<<40, []byte("corrupt")); err != nil {
		t.Fatal(err)
	}
	if db, err = engine.Open(storage, engine.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	persisted := true
	f := &fixture{T: t, handler: control.New(db, server.Options{}, control.Options{Store: "indexeddb", Durability: engine.Strict,
		Space: func(ctx context.Context) control.Space {
			if ctx == nil {
				t.Error("no context")
			}
			return control.Space{Persisted: &persisted, Quota: 1 << 40, Usage: 4096}
		},
	})}
	var status struct {
		Build, Store, Durability   string
		Persisted                  *bool
		Quota, Usage               int64
		Accounts, Tables, Entities int
		Blocks                     struct{ Total, Resident, Memory, Budget int }
		WALBytes                   int
		LastCheckpoint             string
		CheckpointFailure          any
		Corruption                 []string
		Settings                   map[string]any
	}
	f.control("GET", "status", "").decode(&status)
	if status.Store != "indexeddb" || status.Durability != "strict" || status.Persisted == nil || !*status.Persisted ||
		status.Quota != 1<<40 || status.Usage != 4096 || status.Accounts != 1 || status.Tables != 1 {
		t.Errorf("status %+v", status)
	}
	if status.WALBytes != len("corrupt") || len(status.Corruption) == 0 || !strings.Contains(strings.Join(status.Corruption, "; "), "WAL record") || status.LastCheckpoint == "" {
		t.Errorf("status %+v", status)
	}
}

// refusing is a storage that refuses checkpoints.
type refusing struct{ engine.MemoryStorage }

func (*refusing) Checkpoint(engine.Checkpoint) error { return engine.ErrNoSpace }

// TestControlStatusOfAFailingCheckpoint: the status reports failing checkpoints and
// the reason.
func TestControlStatusOfAFailingCheckpoint(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	db, err := engine.Open(new(refusing), engine.Options{IdleAfter: -1, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := db.Update(func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: "first1"}) }); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, _, err := db.Compact(t.Context(), nil); !errors.Is(err, engine.ErrNoSpace) {
			t.Fatalf("compact: %v", err)
		}
	}
	f := &fixture{T: t, handler: control.New(db, server.Options{}, control.Options{Store: "memory"})}
	var status map[string]json.RawMessage
	f.control("GET", "status", "").decode(&status)
	want := `{"error":"no space left","since":"2026-03-04T05:06:07Z","attempts":2}`
	if got := string(status["checkpointFailure"]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestControlAccounts(t *testing.T) {
	f := newFixture(t)
	f.control("POST", "accounts", `{"name":"classroom"}`).wantStatus(201).wantBody(`{"name":"classroom","access":"open","tables":0,"entities":0}`)
	f.do("POST", "https://classroom.table.core.windows.net/Tables", `{"TableName":"lesson"}`).wantStatus(201)
	f.control("GET", "accounts", "").wantStatus(200).wantBody(`{"accounts":[{"name":"classroom","access":"open","tables":1,"entities":0},` +
		`{"name":"devstoreaccount1","access":"open","tables":0,"entities":0},{"name":"strictaccount","access":"strict","tables":0,"entities":0}]}`)
	f.control("GET", "accounts/classroom", "").wantStatus(200).wantBody(`{"name":"classroom","access":"open","tables":1,"entities":0}`)
	f.control("DELETE", "accounts/classroom", "").wantStatus(204).wantBody("")
	f.do("GET", "https://classroom.table.core.windows.net/Tables", "").wantStatus(404)
	f.control("GET", "accounts/classroom", "").wantControlError(404, "ResourceNotFound", "no account")
}

func TestControlAccess(t *testing.T) {
	f := newFixture(t)
	f.control("POST", "accounts", `{"name":"closed1","access":"strict"}`).wantStatus(201).wantBody(`{"name":"closed1","access":"strict","tables":0,"entities":0}`)
	f.do("GET", "https://closed1.table.core.windows.net/Tables", "").wantStatus(404)
	f.control("PATCH", "accounts/closed1", `{"access":"open"}`).wantStatus(200).wantBody(`{"name":"closed1","access":"open","tables":0,"entities":0}`)
	f.do("GET", "https://closed1.table.core.windows.net/Tables", "").wantStatus(200)
	f.control("PATCH", "accounts/closed1", `{"access":"strict"}`).wantStatus(200)
	f.do("GET", "https://closed1.table.core.windows.net/Tables", "").wantStatus(404)

	strict := newFixtureWith(t, func(o *options) { o.StrictAccounts = true })
	strict.control("POST", "accounts", `{"name":"closed1"}`).wantStatus(201).wantBody(`{"name":"closed1","access":"strict","tables":0,"entities":0}`)
	strict.control("POST", "accounts", `{"name":"open1","access":"open"}`).wantStatus(201).wantBody(`{"name":"open1","access":"open","tables":0,"entities":0}`)
}

func TestControlConnection(t *testing.T) {
	f := newFixture(t)
	r := f.control("GET", "accounts/strictaccount/connection", "").wantStatus(200)
	var c struct{ Account, Endpoint, SAS, ConnectionString, SASURL string }
	r.decode(&c)
	if c.Account != "strictaccount" || c.Endpoint != "https://strictaccount.table.core.windows.net" ||
		c.ConnectionString != "TableEndpoint="+c.Endpoint+";SharedAccessSignature="+c.SAS || c.SASURL != c.Endpoint+"/?"+c.SAS {
		t.Errorf("got %+v", c)
	}
	f.do("POST", c.Endpoint+"/Tables?"+c.SAS, `{"TableName":"lesson"}`).wantStatus(201)
	f.do("POST", c.Endpoint+"/lesson?"+c.SAS, `{"PartitionKey":"p","RowKey":"r"}`).wantStatus(201)
	f.do("PUT", c.Endpoint+"/lesson(PartitionKey='p',RowKey='r')?"+c.SAS, `{}`).wantStatus(204)
	f.do("DELETE", c.Endpoint+"/Tables('lesson')?"+c.SAS, "").wantStatus(204)
}

// TestControlSAS: a generated SAS grants what it names.
func TestControlSAS(t *testing.T) {
	f := newFixture(t)
	const host = "https://strictaccount.table.core.windows.net"
	issue := func(body string) (sas string) {
		t.Helper()
		var issued struct{ SAS, URL string }
		f.control("POST", "accounts/strictaccount/sas", body).decode(&issued)
		base, query, _ := strings.Cut(issued.URL, "?")
		if query != issued.SAS || !strings.HasPrefix(base, host+"/") {
			t.Errorf("got %+v", issued)
		}
		return issued.SAS
	}
	all := issue(`{"permissions":"rwdlacu","expiresOn":"2026-11-20T19:00:00Z","protocol":"https","startsOn":"2026-11-20"}`)
	f.do("POST", host+"/Tables?"+all, `{"TableName":"lesson"}`).wantStatus(201)
	for _, partition := range []string{"a", "b", "c"} {
		f.do("POST", host+"/lesson?"+all, `{"PartitionKey":"`+partition+`","RowKey":"r"}`).wantStatus(201)
	}
	f.do("GET", strings.Replace(host, "https", "http", 1)+"/lesson()?"+all, "").wantStatus(403)
	reads := issue(`{"table":"lesson","permissions":"r","expiresOn":"2026-11-20T19:00:00Z","startPartitionKey":"b","endPartitionKey":"b"}`)
	if got := f.do("GET", host+"/lesson()?"+reads, "").wantStatus(200); strings.Count(got.body, `"RowKey"`) != 1 || !strings.Contains(got.body, `"PartitionKey":"b"`) {
		t.Errorf("a SAS for b sees %s", got.body)
	}
	f.do("DELETE", host+"/lesson(PartitionKey='b',RowKey='r')?"+reads, "", "If-Match: *").wantStatus(403)
	f.do("GET", host+"/Tables?"+reads, "").wantStatus(403)
	for _, c := range []struct{ name, account, body, contains string }{
		{"nothing", "strictaccount", "", "permissions"},
		{"no expiry", "strictaccount", `{"permissions":"r"}`, "expires"},
		{"not a time", "strictaccount", `{"permissions":"r","expiresOn":"tomorrow"}`, "expiresOn must be a time"},
		{"not a string", "strictaccount", `{"permissions":7}`, "permissions must be a string"},
		{"an unknown member", "strictaccount", `{"permissions":"r","expiresOn":"2030-01-01","color":"red"}`, `Unknown member \"color\"`},
		{"another key", "strictaccount", `{"permissions":"r","expiresOn":"2030-01-01","key":"third"}`, "key must be primary or secondary"},
		{"keys of an entity", "strictaccount", `{"PartitionKey":"p"}`, `The member \"PartitionKey\" is unknown or null`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := f.control("POST", "accounts/"+c.account+"/sas", c.body)
			r.wantControlError(400, "InvalidInput", strings.ReplaceAll(c.contains, `\"`, `"`))
		})
	}
	f.control("POST", "accounts/strictaccount/sas", `{"permissions":"r","expiresOn":"2030-01-01","key":"secondary"}`).wantControlError(409, "NoKey", "")
	f.control("POST", "accounts/nobody/sas", `{"permissions":"r","expiresOn":"2030-01-01"}`).wantControlError(404, "ResourceNotFound", "")
}

func TestControlRefused(t *testing.T) {
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		code, contains           string
	}{
		{"a bad name", "POST", "accounts", `{"name":"Bad-Name"}`, 400, "AccountNameInvalid", ""},
		{"no name", "POST", "accounts", `{}`, 400, "AccountNameInvalid", ""},
		{"a name that is taken", "POST", "accounts", `{"name":"devstoreaccount1"}`, 409, "AccountAlreadyExists", ""},
		{"no JSON", "POST", "accounts", `name`, 400, "InvalidInput", "JSON"},
		{"another access", "POST", "accounts", `{"name":"first1","access":"ajar"}`, 400, "InvalidInput", "access must be open or strict"},
		{"a long body", "POST", "accounts", `{"name":"` + strings.Repeat("a", 65<<10) + `"}`, 413, "RequestBodyTooLarge", ""},
		{"nothing to change", "PATCH", "accounts/devstoreaccount1", `{}`, 400, "InvalidInput", "access is missing"},
		{"an unknown access", "PATCH", "accounts/devstoreaccount1", `{"access":"ajar"}`, 400, "InvalidInput", "access must be open or strict"},
		{"a name to change", "PATCH", "accounts/devstoreaccount1", `{"access":"open","name":"other"}`, 400, "InvalidInput", `Unknown member "name"`},
		{"no such account", "GET", "accounts/nobody/connection", "", 404, "ResourceNotFound", "no account"},
		{"no such account to change", "PATCH", "accounts/nobody", `{"access":"open"}`, 404, "ResourceNotFound", "no account"},
		{"no such account to delete", "DELETE", "accounts/nobody", "", 404, "ResourceNotFound", "no account"},
		{"no such account to dump", "GET", "dump?account=nobody", "", 404, "ResourceNotFound", "no account"},
		{"no such account to reset", "POST", "reset", `{"what":"account","account":"nobody"}`, 404, "ResourceNotFound", "no account"},
		{"no such path", "GET", "nothing", "", 404, "ResourceNotFound", "no such path"},
		{"a longer path", "GET", "status/x", "", 404, "ResourceNotFound", ""},
		{"an account without name", "GET", "accounts/", "", 404, "ResourceNotFound", ""},
		{"the root", "GET", "", "", 404, "ResourceNotFound", ""},
		{"a malformed query", "GET", "status?%zz", "", 400, "InvalidInput", "query"},
		{"no such request", "GET", "requests/7", "", 404, "ResourceNotFound", "no such request"},
		{"a request that is not a number", "GET", "requests/x", "", 404, "ResourceNotFound", "no such request"},
		{"after a negative number", "GET", "requests?after=-1", "", 400, "InvalidInput", "after must be a whole number"},
		{"a limit that is not a number", "GET", "requests?limit=all", "", 400, "InvalidInput", "limit must be a whole number"},
		{"an unknown setting", "PATCH", "settings", `{"color":"red"}`, 400, "InvalidInput", `Unknown member "color"`},
		{"another durability", "PATCH", "settings", `{"durability":"eternal"}`, 400, "InvalidInput", "durability must be relaxed or strict"},
		{"a setting that is not a boolean", "PATCH", "settings", `{"recordBodies":"yes"}`, 400, "InvalidInput", "recordBodies must be true or false"},
		{"a setting that is no duration", "PATCH", "settings", `{"tableDeletion":"40"}`, 400, "InvalidInput", "tableDeletion must be a duration such as 40s, from 0s to 1h0m0s"},
		{"a negative duration", "PATCH", "settings", `{"tableDeletion":"-1s"}`, 400, "InvalidInput", "tableDeletion must be a duration"},
		{"a duration over the limit", "PATCH", "settings", `{"tableDeletion":"61m"}`, 400, "InvalidInput", "tableDeletion must be a duration"},
		{"durability in memory", "PATCH", "settings", `{"durability":"strict"}`, 409, "DurabilityFixed", ""},
		{"an account without its name", "POST", "reset", `{"what":"account"}`, 400, "InvalidInput", "NAME"},
		{"all with an account's name", "POST", "reset", `{"what":"all","account":"devstoreaccount1"}`, 400, "InvalidInput", "NAME"},
		{"a reset of something else", "POST", "reset", `{"what":"settings"}`, 400, "InvalidInput", "what must be all or account or unopened"},
		{"an empty archive", "POST", "load", "", 400, "InvalidArchive", "not a Sandtable archive"},
		{"an invalid account name", "GET", "dump?account=Bad-Name", "", 400, "AccountNameInvalid", "letters and digits"},
		{"an empty account name", "GET", "dump?account=", "", 400, "AccountNameInvalid", ""},
		{"a load under an empty name", "POST", "load?account=", "", 400, "AccountNameInvalid", ""},
		{"an empty number", "GET", "requests?after=", "", 400, "InvalidInput", "after must be a whole number"},
		{"last that is not a boolean", "POST", "load?chunk=&last=maybe", "", 400, "InvalidInput", "last must be true or false"},
		{"last without chunk", "POST", "load?last=true", "", 400, "InvalidInput", "last needs chunk"},
		{"a chunk at an invalid position", "POST", "load?chunk=x", "", 400, "InvalidInput", "chunk"},
	} {
		t.Run(c.name, func(t *testing.T) {
			newFixture(t).control(c.method, c.path, c.body).wantControlError(c.status, c.code, c.contains)
		})
	}
}

// TestControlQuery: an unknown query parameter is refused without side effects.
func TestControlQuery(t *testing.T) {
	f := newFixture(t)
	f.fill(testAccount, "things", 2)
	dump := f.control("GET", "dump", "").wantStatus(200).body
	for _, c := range []struct{ name, method, path, body, contains string }{
		{"an account to reset", "POST", "reset?account=devstoreaccount1", "", `"account"`},
		{"what to reset", "POST", "reset?what=account", `{"what":"account","account":"devstoreaccount1"}`, `"what"`},
		{"a misspelt account", "GET", "dump?acount=devstoreaccount1", "", `"acount"; known here: account, snapshot, token`},
		{"the case of a name", "GET", "dump?Account=devstoreaccount1", "", `"Account"`},
		{"no name at all", "GET", "dump?=devstoreaccount1", "", `""`},
		{"two accounts", "GET", "dump?account=devstoreaccount1&account=strictaccount", "", "account more than once"},
		{"a load under a misspelt name", "POST", "load?acount=classroom", dump, "account, snapshot, chunk, last, settings, token"},
		{"a chunk with an unknown parameter", "POST", "load?chunk=&first=true", dump, `"first"`},
		{"of the status", "GET", "status?foo=1", "", `"foo"; known here: token`},
		{"of verify", "POST", "verify?x=1", "", `"x"`},
		{"of compact", "POST", "compact?all", "", `"all"`},
		{"of the requests", "GET", "requests?limt=1", "", `"limt"; known here: after, limit, token`},
		{"of a request", "GET", "requests/1?after=1", "", `"after"`},
		{"of the events", "GET", "events?limit=1", "", `"limit"`},
		{"of the settings", "PATCH", "settings?recordBodies=false", `{}`, `"recordBodies"`},
		{"of an account to delete", "DELETE", "accounts/strictaccount?really=no", "", `"really"`},
		{"of an account to create", "POST", "accounts?access=strict", `{"name":"first1"}`, `"access"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.T = t
			f.control(c.method, c.path, c.body).wantControlError(400, "InvalidInput", c.contains)
		})
	}
	f.T = t
	if after := f.control("GET", "dump", "").body; after != dump {
		t.Errorf("the store has\n%s\nwant\n%s", after, dump)
	}
	f.control("GET", "settings", "").wantBody(`{"durability":"relaxed","permissiveCORS":false,"recordBodies":true,"tableDeletion":"0s"}`)
	f.control("GET", "dump?account=devstoreaccount1&token=any", "").wantStatus(200)
}

func TestControlMethods(t *testing.T) {
	f := newFixture(t)
	for path, allow := range map[string]string{
		"status": "GET", "accounts": "GET, POST", "accounts/first1": "DELETE, GET, PATCH", "accounts/first1/connection": "GET",
		"accounts/first1/sas": "POST", "settings": "GET, PATCH", "dump": "GET", "load": "POST", "reset": "POST", "requests": "GET",
		"requests/1": "GET", "events": "GET",
	} {
		for _, method := range []string{"PUT", "OPTIONS", "HEAD"} {
			r := f.control(method, path, "").wantHeader("Allow", allow)
			r.wantControlError(405, "UnsupportedHttpVerb", "")
		}
	}
}

func FuzzControl(f *testing.F) {
	for _, seed := range [][3]string{
		{"GET", "status", ""}, {"POST", "accounts", `{"name":"first1","access":"open"}`}, {"PATCH", "accounts/devstoreaccount1", `{"access":"strict"}`},
		{"POST", "accounts/devstoreaccount1/sas", `{"table":"abc","permissions":"r","expiresOn":"2030-01-01","ip":"1.2.3.4-::1","startRowKey":""}`},
		{"PATCH", "settings", `{"durability":"strict","permissiveCORS":true,"recordBodies":null}`}, {"GET", "dump?account=devstoreaccount1", ""},
		{"POST", "load", `{"@sandtable":"archive","version":1}`}, {"POST", "load?chunk=&last=true", "\n"}, {"POST", "load?chunk=MSAxIDE", "x"},
		{"POST", "reset", `{"what":"account","account":"devstoreaccount1"}`}, {"POST", "reset", ""}, {"GET", "requests?after=1&limit=0", ""},
		{"GET", "requests/1", ""}, {"DELETE", "accounts/devstoreaccount1", ""},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, method, path, body string) {
		f := newFixtureWith(t, func(o *options) { o.EventTime = time.Millisecond })
		f.do("GET", "/Tables", "")
		request := httptest.NewRequest("GET", "http://localhost:8080/", strings.NewReader(body))
		request.Method = method
		request.Header.Set("X-Sandtable", "test")
		request.URL.Path, request.URL.RawQuery, _ = strings.Cut("/_sandtable/"+path, "?")
		r := f.send(request)
		if r.status == 500 {
			t.Errorf("%s %s %s: %s", method, path, body, r.body)
		}
		if r.header.Get("Content-Type") == "application/json" && !json.Valid([]byte(r.body)) {
			t.Errorf("%s %s %s: %s", method, path, body, r.body)
		}
	})
}

// TestControlHosts: the control API is not served on the service's hosts, but is
// served on a page's own host that looks like an account's.
func TestControlHosts(t *testing.T) {
	f := newFixture(t)
	for _, host := range []string{testHost, "strictaccount.table.core.windows.net:443", "DevStoreAccount1.table.cosmos.azure.com", "unknown.table.core.chinacloudapi.cn"} {
		for _, path := range []string{"accounts", "accounts/devstoreaccount1/connection"} {
			r := f.do("GET", "https://"+host+"/_sandtable/"+path, "")
			if r.status < 400 || strings.Contains(r.body, "accounts\"") || strings.Contains(r.body, "AccountKey") {
				t.Errorf("%s/%s: %d %s", host, path, r.status, r.body)
			}
		}
		f.do("POST", "https://"+host+"/_sandtable/reset", "")
	}
	f.control("GET", "accounts/strictaccount", "").wantStatus(200)
	for _, host := range []string{"localhost:8080", "127.0.0.1:10002", "devstoreaccount1.github.io", "table.core.windows.net.example.com"} {
		f.do("GET", "https://"+host+"/_sandtable/accounts", "").wantStatus(200)
	}
}

// TestControlFolder: a page in a folder has the control API and the accounts there.
func TestControlFolder(t *testing.T) {
	f := newFixtureWith(t, func(o *options) { o.Folder = "/my%20site" })
	f.do("GET", "https://someone.github.io/my%20site/_sandtable/accounts", "").wantStatus(200)
	f.do("GET", "https://someone.github.io/my%20site/_sandtable/accounts/strictaccount", "").wantStatus(200)
	f.do("GET", "https://someone.github.io/my%20site/table/devstoreaccount1/Tables", "").wantStatus(200)
	for _, path := range []string{"/_sandtable/accounts", "/table/devstoreaccount1/Tables"} {
		if r := f.do("GET", "https://someone.github.io"+path, ""); r.status < 400 {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
}
