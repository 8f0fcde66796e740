package control_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server/control"
)

// TestSubscribeValues: changes contain the entity before and after for those who
// want it, and for nobody else.
func TestSubscribeValues(t *testing.T) {
	f := newFixture(t)
	f.createTable("things")
	f.insert("things", `{"PartitionKey":"p","RowKey":"r","A":1}`)
	plain, values := make(chan string, 10), make(chan string, 10)
	to := func(events chan string) func(control.Event) {
		return func(e control.Event) {
			if e.Kind == "change" {
				events <- string(e.Data)
			}
		}
	}
	f.Cleanup(f.handler.Subscribe(to(plain)))
	f.Cleanup(f.handler.SubscribeValues(to(values)))
	f.do("PUT", "/things(PartitionKey='p',RowKey='r')", `{"A":2,"B@odata.type":"Edm.Int64","B":"7","C":5.0}`).wantStatus(204)
	f.do("DELETE", "/things(PartitionKey='p',RowKey='r')", "", "If-Match: *").wantStatus(204)
	key := `"account":"devstoreaccount1","table":"things","partitionKey":"p","rowKey":"r"`
	first, second := `{"PartitionKey":"p","RowKey":"r","A":1}`, `{"PartitionKey":"p","RowKey":"r","A":2,"B@odata.type":"Edm.Int64","B":"7","C@odata.type":"Edm.Double","C":5.0}`
	for _, want := range []string{
		`{"kind":"updated",` + key + `,"before":` + first + `,"after":` + second + `}`,
		`{"kind":"deleted",` + key + `,"before":` + second + `}`,
	} {
		if got := <-values; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, kind := range []string{"updated", "deleted"} {
		if got, want := <-plain, `{"kind":"`+kind+`",`+key+`}`; got != want {
			t.Errorf("without values: got %s, want %s", got, want)
		}
	}
}

// TestValuesAfterReconnection: a reader of values gets those of the changes between two
// answers. If they were not kept, because no one wanted them then, it gets "lost", once.
func TestValuesAfterReconnection(t *testing.T) {
	for _, c := range []struct {
		name, before string // the query of the first answer
		events, kind string // of the second answer
	}{
		{"values wanted", "?values=true", "change", `"kind":"inserted"`},
		{"values not wanted", "", "lost", "{}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixtureWith(t, func(o *options) { o.EventTime = time.Second })
				f.createTable("things")
				first := f.control("GET", "events"+c.before, "").wantStatus(200).body
				_, id, _ := strings.Cut(first, "id: ")
				id, _, _ = strings.Cut(id, "\n")
				time.Sleep(time.Minute) // on the test's fake clock
				f.update(func(tx *engine.Tx) error {
					table, err := tx.Table(testAccount, "things")
					_, failed := table.Insert(odata.Key{PartitionKey: "p", RowKey: "1"}, nil)
					_, again := table.Insert(odata.Key{PartitionKey: "p", RowKey: "2"}, nil)
					return errors.Join(err, failed, again)
				})
				synctest.Wait() // until the events are there
				second := f.control("GET", "events?values=true&after="+id, "").wantStatus(200).body
				want := 2
				if c.events == "lost" {
					want = 1
				}
				if strings.Count(second, "event: "+c.events+"\n") != want || !strings.Contains(second, c.kind) ||
					strings.Count(second, `"after":{"PartitionKey":"p"`) != strings.Count(second, `"inserted"`) {
					t.Errorf("the second answer is %s", second)
				}
				f.handler.Close()
				f.db.Close()
			})
		})
	}
}

// TestPosition: a reader of changes alone learns its position while there are many
// requests and in the end, but not again without any.
func TestPosition(t *testing.T) {
	for _, c := range []struct{ requests, want int }{{0, 0}, {10, 1}, {1200, 3}} {
		t.Run(fmt.Sprint(c.requests), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFixtureWith(t, func(o *options) { o.EventTime = time.Second })
				received := make(chan string)
				go func() { received <- f.control("GET", "events?changes=true", "").body }()
				synctest.Wait() // until it listens
				for range c.requests {
					f.do("GET", "/Tables", "")
					synctest.Wait() // until it was read
				}
				if body := <-received; strings.Count(body, "event: position\n") != c.want {
					t.Errorf("want %d positions in %s", c.want, body)
				}
				f.handler.Close()
				f.db.Close()
			})
		})
	}
}

// TestJoinedEvents: consecutive changes in one partition are one event, and a reader
// can resume after any event.
func TestJoinedEvents(t *testing.T) { synctest.Test(t, testJoinedEvents) }

func testJoinedEvents(t *testing.T) {
	f := newFixtureWith(t, func(o *options) { o.EventTime = time.Second })
	f.createTable("things")
	read := func(query string) (data, ids []string) {
		for line := range strings.SplitSeq(f.control("GET", "events"+query, "").wantStatus(200).body, "\n") {
			if text, ok := strings.CutPrefix(line, "data: "); ok {
				data = append(data, text)
			}
			if text, ok := strings.CutPrefix(line, "id: "); ok {
				ids = append(ids, text)
			}
		}
		return data[1:], ids // without that of "start"
	}
	_, ids := read("")
	f.update(func(tx *engine.Tx) error {
		table, err := tx.Table(testAccount, "things")
		for _, key := range []odata.Key{{PartitionKey: "p", RowKey: "1"}, {PartitionKey: "p", RowKey: "2"}, {PartitionKey: "p", RowKey: "3"}, {PartitionKey: "q", RowKey: "4"}} {
			_, failed := table.Insert(key, nil)
			err = errors.Join(err, failed)
		}
		return errors.Join(err, table.Delete(odata.Key{PartitionKey: "q", RowKey: "4"}, engine.MustExist), tx.CreateTable(testAccount, "others"))
	})
	synctest.Wait() // until the events are there
	of := func(kind, rest string) string {
		return `{"kind":"` + kind + `","account":"devstoreaccount1","table":` + rest + `}`
	}
	want := []string{
		of("inserted", `"things","partitionKey":"p","rowKeys":["1","2","3"]`),
		of("inserted", `"things","partitionKey":"q","rowKeys":["4"]`),
		of("deleted", `"things","partitionKey":"q","rowKeys":["4"]`),
		of("tableCreated", `"others"`),
	}
	got, ids := read("?joined=true&after=" + ids[0])
	if !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	for i, id := range ids[:len(want)] {
		if got, _ := read("?joined=true&after=" + id); !slices.Equal(got, want[i:]) {
			t.Errorf("after event %d: got %q, want %q", i, got, want[i:])
		}
	}
	// Without requests a reader continues after those that it did not get.
	f.do("GET", "/things()", "").wantStatus(200)
	synctest.Wait()
	got, ids = read("?joined=true&changes=true&after=" + ids[0])
	if want := append(want, "{}"); !slices.Equal(got, want) { // the last is the position
		t.Errorf("without requests: got %q, want %q", got, want)
	}
	if got, _ := read("?after=" + ids[len(ids)-1]); len(got) > 0 {
		t.Errorf("after all: got %q", got)
	}
	f.control("GET", "events?joined=true&values=true", "").wantStatus(400)
	f.control("GET", "events?joined=yes", "").wantStatus(400)
	f.handler.Close()
	f.db.Close()
}
