package archive_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/engine/archive"
	"sandtable/odata"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func openMemory(t testing.TB) *engine.DB {
	t.Helper()
	// Low enough that checkpoints happen.
	db, err := engine.Open(new(engine.MemoryStorage), engine.Options{CheckpointAfter: 64 << 10})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return db
}

func dump(t testing.TB, db *engine.DB, options archive.DumpOptions) string {
	t.Helper()
	var b bytes.Buffer
	missing, err := archive.Dump(&b, db, options)
	must(t, err)
	if len(missing) > 0 {
		t.Errorf("missing in the dump: %v", missing)
	}
	return b.String()
}

var timestamp = regexp.MustCompile(`(?m),"Timestamp":"[^"]*"}$`)

// withoutTimestamps removes what loading changes from a dump.
func withoutTimestamps(dump string) string { return timestamp.ReplaceAllString(dump, "}") }

// fill creates a table with entities, and its account if necessary.
func fill(t testing.TB, db *engine.DB, account, name string, entities ...*odata.Entity) {
	t.Helper()
	must(t, db.Update(func(tx *engine.Tx) error {
		if _, err := tx.Account(account); err != nil {
			must(t, tx.PutAccount(engine.Account{Name: account, Keys: [2][]byte{[]byte("first"), []byte("second")}}))
		}
		must(t, tx.CreateTable(account, name))
		table, err := tx.Table(account, name)
		must(t, err)
		table.SetRules(engine.EntityRules{Size: odata.MaxCosmosEntitySize, Properties: odata.MaxCosmosProperties, AsGiven: true})
		for _, e := range entities {
			_, err := table.Insert(e.Key(), e.Properties)
			must(t, err)
		}
		return nil
	}))
}

func entity(partition, row string, properties ...odata.Property) *odata.Entity {
	return &odata.Entity{PartitionKey: partition, RowKey: row, Properties: properties}
}

func property(name string, v odata.Value) odata.Property {
	return odata.Property{Name: name, Value: v}
}

// randomStore fills a store with everything that an archive can contain.
func randomStore(t testing.TB, db *engine.DB, r *rand.Rand) {
	t.Helper()
	for _, account := range []string{"first1", "second2", "third3"}[:1+r.IntN(3)] {
		must(t, db.Update(func(tx *engine.Tx) error {
			return tx.PutAccount(engine.Account{
				Name: account, Access: engine.Access(r.IntN(2)), Keys: [2][]byte{randomBytes(r)}, Properties: randomText(r),
			})
		}))
		for _, name := range []string{"Customers", "orders", "X99"}[:r.IntN(4)] {
			fill(t, db, account, name, randomEntities(r)...)
			must(t, db.Update(func(tx *engine.Tx) error {
				table, err := tx.Table(account, name)
				must(t, err)
				return table.SetPolicies(randomText(r))
			}))
		}
	}
}

func randomEntities(r *rand.Rand) []*odata.Entity {
	entities := make([]*odata.Entity, r.IntN(400))
	for i := range entities {
		key := strings.Map(func(c rune) rune {
			if c < ' ' || c >= 0x7F && c <= 0x9F || strings.ContainsRune(`/\#?`, c) {
				return '-'
			}
			return c
		}, randomText(r))
		e := entity(key, string(rune('a'+i%26))+key+string(rune(0x4E00+i)))
		names := []string{"Name", "account", "table", "sandtable", "überName", "_x", "end", "kind"}
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names[:r.IntN(len(names)+1)] {
			e.Properties = append(e.Properties, property(name, randomValue(r)))
		}
		entities[i] = e
	}
	return entities
}

func randomText(r *rand.Rand) string {
	parts := []string{"", "a", "\"", "\\", "\n", "\x00", "\u007f", "é", "日本", "😀", "{\"@sandtable\":\"end\"}", "\u2028", "\ufeff", "</x>"}
	var b strings.Builder
	for range r.IntN(6) {
		b.WriteString(parts[r.IntN(len(parts))])
	}
	return b.String()
}

func randomBytes(r *rand.Rand) []byte {
	b := make([]byte, 1+r.IntN(40))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func randomValue(r *rand.Rand) odata.Value {
	switch odata.Types()[r.IntN(len(odata.Types()))] {
	case odata.EdmBinary:
		return odata.BinaryValue(randomBytes(r))
	case odata.EdmBoolean:
		return odata.BooleanValue(r.IntN(2) == 0)
	case odata.EdmDateTime:
		d, _ := odata.ParseDateTime("2024-02-29T12:00:00Z")
		return odata.DateTimeValue(d + odata.DateTime(r.Int64N(1<<50)))
	case odata.EdmDouble:
		some := []float64{0, math.Copysign(0, -1), 3, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, 5e-324, r.NormFloat64()}
		return odata.DoubleValue(some[r.IntN(len(some))])
	case odata.EdmGuid:
		var g odata.Guid
		copy(g[:], randomBytes(r))
		return odata.GuidValue(g)
	case odata.EdmInt32:
		return odata.Int32Value(int32(r.Uint32()))
	case odata.EdmInt64:
		return odata.Int64Value(int64(r.Uint64()))
	}
	return odata.StringValue(randomText(r))
}
