//go:build !js

package block

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"sandtable/engine/internal/encoding"
	"sandtable/odata"
)

// TestApply compares blocks with random deltas with a plain map.
func TestApply(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		want := make(map[odata.Key]*odata.Entity)
		entities := func(n int, deletes bool) (list []*odata.Entity) {
			for range n {
				e := &odata.Entity{
					PartitionKey: fmt.Sprint("p", random.IntN(3)), RowKey: fmt.Sprint(random.IntN(40)),
					Timestamp: odata.DateTime(random.Int64N(1000)), Properties: []odata.Property{},
				}
				for i := range random.IntN(4) {
					e.Properties = append(e.Properties, odata.Property{Name: fmt.Sprint("P", i), Value: odata.Int32Value(random.Int32())})
				}
				if slices.ContainsFunc(list, func(other *odata.Entity) bool { return other.Key() == e.Key() }) {
					continue
				}
				list = append(list, e)
				want[e.Key()] = e
				if deletes && random.IntN(3) == 0 {
					*e = odata.Entity{PartitionKey: e.PartitionKey, RowKey: e.RowKey, Timestamp: Deleted}
					delete(want, e.Key())
				}
			}
			slices.SortFunc(list, func(a, b *odata.Entity) int { return a.Key().Compare(b.Key()) })
			return list
		}
		base := build(t, entities(1+random.IntN(60), false))
		var deltas []*Block
		for range random.IntN(6) {
			deltas = append(deltas, build(t, entities(1+random.IntN(20), true)))
		}
		got := Apply(base, deltas)
		if got.Len() != len(want) {
			t.Fatalf("seed %d: %d entities, want %d", seed, got.Len(), len(want))
		}
		for i, key := range slices.SortedFunc(maps.Keys(want), odata.Key.Compare) {
			if e := got.Entity(i); !reflect.DeepEqual(e, want[key]) || got.Key(i) != key {
				t.Fatalf("seed %d: entity %d is %v, want %v", seed, i, e, want[key])
			}
		}
		readAll(t, got)
	}
}

func TestOpenRefusesDelta(t *testing.T) {
	var w Builder
	w.Add(sampleEntities()[0])
	info, data := w.FinishDelta(7, 2, 5, 20)
	if got, err := Describe(data); err != nil || got != info {
		t.Errorf("Describe returns %v, %v, want %v", got, err, info)
	}
	for name, want := range map[string]Info{
		"another base":  {ID: 7, Table: 2, Base: 6, Count: 20},
		"another count": {ID: 7, Table: 2, Base: 5, Count: 21},
		"as a block":    {ID: 7, Table: 2, Count: 1, First: sampleEntities()[0].Key()},
	} {
		if _, err := Open(data, want); !errors.Is(err, encoding.ErrCorrupt) {
			t.Errorf("%s: %v, want ErrCorrupt", name, err)
		}
	}
	for name, payload := range map[string][]byte{
		"empty":          nil,
		"too short":      make([]byte, deltaEnd-1),
		"without a base": append(data[encoding.FrameSize:len(data)-deltaEnd:len(data)-deltaEnd], make([]byte, deltaEnd)...),
	} {
		if _, err := Describe(encoding.Seal(append(encoding.Begin(nil), payload...), encoding.Delta)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
