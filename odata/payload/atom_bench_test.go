package payload

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sandtable/odata/xmlscan"
)

func BenchmarkAtomAppendEntities(b *testing.B) {
	es := page(b, 1000)
	a := atom(b)
	buf := a.AppendEntities(nil, "people", slices.Values(es))
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		buf = a.AppendEntities(buf[:0], "people", slices.Values(es))
	}
}

func BenchmarkDecodeAtomEntity(b *testing.B) {
	a := atom(b)
	body := a.AppendEntity(nil, "people", sample(b))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeAtomEntity(body); err != nil {
			b.Fatal(err)
		}
	}
}

// Bodies that are slow to read if anything in the scanner is worse than linear:
// the time per byte should be about the same for all.
func BenchmarkDecodeAtomEntityHostile(b *testing.B) {
	const size = 1 << 20
	var declarations strings.Builder
	for i := range xmlscan.MaxBindings - 3 {
		fmt.Fprintf(&declarations, ` xmlns:p%d="u"`, i)
	}
	var manyAttributes strings.Builder
	for i := range xmlscan.MaxAttributes {
		fmt.Fprintf(&manyAttributes, ` a%d=""`, i)
	}
	entry := func(inner string) string {
		return `<entry xmlns="` + atomNamespace + `" xmlns:m="` + metadataNamespace + `" xmlns:d="` + dataNamespace + `"` + declarations.String() + `>` + inner + `</entry>`
	}
	var names strings.Builder
	for i := range size / 16 {
		fmt.Fprintf(&names, `<d:x%07d />`, i)
	}
	for name, inner := range map[string]string{
		"elements":   strings.Repeat("<a/>", size/4),
		"prefixes":   strings.Repeat("<m:a/>", size/6),
		"comments":   strings.Repeat("<!---->", size/7),
		"references": strings.Repeat("&lt;", size/4),
		"ampersands": strings.Repeat("&amp", size/4),
		"attributes": strings.Repeat("<a"+manyAttributes.String()+"/>", size/manyAttributes.Len()),
		"properties": "<content><m:properties>" + names.String() + "</m:properties></content>",
		"parts":      "<content><m:properties><d:a>" + strings.Repeat("a<!---->", size/8) + "</d:a></m:properties></content>",
	} {
		b.Run(name, func(b *testing.B) {
			body := []byte(entry(inner))
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				_, _ = DecodeAtomEntity(body)
			}
		})
	}
}
