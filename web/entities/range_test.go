package entities

import (
	"strings"
	"testing"

	"sandtable/odata"
	"sandtable/web/control"
)

// TestStripOfKeysWithTo: " to " in a key is not the one between two keys.
func TestStripOfKeysWithTo(t *testing.T) {
	var partitions []control.Partition
	for i := range 2000 {
		partitions = append(partitions, control.Partition{Key: string(rune('A'+i)) + " to " + string(rune('B'+i)), Entities: 5})
	}
	parts, _ := strip(partitions, odata.KeyRange{})
	if got := parts[0].Name; !strings.HasPrefix(got, "A to B to ") {
		t.Errorf("the first part is %q", got)
	}
}
