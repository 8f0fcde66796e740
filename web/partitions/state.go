package partitions

import (
	"context"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/control"
	"sandtable/web/keydesign"
	"sandtable/web/page"
	"sandtable/web/remote"
)

// Name is the page's in addresses.
const Name = "partitions"

// emptyKey stands for the empty key in the address. No key has a slash.
const emptyKey = "/"

// Page shows the partitions of a table.
type Page struct {
	app.Compo
	page.Props

	ctx        app.Context
	release    []func()
	gone       bool
	partitions remote.Value[control.Partitions]
	traffic    keydesign.Traffic
	requests   requests
	queries    []control.Recorded // the newest first, each filter once
	written    []odata.Key        // of recent writes
	now        time.Time          // of what is drawn; stands still while the page is paused
	paused     bool
	stale      bool   // the partitions will be read again soon
	chosen     string // a partition
	picked     bool   // one is chosen

	parts    []keydesign.Part
	entities remote.Value[sample]
	asking   bool                    // for the name of a copy
	copyName string                  // of the table that it is written into
	copies   map[page.Route]*copying // what runs or has ended, by table: the next page there shows it

	prices keydesign.Prices
	scale  int // costs are computed for a table this many times as large
}

// requests are those that were counted.
type requests struct {
	instance string             // that numbered them
	last     uint64             // the newest
	read     uint64             // the newest of the recent ones that were read, which have all before it
	reading  int                // how many readings of the recent ones are in progress
	arrived  []control.Recorded // meanwhile: they are counted after these
}

// copying is the table being copied into another one, with other keys.
type copying struct {
	from, into string
	all        int // entities when it began
	written    atomic.Int64
	copied     outcome
	running    bool
	stop       context.CancelFunc
	page       *Page // that shows it; nil without one
}

// outcome says how a copy ended.
type outcome struct {
	refused int   // entities that the service refused; they are left out
	problem error // of the first of them
	err     error // why it ended early
}

// copying returns the copy of this table that runs or has ended, or nil.
func (p *Page) copying() *copying { return p.copies[p.table()] }

func (p *Page) table() page.Route { return p.Route.Place() }

func (p *Page) isCopying() bool { j := p.copying(); return j != nil && j.running }

func groupID(i int) string { return "partition-" + strconv.Itoa(i) }

// sample is the entities that the what-if is computed from.
type sample struct {
	entities []*odata.Entity
	more     bool // there are more in the table
}

const (
	// maxSample is how many entities the what-if reads.
	maxSample = 20_000
	// maxQueries and maxWritten limit what is remembered of recent requests.
	maxQueries, maxWritten = 5, 2000
	pricesName             = "sandtable-prices"
)

func (p *Page) groups() []keydesign.Group {
	partitions, _ := p.partitions.Data()
	return keydesign.Groups(partitions.List, &p.traffic, p.now)
}

// groupAt returns the group of the chosen partition, -1 for none.
func (p *Page) groupAt(groups []keydesign.Group) int {
	for i, g := range groups {
		if p.picked && slices.ContainsFunc(g.Partitions, func(one control.Partition) bool { return one.Key == p.chosen }) {
			return i
		}
	}
	return -1
}
