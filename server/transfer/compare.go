package transfer

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"time"

	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/odata/payload"
)

// Difference is an entity, or a table, that differs between two endpoints.
type Difference struct {
	Table string
	Key   *odata.Key // nil for the table
	What  string     // such as "only in the source"
}

// String describes the difference in a line.
func (d Difference) String() string {
	if d.Key == nil {
		return fmt.Sprintf("table %s: %s", d.Table, d.What)
	}
	return fmt.Sprintf("%s(%q, %q): %s", d.Table, d.Key.PartitionKey, d.Key.RowKey, d.What)
}

const (
	onlyInSource = "only in the source"
	onlyInTarget = "only in the target"
	different    = "properties differ"
)

// Compare reads the tables of the source, and those of the same names in the
// target, and calls report for each difference, until that returns false.
// It ignores Timestamps and the order of properties, and with a filter by Timestamp also
// what only the target has.
func Compare(ctx context.Context, from, to Source, options Options, report func(Difference) bool) (Progress, error) {
	c := &copier{from: from, options: options, begin: time.Now()}
	tables, err := c.tables(ctx)
	if err != nil {
		return c.now, err
	}
	for _, name := range tables {
		c.now.Tables++
		more, err := c.compareTable(ctx, to, name, report)
		c.now.Elapsed = time.Since(c.begin)
		if err != nil || !more {
			return c.now, err
		}
	}
	return c.now, nil
}

// compareTable merges the entities of both sides, which are in the same order.
func (c *copier) compareTable(ctx context.Context, to Source, table string, report func(Difference) bool) (more bool, err error) {
	source := pull(entities(ctx, c.from, table, c.options.Filter))
	defer source.stop()
	selected, byTime := c.options.Filter, c.options.byTimestamp()
	if byTime { // the target has Timestamps of its own
		selected = ""
	}
	target := pull(entities(ctx, to, table, selected))
	defer target.stop()
	source.advance()
	target.advance()
	for more = true; more; {
		switch {
		case source.err != nil:
			return false, source.err
		case IsStatus(target.err, http.StatusNotFound):
			return report(Difference{Table: table, What: onlyInSource}), nil
		case target.err != nil:
			return false, target.err
		case source.current == nil && target.current == nil:
			return true, nil
		}
		order := compareKeys(source.current, target.current)
		var d *Difference
		if order <= 0 {
			c.count(table)
		}
		switch {
		case order < 0:
			d = differs(table, source.current, onlyInSource)
		case order > 0:
			if !byTime {
				d = differs(table, target.current, onlyInTarget)
			}
		case !bytes.Equal(canonical(source.current), canonical(target.current)):
			d = differs(table, source.current, different)
		}
		if d != nil {
			more = report(*d)
		}
		if order <= 0 {
			source.advance()
		}
		if order >= 0 {
			target.advance()
		}
	}
	return false, nil
}

// byTimestamp reports whether the filter is also about the Timestamp.
func (o *Options) byTimestamp() bool {
	expr, err := filter.Parse(o.Filter)
	return err == nil && slices.Contains(slices.Collect(filter.Properties(expr)), odata.TimestampName)
}

func (c *copier) count(table string) {
	c.now.Entities++
	if c.options.Progress != nil && c.now.Entities%odata.MaxPageSize == 0 {
		c.now.Table, c.now.Elapsed = table, time.Since(c.begin)
		c.options.Progress(c.now)
	}
}

func differs(table string, e *odata.Entity, what string) *Difference {
	key := e.Key()
	return &Difference{table, &key, what}
}

// compareKeys compares two entities by key; nil sorts after all others.
func compareKeys(a, b *odata.Entity) int {
	switch {
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return a.Key().Compare(b.Key())
}

// canonical returns an entity in a form that equal entities share: keys, and properties
// with their types, sorted by name.
func canonical(e *odata.Entity) []byte {
	sorted := odata.Entity{PartitionKey: e.PartitionKey, RowKey: e.RowKey, Properties: slices.Clone(e.Properties)}
	odata.SortByName(sorted.Properties)
	return payload.AppendRequest(nil, &sorted)
}

// entities returns all entities of a table, page by page.
func entities(ctx context.Context, of Source, table, filter string) iter.Seq2[*odata.Entity, error] {
	return func(yield func(*odata.Entity, error) bool) {
		var token *Token
		for {
			page, next, err := of.Page(ctx, table, filter, token)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
			}
			if next == nil {
				return
			}
			token = next
		}
	}
}

// puller is a sequence from which one entity after another is taken.
type puller struct {
	take    func() (*odata.Entity, error, bool)
	stop    func()
	current *odata.Entity // nil at the end
	err     error
}

func pull(of iter.Seq2[*odata.Entity, error]) *puller {
	p := &puller{}
	p.take, p.stop = iter.Pull2(of)
	return p
}

func (p *puller) advance() { p.current, p.err, _ = p.take() }
