package pgstore

import (
	"fmt"
	"strings"

	"sandtable/odata"
)

// maxKeyBytes is how long the two keys of an entity can be together as they are
// stored: an entry of a PostgreSQL index has at most 2,704 bytes, and the rest
// is overhead. Keys of ASCII characters always fit.
const maxKeyBytes = 2640

// A key is stored as UTF-8 with one change, which makes the order of the bytes
// that of UTF-16 code units (see [odata.Compare]): the first byte of U+E000 to
// U+FFFF, EE or EF, becomes FE or FF, which no UTF-8 has. So these characters
// come after the surrogate pairs.
const (
	leadLow, leadHigh     = 0xEE, 0xEF
	storedLow, storedHigh = 0xFE, 0xFF
)

// encodeKey returns the stored form of a partition key or a row key.
func encodeKey(key string) []byte { return shifted(key, leadLow, storedLow) }

// decodeKey is the inverse of [encodeKey].
func decodeKey(stored []byte) string { return string(shifted(string(stored), storedLow, leadLow)) }

// shifted replaces from by to, and the byte after from by the byte after to.
func shifted(text string, from, to byte) []byte {
	b := []byte(text)
	if strings.IndexByte(text, from) < 0 && strings.IndexByte(text, from+1) < 0 {
		return b
	}
	for i, c := range b {
		if c == from || c == from+1 {
			b[i] = c - from + to
		}
	}
	return b
}

// checkKey refuses a key that PostgreSQL cannot index.
func checkKey(key odata.Key) error {
	if len(key.PartitionKey)+len(key.RowKey) > maxKeyBytes {
		return fmt.Errorf("%w: PostgreSQL can index %d bytes of UTF-8", odata.ErrKeyOutOfRange, maxKeyBytes)
	}
	return nil
}

func tableKey(name string) []byte { return []byte(strings.ToLower(name)) }
