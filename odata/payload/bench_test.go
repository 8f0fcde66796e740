package payload

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sandtable/odata"
)

// page returns a page of typical entities: short strings, numbers, a date, a GUID.
func page(t testing.TB, rows int) []*odata.Entity {
	t.Helper()
	es := make([]*odata.Entity, rows)
	for i := range es {
		e := sample(t)
		e.RowKey = fmt.Sprintf("row-%06d", i)
		e.Properties[1].Value = odata.StringValue(fmt.Sprintf("person number %d of this table", i))
		es[i] = e
	}
	return es
}

func BenchmarkAppendEntities(b *testing.B) {
	es := page(b, 1000)
	for _, level := range []Level{NoMetadata, MinimalMetadata, FullMetadata} {
		b.Run(level.String(), func(b *testing.B) {
			c := context(level)
			buf := c.AppendEntities(nil, "people", slices.Values(es))
			b.SetBytes(int64(len(buf)))
			b.ReportAllocs()
			for b.Loop() {
				buf = c.AppendEntities(buf[:0], "people", slices.Values(es))
			}
		})
	}
}

func BenchmarkAppendEntitiesSelect(b *testing.B) {
	es := page(b, 1000)
	c := selecting(MinimalMetadata, "RowKey,age,sex,missing")
	buf := c.AppendEntities(nil, "people", slices.Values(es))
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		buf = c.AppendEntities(buf[:0], "people", slices.Values(es))
	}
}

// Only non-ASCII text, where every character is escaped.
func BenchmarkAppendEntitiesEscaped(b *testing.B) {
	es := page(b, 1000)
	for _, e := range es {
		e.Properties[1].Value = odata.StringValue(strings.Repeat("表ストレージ", 20))
	}
	c := context(MinimalMetadata)
	buf := c.AppendEntities(nil, "people", slices.Values(es))
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		buf = c.AppendEntities(buf[:0], "people", slices.Values(es))
	}
}

func BenchmarkDecodeEntity(b *testing.B) {
	body := AppendRequest(nil, sample(b))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeEntity(body); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeEntitiesResponse(b *testing.B) {
	c := context(MinimalMetadata)
	body := c.AppendEntities(nil, "people", slices.Values(page(b, 1000)))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeEntitiesResponse(body); err != nil {
			b.Fatal(err)
		}
	}
}
