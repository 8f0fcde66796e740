package server_test

import (
	"encoding/json"
	"strings"
	"testing"
)

func (f *fixture) control(method, path, body string) *response {
	f.Helper()
	return f.do(method, "http://localhost:8080/_sandtable/"+path, body)
}

func TestControlStatus(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"r"}`)
	f.control("GET", "status", "").wantStatus(200).wantHeader("Cache-Control", "no-store").
		wantBody(`{"build":"test","store":"memory","durability":"relaxed","accounts":2,"tables":1,"entities":1,"damage":[]}`)
}

func TestControlAccounts(t *testing.T) {
	f := newFixture(t)
	f.control("POST", "accounts", `{"name":"classroom"}`).wantStatus(201).wantBody(`{"name":"classroom","access":"open","tables":0}`)
	f.do("POST", "https://classroom.table.core.windows.net/Tables", `{"TableName":"lesson"}`).wantStatus(201)
	f.control("GET", "accounts", "").wantStatus(200).wantBody(`{"accounts":[{"name":"classroom","access":"open","tables":1},` +
		`{"name":"devstoreaccount1","access":"open","tables":0},{"name":"strictaccount","access":"strict","tables":0}]}`)
	f.control("DELETE", "accounts/classroom", "").wantStatus(204).wantBody("")
	f.do("GET", "https://classroom.table.core.windows.net/Tables", "").wantStatus(404)
}

func TestControlConnection(t *testing.T) {
	f := newFixture(t)
	r := f.control("GET", "accounts/strictaccount/connection", "").wantStatus(200)
	var c struct{ Account, Endpoint, SAS, ConnectionString, SASURL string }
	if err := json.Unmarshal([]byte(r.body), &c); err != nil {
		t.Fatal(err)
	}
	if c.Account != "strictaccount" || c.Endpoint != "https://strictaccount.table.core.windows.net" ||
		c.ConnectionString != "TableEndpoint="+c.Endpoint+";SharedAccessSignature="+c.SAS || c.SASURL != c.Endpoint+"/?"+c.SAS {
		t.Errorf("got %+v", c)
	}
	f.do("POST", c.Endpoint+"/Tables?"+c.SAS, `{"TableName":"lesson"}`).wantStatus(201)
	f.do("POST", c.Endpoint+"/lesson?"+c.SAS, `{"PartitionKey":"p","RowKey":"r"}`).wantStatus(201)
	f.do("PUT", c.Endpoint+"/lesson(PartitionKey='p',RowKey='r')?"+c.SAS, `{}`).wantStatus(204)
	f.do("DELETE", c.Endpoint+"/Tables('lesson')?"+c.SAS, "").wantStatus(204)
}

func TestControlRefused(t *testing.T) {
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		code                     string
	}{
		{"a bad name", "POST", "accounts", `{"name":"Bad-Name"}`, 400, "AccountNameInvalid"},
		{"a name that is taken", "POST", "accounts", `{"name":"devstoreaccount1"}`, 409, "AccountAlreadyExists"},
		{"no JSON", "POST", "accounts", `name`, 400, "InvalidInput"},
		{"no such account", "GET", "accounts/nobody/connection", "", 404, "ResourceNotFound"},
		{"no such account to delete", "DELETE", "accounts/nobody", "", 404, "ResourceNotFound"},
		{"no such address", "GET", "nothing", "", 404, "ResourceNotFound"},
		{"another method", "PUT", "status", "{}", 405, "UnsupportedHttpVerb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newFixture(t).control(c.method, c.path, c.body).wantStatus(c.status)
			if !strings.Contains(r.body, `"code":"`+c.code+`"`) {
				t.Errorf("body %s", r.body)
			}
		})
	}
}
