package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
	"sandtable/server/nethttp"
	"sandtable/server/servertest"
)

// The handler's cost is "through the handler" minus "engine alone".

// sink discards a response.
type sink struct {
	header http.Header
	size   int
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(int)             {}
func (s *sink) Write(b []byte) (int, error) { s.size += len(b); return len(b), nil }

func benchHandler(b *testing.B, entities int) (*server.Handler, *engine.DB) {
	b.Helper()
	db, err := engine.Open(new(engine.MemoryStorage), engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	err = db.Update(func(tx *engine.Tx) error {
		if err := tx.PutAccount(engine.Account{Name: testAccount, Keys: [2][]byte{testKey}, Access: engine.OpenAccess}); err != nil {
			return err
		}
		if err := tx.CreateTable(testAccount, "things"); err != nil {
			return err
		}
		table, err := tx.Table(testAccount, "things")
		if err != nil {
			return err
		}
		for i := range entities {
			if _, err := table.Insert(odata.Key{PartitionKey: "p", RowKey: fmt.Sprintf("%08d", i)}, benchProperties(i)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return server.New(db, server.Options{}), db
}

func benchProperties(i int) []odata.Property {
	return []odata.Property{
		{Name: "Name", Value: odata.StringValue("Amara Okafor")}, {Name: "Age", Value: odata.Int32Value(int32(i % 90))},
		{Name: "Balance", Value: odata.DoubleValue(float64(i) * 1.25)}, {Name: "Active", Value: odata.BooleanValue(i%2 == 0)},
		{Name: "Visits", Value: odata.Int64Value(int64(i) * 1e9)},
		{Name: "Since", Value: odata.DateTimeValue(odata.DateTimeOf(time.Date(2024, 4, 13, 8, 33, 0, 0, time.UTC)))},
	}
}

func benchRequest(method, target, accept string) *http.Request {
	r := httptest.NewRequest(method, "https://"+testHost+target, nil)
	r.Header.Set("Accept", accept)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Prefer", "return-no-content")
	r.Header.Set("x-ms-version", testVersion)
	return r
}

const minimal = "application/json;odata=minimalmetadata"

func BenchmarkPointRead(b *testing.B) {
	handler, db := benchHandler(b, 100_000)
	b.Run("through the handler", func(b *testing.B) {
		r := benchRequest("GET", "/things(PartitionKey='p',RowKey='00050000')", minimal)
		b.ReportAllocs()
		for b.Loop() {
			nethttp.Serve(handler, &sink{header: http.Header{}}, r)
		}
	})
	b.Run("signed", func(b *testing.B) {
		r := benchRequest("GET", "/things(PartitionKey='p',RowKey='00050000')", minimal)
		servertest.Sign(r, testAccount, testKey, time.Now())
		b.ReportAllocs()
		for b.Loop() {
			nethttp.Serve(handler, &sink{header: http.Header{}}, r)
		}
	})
	b.Run("engine alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = db.View(func(tx *engine.Tx) error {
				table, err := tx.Table(testAccount, "things")
				if err != nil {
					return err
				}
				_, err = table.Get(odata.Key{PartitionKey: "p", RowKey: "00050000"})
				return err
			})
		}
	})
}

func BenchmarkInsert(b *testing.B) {
	handler, db := benchHandler(b, 0)
	b.Run("through the handler", func(b *testing.B) {
		r := benchRequest("POST", "/things", minimal)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			body := fmt.Sprintf(`{"PartitionKey":"h%d","RowKey":"%08d","Name":"Amara Okafor","Age":21,"Balance":411.75,"Active":true,"Visits":"9007199254740993","Visits@odata.type":"Edm.Int64","Since":"2024-04-13T08:33:00Z","Since@odata.type":"Edm.DateTime"}`, b.N, i)
			r.Body, r.ContentLength = readCloser{strings.NewReader(body)}, int64(len(body))
			nethttp.Serve(handler, &sink{header: http.Header{}}, r)
		}
	})
	b.Run("engine alone", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			_ = db.Update(func(tx *engine.Tx) error {
				table, err := tx.Table(testAccount, "things")
				if err != nil {
					return err
				}
				_, err = table.Insert(odata.Key{PartitionKey: fmt.Sprint("e", b.N), RowKey: fmt.Sprintf("%08d", i)}, benchProperties(i))
				return err
			})
		}
	})
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

func BenchmarkPageOf1000(b *testing.B) {
	handler, db := benchHandler(b, 10_000)
	for _, level := range []string{"nometadata", "minimalmetadata", "fullmetadata"} {
		b.Run("through the handler, "+level, func(b *testing.B) {
			r := benchRequest("GET", "/things()", "application/json;odata="+level)
			b.ReportAllocs()
			for b.Loop() {
				w := &sink{header: http.Header{}}
				nethttp.Serve(handler, w, r)
				b.SetBytes(int64(w.size))
			}
		})
	}
	b.Run("engine alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = db.View(func(tx *engine.Tx) error {
				table, err := tx.Table(testAccount, "things")
				if err != nil {
					return err
				}
				rows := table.Query(engine.Query{Limit: 1000})
				defer rows.Close()
				for rows.Next() {
					rows.Row()
				}
				return rows.Err()
			})
		}
	})
}

func BenchmarkBatchOf100(b *testing.B) {
	handler, _ := benchHandler(b, 0)
	var operations []string
	for i := range 100 {
		operations = append(operations, part("PUT", fmt.Sprintf("/things(PartitionKey='p',RowKey='%08d')", i), `{"Name":"Amara Okafor","Age":21,"Balance":411.75,"Active":true}`, fmt.Sprint("Content-ID: ", i)))
	}
	body := changeset(operations...)
	r := benchRequest("POST", "/$batch", minimal)
	r.Header.Set("Content-Type", "multipart/mixed; boundary=batch_1")
	b.ReportAllocs()
	for b.Loop() {
		r.Body, r.ContentLength = readCloser{strings.NewReader(body)}, int64(len(body))
		nethttp.Serve(handler, &sink{header: http.Header{}}, r)
	}
}
