package batch

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"sandtable/odata"
)

// TestMemoryInProportion reads batches of the largest size with the smallest possible
// parts: allocations stay within a small multiple of the body.
func TestMemoryInProportion(t *testing.T) {
	const (
		mediaType = "multipart/mixed; boundary=b"
		head      = "--b\nContent-Type: multipart/mixed; boundary=c\n\n"
		tail      = "--c--\n--b--\n"
	)
	fill := func(head, part, tail string) []byte {
		return []byte(head + strings.Repeat(part, (odata.MaxBodySize-len(head)-len(tail))/len(part)) + tail)
	}
	parse := func(body []byte) error { _, err := Parse(mediaType, body, odata.MaxBatchOperations); return err }
	responses := func(body []byte) error { _, err := ParseResponses(mediaType, body); return err }
	operation := func(fields string) string { return "--c\na: b\n\nPUT /T HTTP/1.1\n" + fields + "\n{}\n" }
	for _, c := range []struct {
		name string
		body []byte
		read func([]byte) error
		want error
	}{
		{"operations", fill(head, operation(""), tail), parse, nil},
		{"delimiters", fill(head, "--c\n", tail), parse, ErrOperation},
		{"blank lines", fill(head+"--c\n", "\n", tail), parse, ErrOperation},
		{"fields", fill(head+"--c\na: b\n\nPUT /T HTTP/1.1\n", "a:\n", tail), parse, ErrOperation},
		{"a folded field", fill(head+"--c\na: b\n\nPUT /T HTTP/1.1\na: b\n", " "+strings.Repeat("c", 1<<16)+"\n", tail), parse, ErrOperation},
		{"fields of every operation", fill(head, operation(strings.Repeat("a:\n", 98)), tail), parse, nil},
		{"fields that differ", fill(head, operation(strings.Repeat("a:\n", 98))+operation(strings.Repeat("b:\n", 98)), tail), parse, nil},
		{"responses", fill("", "--b\na: b\n\nHTTP/1.1 200\n\n", "--b--\n"), responses, ErrSyntax},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := c.read(c.body)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			got := after.TotalAlloc - before.TotalAlloc
			if limit := uint64(len(c.body)); got > limit {
				t.Errorf("allocated %d bytes for a body of %d, want at most %d", got, len(c.body), limit)
			}
			t.Logf("%.2f bytes allocated per byte", float64(got)/float64(len(c.body)))
		})
	}
}
