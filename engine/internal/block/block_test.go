//go:build !js

// Fuzz tests need files, and a browser has none.

package block

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"sandtable/engine/internal/encoding"
	"sandtable/engine/samples"
	"sandtable/odata"
)

// finish returns the builder's block, encoded and opened.
func finish(t testing.TB, w *Builder) *Block {
	t.Helper()
	info, data := w.Finish(1, 2)
	b, err := Open(data, info)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func build(t testing.TB, entities []*odata.Entity) *Block {
	t.Helper()
	var w Builder
	for _, e := range entities {
		w.Add(e)
	}
	return finish(t, &w)
}

func sampleEntities() (entities []*odata.Entity) {
	for _, e := range samples.Entities() {
		entities = append(entities, &e)
	}
	return entities
}

// samplePayload returns a sound block without its frame. Some keys differ in one byte.
func samplePayload() []byte {
	var w Builder
	for _, e := range append(sampleEntities(), &odata.Entity{PartitionKey: "q", RowKey: "1"}, &odata.Entity{PartitionKey: "q", RowKey: "2"}) {
		w.Add(e)
	}
	_, data := w.Finish(1, 1)
	return data[encoding.FrameSize:]
}

// openAny frames and opens a payload, so that a fuzzer need not guess the checksum;
// nil if it is corrupt.
func openAny(t *testing.T, payload []byte, kind encoding.Kind) *Block {
	t.Helper()
	_, _ = Open(payload, Info{})
	data := encoding.Seal(append(encoding.Begin(nil), payload...), kind)
	info, err := Describe(data)
	if err != nil {
		return nil
	}
	b, err := Open(data, info)
	if err != nil {
		t.Fatalf("Describe accepts what Open refuses: %v", err)
	}
	return b
}

// readAll reads every entity in every way and checks that the results agree.
func readAll(t *testing.T, b *Block) (entities []*odata.Entity) {
	t.Helper()
	var r Row
	decoded := odata.Entity{Properties: []odata.Property{}} // so that no properties means empty, not nil
	for i := range b.Len() {
		e := b.Entity(i)
		r.Move(b, i)
		if found, ok := b.Search(e.Key()); !ok || found != i || r.Key() != e.Key() || b.Key(i) != e.Key() {
			t.Fatalf("%v is entity %d, found at %d", e.Key(), i, found)
		}
		for _, p := range e.Properties {
			want, _ := e.Property(p.Name)
			if got, ok := r.Property(p.Name); !ok || got != want {
				t.Fatalf("property %q is %v, want %v", p.Name, got, want)
			}
		}
		if _, ok := r.Property("no such property \x00"); ok {
			t.Fatal("found a property that does not exist")
		}
		if r.Decode(&decoded, nil); !reflect.DeepEqual(&decoded, e) {
			t.Fatalf("row decodes to %v, want %v", &decoded, e)
		}
		entities = append(entities, e)
	}
	return entities
}

func TestBlockReturnsWhatWasAdded(t *testing.T) {
	want := sampleEntities()
	got := readAll(t, build(t, want))
	for i, e := range want {
		if e.Properties == nil {
			e.Properties = []odata.Property{}
		}
		if !reflect.DeepEqual(got[i], e) {
			t.Errorf("entity %d is %v, want %v", i, got[i], e)
		}
	}
}

func TestBuilderCopiesRows(t *testing.T) {
	from := build(t, sampleEntities())
	var w Builder
	var r Row
	for i := range from.Len() {
		r.Move(from, i)
		w.AddRow(&r)
	}
	if got, want := readAll(t, finish(t, &w)), readAll(t, from); !reflect.DeepEqual(got, want) {
		t.Errorf("copied %v, want %v", got, want)
	}
}

func TestEntityOfAnySize(t *testing.T) {
	for n := range 20 {
		e := &odata.Entity{Properties: make([]odata.Property, n)}
		for i := range e.Properties {
			e.Properties[i] = odata.Property{Name: string(rune('a' + i)), Value: odata.Int32Value(int32(i))}
		}
		b := build(t, []*odata.Entity{e})
		if got := b.Entity(0); !reflect.DeepEqual(got, e) {
			t.Errorf("%d properties: got %v", n, got)
		}
		allocations := testing.AllocsPerRun(10, func() { b.Entity(0) })
		if n <= 16 && allocations != 1 {
			t.Errorf("%d properties: %v allocations, want 1", n, allocations)
		}
	}
}

func TestDecodeSelected(t *testing.T) {
	b := build(t, []*odata.Entity{{RowKey: "r", Properties: []odata.Property{
		{Name: "A", Value: odata.Int32Value(1)}, {Name: "B", Value: odata.StringValue("b")},
	}}})
	var r Row
	r.Move(b, 0)
	var e odata.Entity
	r.Decode(&e, []string{"B", "C"})
	if len(e.Properties) != 1 || e.Properties[0] != (odata.Property{Name: "B", Value: odata.StringValue("b")}) {
		t.Errorf("got %v, want only B", e.Properties)
	}
}

func TestOpenRefusesAnotherBlock(t *testing.T) {
	var w Builder
	for _, e := range sampleEntities() {
		w.Add(e)
	}
	info, data := w.Finish(1, 2)
	cases := map[string]func(*Info){
		"identity":  func(i *Info) { i.ID++ },
		"table":     func(i *Info) { i.Table++ },
		"count":     func(i *Info) { i.Count++ },
		"first key": func(i *Info) { i.First.RowKey += "x" },
	}
	for name, change := range cases {
		want := info
		change(&want)
		if _, err := Open(data, want); !errors.Is(err, encoding.ErrCorrupt) {
			t.Errorf("another %s: %v, want ErrCorrupt", name, err)
		}
	}
	if got, err := Describe(data); err != nil || got != info {
		t.Errorf("Describe returns %v, %v, want %v", got, err, info)
	}
}

// addChanged adds a payload, and what is left of it when one byte changes or its end is lost.
func addChanged(f *testing.F, payload []byte) {
	f.Add(payload)
	for i := range payload {
		f.Add(payload[:i:i])
		for _, b := range []byte{0, payload[i] - 1, payload[i] + 1, payload[i] ^ 0x80} {
			changed := bytes.Clone(payload)
			changed[i] = b
			f.Add(changed)
		}
	}
}

func FuzzOpen(f *testing.F) {
	addChanged(f, samplePayload())
	f.Fuzz(func(t *testing.T, payload []byte) {
		b := openAny(t, payload, encoding.Block)
		if b == nil {
			return
		}
		want := readAll(t, b)
		if got := readAll(t, build(t, want)); !reflect.DeepEqual(got, want) {
			t.Fatalf("encoding %v again gives %v", want, got)
		}
	})
}

// FuzzOpenDelta applies a delta of any form to a block, and reads what results.
func FuzzOpenDelta(f *testing.F) {
	var w Builder
	for i, e := range sampleEntities() {
		if i == 0 {
			e.Timestamp = Deleted
		}
		w.Add(e)
	}
	_, data := w.FinishDelta(2, 1, 1, 2)
	addChanged(f, data[encoding.FrameSize:])
	base := build(f, sampleEntities())
	f.Fuzz(func(t *testing.T, payload []byte) {
		if delta := openAny(t, payload, encoding.Delta); delta != nil {
			readAll(t, Apply(base, []*Block{delta}))
		}
	})
}
