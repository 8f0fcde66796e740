package archive_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/engine/archive"
)

// FuzzLoad: no input panics, and whatever was loaded survives a dump and a load.
func FuzzLoad(f *testing.F) {
	whole := head + account + table + row + end(1, 1, 1)
	for _, seed := range []string{
		"", head, whole, whole[:len(whole)-1], strings.ReplaceAll(whole, `"name"`, `"Name"`),
		head + `{"@sandtable":"account","name":"first1","access":"strict","properties":"\u00e9","primaryKey":"AAAA","secondaryKey":null}`,
		head + account + `{"@sandtable":"table","name":"Some","policies":"<x/>"}` + "\n" +
			`{"PartitionKey":"p","RowKey":"","D@odata.type":"Edm.Double","D":"NaN","L":"7","L@odata.type":"Edm.Int64","Timestamp":"2024-01-01T00:00:00Z"}`,
	} {
		f.Add([]byte(seed))
	}
	db := openMemory(f)
	randomStore(f, db, rand.New(rand.NewPCG(5, 1)))
	f.Add([]byte(dump(f, db, archive.DumpOptions{Keys: true})))
	f.Fuzz(func(t *testing.T, text []byte) {
		from, err := engine.Open(new(engine.MemoryStorage), engine.Options{})
		must(t, err)
		report, err := archive.Load(bytes.NewReader(text), from, archive.LoadOptions{})
		options := archive.DumpOptions{Keys: true}
		want := dump(t, from, options)
		if err == nil && report.Accounts < strings.Count(want, `"@sandtable":"account"`) {
			t.Errorf("report %+v of\n%s", report, want)
		}
		to, err := engine.Open(new(engine.MemoryStorage), engine.Options{})
		must(t, err)
		if _, err := archive.Load(strings.NewReader(want), to, archive.LoadOptions{}); err != nil {
			t.Fatalf("load of\n%s\n%v", want, err)
		}
		if got := dump(t, to, options); withoutTimestamps(got) != withoutTimestamps(want) {
			t.Errorf("loaded\n%s\nwant\n%s", got, want)
		}
	})
}
