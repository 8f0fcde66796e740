package keydesign

import (
	"time"

	"sandtable/web/control"
)

// MaxGroups is how many bars a map of partitions has at most.
const MaxGroups = 48

// Group is neighbouring partitions that a map shows as one: a single one as long as
// there is space.
type Group struct {
	Partitions      []control.Partition
	Entities, Bytes int
	Requests        int // of the last minute
	Hot             bool
}

// First returns the first partition.
func (g Group) First() control.Partition { return g.Partitions[0] }

// Groups returns the partitions, in key order, as at most MaxGroups groups with
// their traffic.
func Groups(all []control.Partition, t *Traffic, now time.Time) (groups []Group) {
	hot := map[string]Busy{}
	for _, b := range t.Busiest(now) {
		hot[b.Key] = b
	}
	each := (len(all) + MaxGroups - 1) / MaxGroups
	for from := 0; from < len(all); from += each {
		g := Group{Partitions: all[from:min(len(all), from+each)]}
		for _, p := range g.Partitions {
			g.Entities, g.Bytes = g.Entities+p.Entities, g.Bytes+p.Bytes
			b := hot[p.Key]
			g.Requests, g.Hot = g.Requests+b.Requests, g.Hot || b.Hot()
		}
		groups = append(groups, g)
	}
	return groups
}
