package payload

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"sandtable/odata"
)

// fill repeats what part returns for 0, 1, 2 and so on, up to the service's
// largest body.
func fill(head, tail string, part func(i int) string) []byte {
	var b strings.Builder
	b.WriteString(head)
	for i := 0; b.Len() < odata.MaxBodySize-64; i++ {
		b.WriteString(part(i))
	}
	b.WriteString(tail)
	return []byte(b.String())
}

// allocated returns the bytes that decode allocates.
func allocated(decode func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	decode()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestMemoryInProportion decodes bodies of the largest size, made of the
// smallest parts that there are: what decoding allocates stays within a small
// multiple of the body.
func TestMemoryInProportion(t *testing.T) {
	const atomHead = `<entry xmlns="` + atomNamespace + `" xmlns:d="` + dataNamespace + `" xmlns:m="` + metadataNamespace + `"><content><m:properties>`
	const atomTail = `</m:properties></content></entry>`
	for _, c := range []struct {
		name string
		body []byte
		atom bool
		want error
	}{
		{"members", fill(`{"x":0`, "}", func(i int) string { return fmt.Sprintf(`,"%x":1`, i) }), false, odata.ErrTooManyProperties},
		{"nulls", fill(`{"x":0`, "}", func(i int) string { return fmt.Sprintf(`,"%x":null`, i) }), false, odata.ErrTooManyProperties},
		{"types without a value", fill(`{"x":0`, "}", func(i int) string { return fmt.Sprintf(`,"%x@odata.type":""`, i) }), false, odata.ErrTooManyProperties},
		{"metadata", fill(`{"x":0`, "}", func(i int) string { return fmt.Sprintf(`,"odata.%x":1`, i) }), false, nil},
		{"an array", fill(`{"x":[0`, "]}", func(int) string { return `,"\n\n"` }), false, ErrSyntax},
		{"escapes", fill(`{"x":"`, `"}`, func(int) string { return `\u00e9` }), false, nil},
		{"Atom elements", fill(atomHead, atomTail, func(i int) string { return fmt.Sprintf("<d:a%x/>", i) }), true, odata.ErrTooManyProperties},
		{"Atom nulls", fill(atomHead, atomTail, func(i int) string { return fmt.Sprintf(`<d:a%x m:null="true"/>`, i) }), true, odata.ErrTooManyProperties},
		{"Atom comments", fill(atomHead+"<d:a>", "</d:a>"+atomTail, func(int) string { return "a<!---->" }), true, nil},
		{"Atom references", fill(atomHead+"<d:a>", "</d:a>"+atomTail, func(int) string { return "&#9;" }), true, nil},
		{"Atom Base64 with white space", fill(atomHead+`<d:a m:type="Edm.Binary">`, "</d:a>"+atomTail, func(int) string { return "A A\nA A\t" }), true, nil},
		{"other elements", fill(atomHead, atomTail, func(int) string { return "<a/>" }), true, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			decode := DecodeEntity
			if c.atom {
				decode = DecodeAtomEntity
			}
			var err error
			got := allocated(func() { _, err = decode(c.body) })
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if limit := 8 * uint64(len(c.body)); got > limit {
				t.Errorf("allocated %d bytes for a body of %d, want at most %d", got, len(c.body), limit)
			}
			t.Logf("%.1f bytes allocated per byte", float64(got)/float64(len(c.body)))
		})
	}
}
