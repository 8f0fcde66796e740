//go:build !js

package transfer_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/connection"
	"sandtable/server"
	"sandtable/server/auth"
	"sandtable/server/nethttp"
	"sandtable/server/transfer"
)

// endpoint is a server in memory, and a client of it.
type endpoint struct {
	*transfer.Client
	db *engine.DB
}

func newEndpoint(t *testing.T, account string) *endpoint {
	t.Helper()
	db, err := engine.Open(new(engine.MemoryStorage), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	key := []byte("the key of " + account)
	err = db.Update(func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: account, Keys: [2][]byte{key}}) })
	if err != nil {
		t.Fatal(err)
	}
	return &endpoint{&transfer.Client{
		Endpoint: connection.Endpoint{URL: "http://127.0.0.1/" + account, Account: account, Key: key},
		HTTP:     transfer.OverHandler(nethttp.Handler(server.New(db, server.Options{}))), RetryFor: time.Minute,
	}, db}
}

// insert adds entities to a table, which it creates.
func (e *endpoint) insert(t *testing.T, table string, entities ...*odata.Entity) {
	t.Helper()
	err := e.db.Update(func(tx *engine.Tx) error {
		if err := tx.CreateTable(e.Account, table); err != nil && err != engine.ErrTableExists {
			return err
		}
		to, err := tx.Table(e.Account, table)
		if err != nil {
			return err
		}
		for _, entity := range entities {
			if _, err := to.Replace(entity.Key(), entity.Properties, engine.Upsert); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func entity(partition, row string, properties ...odata.Property) *odata.Entity {
	return &odata.Entity{PartitionKey: partition, RowKey: row, Properties: properties}
}

func property(name string, value odata.Value) odata.Property {
	return odata.Property{Name: name, Value: value}
}

// allTypes has a value at the edge of every type.
func allTypes(partition, row string) *odata.Entity {
	return entity(partition, row,
		property("Binary", odata.BinaryValue([]byte{0, 0xFF, '"'})), property("True", odata.BooleanValue(true)), property("False", odata.BooleanValue(false)),
		property("Whole", odata.DoubleValue(5)), property("NaN", odata.DoubleValue(math.NaN())), property("Infinite", odata.DoubleValue(math.Inf(-1))),
		property("Tiny", odata.DoubleValue(5e-324)), property("Negative", odata.DoubleValue(math.Copysign(0, -1))),
		property("Guid", odata.GuidValue(odata.Guid{0xDE, 0xAD, 15: 1})), property("Int32", odata.Int32Value(math.MinInt32)), property("Int64", odata.Int64Value(math.MaxInt64)),
		property("Small", odata.Int64Value(5)), property("Text", odata.StringValue("a\u0000\u2028\"\\\U0001F600")), property("Empty", odata.StringValue("")),
		property("First", odata.DateTimeValue(odata.MinDateTime)), property("Ticks", odata.DateTimeValue(odata.DateTimeOf(time.Unix(1, 100)))),
	)
}

// fill gives an endpoint three tables: of all types and odd keys, of many
// partitions, and without entities.
func fill(t *testing.T, e *endpoint) (entities int) {
	t.Helper()
	for _, key := range []string{"", "a b", "50%", "it's", "\U0001F600", "\uE000", "ä", "a+b&c=d", "{}[]"} {
		e.insert(t, "Types", allTypes(key, "r"), allTypes("p", key))
		entities += 2
	}
	var many []*odata.Entity
	for i := range 2500 {
		many = append(many, entity(fmt.Sprintf("p%d", i%7), fmt.Sprintf("%05d", i), property("N", odata.Int32Value(int32(i)))))
	}
	e.insert(t, "Many", many...)
	e.insert(t, "Empty")
	return entities + len(many)
}

// differences compares two endpoints.
func differences(t *testing.T, from, to *endpoint, options transfer.Options) (all []string) {
	t.Helper()
	_, err := transfer.Compare(t.Context(), from.Client, to.Client, options, func(d transfer.Difference) bool {
		all = append(all, d.String())
		return len(all) < 10
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestCopy(t *testing.T) {
	from, to := newEndpoint(t, "source"), newEndpoint(t, "target")
	want := fill(t, from)
	did, err := transfer.Copy(t.Context(), from.Client, to.Client, transfer.Options{})
	if err != nil || did.Tables != 3 || did.Entities != want {
		t.Fatalf("copied %+v, %v; want 3 tables and %d entities", did, err, want)
	}
	if did.Transactions > 18+7*5 {
		t.Errorf("%d transactions are too many", did.Transactions)
	}
	if found := differences(t, from, to, transfer.Options{}); len(found) > 0 {
		t.Errorf("the copy differs: %q", found)
	}
	if found := differences(t, to, from, transfer.Options{}); len(found) > 0 {
		t.Errorf("the source has what the copy lacks: %q", found)
	}
}

// TestManyTables: an account has more tables than a page of their list.
func TestManyTables(t *testing.T) {
	from, to := newEndpoint(t, "source"), newEndpoint(t, "target")
	const count = odata.MaxPageSize + 1
	for i := range count {
		from.insert(t, fmt.Sprintf("Table%04d", i))
	}
	from.insert(t, "Table1000", entity("p", "1"))
	if did, err := transfer.Copy(t.Context(), from.Client, to.Client, transfer.Options{}); err != nil || did.Tables != count || did.Entities != 1 {
		t.Errorf("copied %+v, %v; want %d tables and an entity", did, err, count)
	}
}

// TestCompare finds each kind of difference, types included.
func TestCompare(t *testing.T) {
	from, to := newEndpoint(t, "source"), newEndpoint(t, "target")
	from.insert(t, "Table", entity("p", "1"), entity("p", "2", property("N", odata.Int32Value(5))), entity("p", "4", property("N", odata.DoubleValue(5))))
	to.insert(t, "Table", entity("p", "2", property("N", odata.Int64Value(5))), entity("p", "3"), entity("p", "4", property("N", odata.DoubleValue(5))))
	from.insert(t, "Missing", entity("p", "1"))
	got := strings.Join(differences(t, from, to, transfer.Options{}), "\n")
	const want = `table Missing: only in the source
Table("p", "1"): only in the source
Table("p", "2"): properties differ
Table("p", "3"): only in the target`
	if got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
}

// TestSelection copies some tables and some entities, and nothing in a dry run.
func TestSelection(t *testing.T) {
	from, to := newEndpoint(t, "source"), newEndpoint(t, "target")
	fill(t, from)
	options := transfer.Options{Tables: func(name string) bool { return name == "Many" }, Filter: "PartitionKey eq 'p1' and N lt 100", DryRun: true}
	did, err := transfer.Copy(t.Context(), from.Client, to.Client, options)
	if err != nil || did.Entities != 15 || did.Transactions != 1 {
		t.Errorf("the dry run found %+v, %v", did, err)
	}
	if tables, err := to.Tables(t.Context()); err != nil || len(tables) > 0 {
		t.Errorf("the dry run created %q, %v", tables, err)
	}
	options.DryRun = false
	if did, err = transfer.Copy(t.Context(), from.Client, to.Client, options); err != nil || did.Entities != 15 {
		t.Errorf("copied %+v, %v", did, err)
	}
	if found := differences(t, from, to, options); len(found) > 0 {
		t.Errorf("the copy differs: %q", found)
	}
}

// TestCompareByTimestamp: what a filter selects by its Timestamp has another one in the
// target, or none in a file, and other entities of the target do not matter.
func TestCompareByTimestamp(t *testing.T) {
	from := newEndpoint(t, "source")
	from.insert(t, "Table", entity("p", "1"), entity("p", "3"))
	stored, _, err := from.Page(t.Context(), "Table", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, filter := range []string{"Timestamp gt datetime'2000-01-01T00:00:00Z'", "not (Timestamp gt datetime'" + stored[1].Timestamp.String() + "')"} {
		t.Run(filter, func(t *testing.T) {
			to, options := newEndpoint(t, "target"), transfer.Options{Filter: filter}
			to.insert(t, "Table", entity("p", "2"), entity("p", "4"))
			if did, err := transfer.Copy(t.Context(), from.Client, to.Client, options); err != nil || did.Entities != 2 {
				t.Fatalf("copied %+v, %v", did, err)
			}
			if found := differences(t, from, to, options); len(found) > 0 {
				t.Errorf("the copy differs: %q", found)
			}
			file := &transfer.NewFile{File: transfer.File{Path: filepath.Join(t.TempDir(), "Table.csv"), Table: "Table"}}
			_, err := transfer.Copy(t.Context(), from.Client, file, options)
			if err := errors.Join(err, file.Finish(t.Context())); err != nil {
				t.Fatal(err)
			}
			var found []string
			if _, err := transfer.Compare(t.Context(), from.Client, &file.File, options, collect(&found)); err != nil || len(found) > 0 {
				t.Errorf("the file differs: %q, %v", found, err)
			}
		})
	}
}

// TestRefused: an error that stays ends the copy at once, and has no secret.
func TestRefused(t *testing.T) {
	from, to := newEndpoint(t, "source"), newEndpoint(t, "target")
	fill(t, from)
	to.Key = []byte("another key")
	begin := time.Now()
	_, err := transfer.Copy(t.Context(), from.Client, to.Client, transfer.Options{})
	if !transfer.IsStatus(err, 403) || !strings.Contains(err.Error(), "AuthenticationFailed") || time.Since(begin) > 10*time.Second {
		t.Errorf("the copy ended with %v", err)
	}
}

// TestLargeEntities fit into transactions by their size.
func TestLargeEntities(t *testing.T) {
	from, to := newEndpoint(t, "source"), newEndpoint(t, "target")
	text := odata.StringValue(strings.Repeat("\u0001", 30_000)) // six bytes each in JSON
	for row := range 12 {
		e := entity("p", fmt.Sprint(row))
		for i := range 8 {
			e.Properties = append(e.Properties, property(fmt.Sprintf("P%d", i), text))
		}
		from.insert(t, "Large", e)
	}
	did, err := transfer.Copy(t.Context(), from.Client, to.Client, transfer.Options{})
	if err != nil || did.Transactions < 2 {
		t.Fatalf("%+v, %v", did, err)
	}
	if found := differences(t, from, to, transfer.Options{}); len(found) > 0 {
		t.Errorf("the copy differs: %q", found)
	}
}

// TestWithSASOfTable copies the one table that a signature reaches, from an address
// that names it.
func TestWithSASOfTable(t *testing.T) {
	from, to := newEndpoint(t, "source"), newEndpoint(t, "target")
	fill(t, from)
	sas, err := auth.SAS{Table: "Many", Permissions: "r", Expiry: time.Now().Add(time.Hour)}.Sign(from.Account, from.Key)
	if err != nil {
		t.Fatal(err)
	}
	if from.Endpoint, err = connection.Parse(from.URL + "/Many?" + sas); err != nil {
		t.Fatal(err)
	}
	did, err := transfer.Copy(t.Context(), from.Client, to.Client, transfer.Options{})
	if err != nil || did.Tables != 1 || did.Entities != 2500 {
		t.Errorf("%+v, %v", did, err)
	}
}

// TestWithSAS reads with one signature and writes with another, and no error
// shows them.
func TestWithSAS(t *testing.T) {
	from, to := newEndpoint(t, "source"), newEndpoint(t, "target")
	fill(t, from)
	for _, e := range []*endpoint{from, to} {
		e.SAS, e.Key = auth.AccountSAS(e.Account, e.Key, time.Now().Add(time.Hour)), nil
	}
	if _, err := transfer.Copy(t.Context(), from.Client, to.Client, transfer.Options{}); err != nil {
		t.Fatal(err)
	}
	if found := differences(t, from, to, transfer.Options{}); len(found) > 0 {
		t.Errorf("the copy differs: %q", found)
	}
	from.RetryFor = 0
	from.failWith(func(int64, *http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF })
	_, err := transfer.Copy(t.Context(), from.Client, to.Client, transfer.Options{})
	if err == nil || strings.Contains(err.Error(), "sig=") {
		t.Errorf("the error is %v", err)
	}
}
