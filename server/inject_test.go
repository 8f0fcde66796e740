package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/faults"
	"sandtable/server/nethttp"
)

// faulty returns a fixture with a table and these rules.
func faulty(t *testing.T, rules ...faults.Rule) *fixture {
	t.Helper()
	all := new(faults.Accounts)
	f := newFixtureWith(t, func(o *server.Options) { o.Faults = all })
	f.do("POST", "/Tables", `{"TableName":"Orders"}`).wantStatus(201)
	f.do("POST", "/Orders", `{"PartitionKey":"a","RowKey":"1"}`).wantStatus(201)
	f.records = nil
	for i := range rules {
		rules[i].On = true
		if rules[i].Operation == "" {
			rules[i].Operation = faults.Any
		}
		if err := rules[i].Check(); err != nil {
			t.Fatal(err)
		}
	}
	if err := all.Set(testAccount, faults.State{On: true, Seed: 1, Rules: rules}, false); err != nil {
		t.Fatal(err)
	}
	return f
}

// cut sends a request whose connection has to be closed without an answer.
func (f *fixture) cut(method, target, body string) {
	f.Helper()
	defer func() {
		if got := recover(); got != http.ErrAbortHandler {
			f.Errorf("%s %s: the connection was not cut: %v", method, target, got)
		}
	}()
	r := f.do(method, target, body)
	f.Errorf("%s %s: answered %d", method, target, r.status)
}

func (r *response) wantRefusal(status int, code string) {
	r.Helper()
	r.wantStatus(status)
	if !strings.Contains(r.body, `"code":"`+code+`"`) {
		r.Errorf("body %s, want the code %s", r.body, code)
	}
}

func (f *fixture) lastRecord() *server.Record {
	f.Helper()
	if len(f.records) == 0 {
		f.Fatal("no request was recorded")
	}
	return f.records[len(f.records)-1]
}

// TestFaultsOfOneTable: the table that a request creates is in its body, not in its path.
func TestFaultsOfOneTable(t *testing.T) {
	f := faulty(t, faults.Rule{Table: "invoices", Effect: faults.ServerBusy, Every: 1})
	f.do("POST", "/Tables", `{"TableName":"Customers"}`).wantStatus(201)
	f.do("POST", "/Orders", `{"PartitionKey":"a","RowKey":"2"}`).wantStatus(201)
	f.do("POST", "/Tables", `{"TableName":"Invoices"}`).wantRefusal(503, "ServerBusy")
	f.do("DELETE", "/Tables('Invoices')", "").wantRefusal(503, "ServerBusy")
	f.do("GET", "/Invoices", "").wantRefusal(503, "ServerBusy")
}

func TestFaultsRefuse(t *testing.T) {
	tests := []struct {
		effect faults.Effect
		status int
		code   string
	}{
		{faults.ServerBusy, 503, "ServerBusy"}, {faults.OperationTimedOut, 500, "OperationTimedOut"},
	}
	for _, test := range tests {
		t.Run(string(test.effect), func(t *testing.T) {
			f := faulty(t, faults.Rule{Operation: faults.AnyWrite, Effect: test.effect, Every: 2})
			f.do("POST", "/Orders", `{"PartitionKey":"a","RowKey":"2"}`).wantStatus(201)
			if r := f.lastRecord(); r.Fault.Rule != 0 {
				t.Errorf("a request that passed is marked with %+v", r.Fault)
			}
			f.do("POST", "/Orders", `{"PartitionKey":"a","RowKey":"3"}`).wantRefusal(test.status, test.code)
			if r := f.lastRecord(); r.Fault != (faults.Decision{Rule: 1, Effect: test.effect}) || r.Status != test.status || r.Operation != "Insert Entity" {
				t.Errorf("recorded %+v, status %d of %q", r.Fault, r.Status, r.Operation)
			}
			f.do("GET", "/Orders(PartitionKey='a',RowKey='3')", "").wantStatus(404)
		})
	}
}

// TestFaultsRefuseATransaction: the refusal is the answer to the whole request, which
// SDKs retry.
func TestFaultsRefuseATransaction(t *testing.T) {
	f := faulty(t, faults.Rule{Operation: "Entity Group Transaction", Effect: faults.ServerBusy, Every: 1, MaxHits: 1})
	body, kind := oneInsert("POST /Orders HTTP/1.1", `{"PartitionKey":"b","RowKey":"1"}`)
	f.do("POST", "/$batch", body, kind).wantRefusal(503, "ServerBusy")
	f.do("GET", "/Orders(PartitionKey='b',RowKey='1')", "").wantStatus(404)
	f.do("POST", "/$batch", body, kind).wantStatus(202)
	f.do("GET", "/Orders(PartitionKey='b',RowKey='1')", "").wantStatus(200)
}

// oneInsert returns a batch with one operation, and its Content-Type header.
func oneInsert(line, entity string) (body, kind string) {
	return "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\n" +
		"Content-Transfer-Encoding: binary\r\n\r\n" + line + "\r\nContent-Type: application/json\r\nAccept: application/json\r\n\r\n" +
		entity + "\r\n--c--\r\n--b--\r\n", "Content-Type: multipart/mixed; boundary=b"
}

func TestFaultsCutTheConnection(t *testing.T) {
	f := faulty(t, faults.Rule{Operation: faults.AnyWrite, Effect: faults.ConnectionCut, Every: 1})
	f.cut("POST", "/Orders", `{"PartitionKey":"a","RowKey":"2"}`)
	if r := f.lastRecord(); r.Status != 0 || r.Code != "" || len(r.ResponseBody) > 0 || len(r.ResponseHeader) > 0 || r.Fault.Effect != faults.ConnectionCut {
		t.Errorf("recorded %+v", r)
	}
	f.do("GET", "/Orders(PartitionKey='a',RowKey='2')", "").wantStatus(404)
}

// TestFaultsLoseTheAnswer: the change is durable, and the client learns nothing.
func TestFaultsLoseTheAnswer(t *testing.T) {
	f := faulty(t, faults.Rule{Operation: faults.AnyWrite, Effect: faults.AnswerLost, Every: 1, MaxHits: 2})
	f.cut("POST", "/Orders", `{"PartitionKey":"a","RowKey":"2"}`)
	if r := f.lastRecord(); r.Status != 201 || len(r.ResponseBody) == 0 || r.ResponseHeader.Get("Content-Type") == "" || r.Fault.Rule != 1 {
		t.Errorf("recorded %+v", r)
	}
	f.do("GET", "/Orders(PartitionKey='a',RowKey='2')", "").wantStatus(200)
	body, kind := oneInsert("POST /Orders HTTP/1.1", `{"PartitionKey":"b","RowKey":"1"}`)
	func() {
		defer func() {
			if got := recover(); got != http.ErrAbortHandler {
				t.Errorf("recovered %v", got)
			}
		}()
		f.do("POST", "/$batch", body, kind)
	}()
	f.do("GET", "/Orders(PartitionKey='b',RowKey='1')", "").wantStatus(200)
	f.do("POST", "/Orders", `{"PartitionKey":"a","RowKey":"2"}`).wantRefusal(409, "EntityAlreadyExists")
}

// TestFaultsDelay: a delayed request does not hold up others, and ends with its
// client.
func TestFaultsDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := faulty(t, faults.Rule{Operation: "Get Entity", Effect: faults.Latency, Every: 1, Median: 20 * time.Second, P99: 20 * time.Second})
		began := time.Now()
		f.do("GET", "/Orders(PartitionKey='a',RowKey='1')", "").wantStatus(200)
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("the request took %v", took)
		}
		gone, leave := context.WithCancel(t.Context())
		go func() {
			r := httptest.NewRequest("GET", "https://"+testHost+"/Orders(PartitionKey='a',RowKey='1')", nil)
			r.Header.Set("Accept", "application/json")
			nethttp.Serve(f.handler, httptest.NewRecorder(), r.WithContext(gone))
		}()
		synctest.Wait()
		f.do("GET", "/Orders()", "").wantStatus(200)
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("another request waited until %v", took)
		}
		leave()
		synctest.Wait()
		if r := f.lastRecord(); r.Status != 503 || r.Fault.Delay != 20*time.Second {
			t.Errorf("recorded %d, %+v", r.Status, r.Fault)
		}
	})
}

// TestFaultsThrottleQueries: a query counts for what it returns, in its partition.
func TestFaultsThrottleQueries(t *testing.T) {
	f := faulty(t, faults.Rule{Effect: faults.Throttle, Rate: 4, PerPartition: true})
	for _, row := range []string{"1", "2", "3", "4"} {
		f.do("POST", "/Orders", `{"PartitionKey":"b","RowKey":"`+row+`"}`).wantStatus(201)
	}
	query := "/Orders()?$filter=PartitionKey%20eq%20'b'"
	f.now = f.now.Add(time.Second)
	f.batchQuery(query).wantStatus(202)
	f.do("GET", query, "").wantRefusal(503, "ServerBusy")
	f.now = f.now.Add(2 * time.Second)
	f.do("GET", query, "").wantStatus(200)
	f.do("GET", query, "").wantRefusal(503, "ServerBusy")
	f.do("GET", "/Orders(PartitionKey='b',RowKey='1')", "").wantRefusal(503, "ServerBusy")
	f.do("GET", "/Orders(PartitionKey='a',RowKey='1')", "").wantStatus(200)
	f.do("GET", "/Orders()", "").wantStatus(200)
}

// TestFaultsLeaveOthersAlone: other accounts, requests that are refused anyway, and
// preflights.
func TestFaultsLeaveOthersAlone(t *testing.T) {
	f := faulty(t, faults.Rule{Effect: faults.ServerBusy, Every: 1})
	f.do("POST", "/Orders", `{`).wantStatus(400)
	f.do("POST", "/Orders", `{"PartitionKey":"a"}`).wantStatus(400)
	twice := insertPart("Orders", `{"PartitionKey":"a","RowKey":"2"}`)
	f.batch(twice, twice).wantFailure(400, "InvalidDuplicateRow", "1:The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.")
	f.do("PUT", "/Tables", "{}").wantStatus(405)
	f.do("GET", "https://strictaccount.table.core.windows.net/Tables", "").wantStatus(404)
	if r := f.lastRecord(); r.Fault.Rule != 0 {
		t.Errorf("recorded %+v", r.Fault)
	}
	f.do("GET", "/Tables", "").wantRefusal(503, "ServerBusy")
}

// TestFaultsMakeBatchQueriesStale: a query in a batch reads what one of its own does.
func TestFaultsMakeBatchQueriesStale(t *testing.T) {
	if *onPostgreSQL {
		t.Skip("a PostgreSQL database keeps no earlier state for the secondary endpoint")
	}
	f := faulty(t, faults.Rule{Effect: faults.StaleSecondary, Every: 1})
	if !f.handler.PinSecondary(testAccount) {
		t.Fatal("the store keeps no state")
	}
	f.insert("Orders", `{"PartitionKey":"a","RowKey":"2"}`)
	const entity = "/Orders(PartitionKey='a',RowKey='2')"
	f.do("GET", testSecondary+entity, "").wantStatus(404)
	f.queryBatch(testSecondary, entity).wantFailure(404, "ResourceNotFound", "0:"+textNotFound)
}

// TestStaleReadsHoldUpNothing: while one is running, the state of the secondary endpoint
// can be replaced and read.
func TestStaleReadsHoldUpNothing(t *testing.T) {
	if *onPostgreSQL {
		t.Skip("a PostgreSQL database keeps no earlier state for the secondary endpoint")
	}
	f := newFixture(t)
	f.handler.PinSecondary(testAccount)
	f.createTable("Later")
	tables := func(tx server.Tx) (n int) {
		if err := tx.Tables("", func(engine.TableInfo) bool { n++; return true }); err != nil {
			t.Error(err)
		}
		return n
	}
	err := f.handler.ViewStale(testAccount, func(old server.Tx) error {
		f.handler.PinSecondary(testAccount)
		if before := tables(old); before != 0 {
			t.Errorf("the running read sees %d tables, want 0", before)
		}
		return f.handler.ViewStale(testAccount, func(tx server.Tx) error {
			if n := tables(tx); n != 1 {
				t.Errorf("the next read sees %d tables, want 1", n)
			}
			f.handler.UnpinSecondary(testAccount)
			return nil
		})
	})
	if err != nil {
		t.Error(err)
	}
}
