package xmldoc

import (
	"errors"
	"runtime"
	"strings"
	"testing"
)

// TestMemoryInProportion reads bodies of 4 MiB made of the smallest possible parts:
// reading allocates at most a small multiple of the body.
func TestMemoryInProportion(t *testing.T) {
	fill := func(head, part, tail string) []byte {
		return []byte(head + strings.Repeat(part, (4<<20-len(head)-len(tail))/len(part)) + tail)
	}
	parsePolicies := func(body []byte) error { _, err := ParsePolicies(body); return err }
	parseUpdate := func(body []byte) error { _, err := ParseUpdate(body); return err }
	for _, c := range []struct {
		name  string
		body  []byte
		parse func([]byte) error
		want  error
	}{
		{"identifiers", fill("<SignedIdentifiers>", "<a/>", "</SignedIdentifiers>"), parsePolicies, ErrDocument},
		{"fields of an identifier", fill("<SignedIdentifiers><SignedIdentifier>", "<Id/>", "</SignedIdentifier></SignedIdentifiers>"), parsePolicies, ErrDocument},
		{"text in parts", fill("<SignedIdentifiers><SignedIdentifier><Id>", "a<!---->", "</Id></SignedIdentifier></SignedIdentifiers>"), parsePolicies, ErrNodeValue},
		{"properties", fill("<StorageServiceProperties>", "<a/>", "</StorageServiceProperties>"), parseUpdate, ErrDocument},
		{"rules", fill("<StorageServiceProperties><Cors>", "<a/>", "</Cors></StorageServiceProperties>"), parseUpdate, ErrDocument},
		{"origins", fill("<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>", "a,", "</AllowedOrigins></CorsRule></Cors></StorageServiceProperties>"), parseUpdate, ErrNodeValue},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := c.parse(c.body)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			got := after.TotalAlloc - before.TotalAlloc
			if limit := 8 * uint64(len(c.body)); got > limit {
				t.Errorf("allocated %d bytes for a body of %d, want at most %d", got, len(c.body), limit)
			}
			t.Logf("%.1f bytes allocated per byte", float64(got)/float64(len(c.body)))
		})
	}
}
