package entities

import (
	"slices"
	"strings"

	"sandtable/odata"
)

// withKeys adds the keys to a $select: without them no row can be opened.
func withKeys(selects string) string {
	if strings.TrimSpace(selects) == "" || strings.TrimSpace(selects) == "*" {
		return selects
	}
	names := strings.Split(selects, ",")
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
	}
	for _, key := range []string{odata.PartitionKeyName, odata.RowKeyName} {
		if !slices.Contains(names, key) {
			names = append(names, key)
		}
	}
	return strings.Join(names, ",")
}
