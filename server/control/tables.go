package control

import (
	"strconv"

	"sandtable/engine"
)

// listTables lists the tables of an account with their counts.
func (c *call) listTables() (int, []byte, error) {
	return c.view(func(tx *engine.Tx) ([]byte, error) {
		if _, err := tx.Account(c.name); err != nil {
			return nil, err
		}
		list := [][]byte{}
		for table := range tx.Tables(c.name, "") {
			var o object
			o.string("name", table.Name)
			o.int("entities", table.Entities)
			o.string("created", table.Created.String())
			if t, err := tx.Table(c.name, table.Name); err == nil {
				o.int("bytes", int(t.Bytes()))
			}
			list = append(list, o.end())
		}
		var o object
		o.list("tables", list)
		return o.end(), nil
	})
}

const (
	// countedExactly is how many entities a table has at most whose blocks are
	// loaded to count its partitions exactly: that takes a few milliseconds.
	countedExactly = 20_000
	// shownPartitions is how many partitions an answer has at most.
	shownPartitions = 2000
)

// listPartitions reports how many entities and bytes each partition of a table
// holds, a page of the partitions at a time.
func (c *call) listPartitions() (int, []byte, error) {
	limit, err := c.queryNumber("limit", shownPartitions)
	if err != nil {
		return 0, nil, err
	}
	if limit == 0 || limit > shownPartitions {
		return 0, nil, invalidInput("limit must be from 1 to " + strconv.Itoa(shownPartitions) + ".")
	}
	return c.view(func(tx *engine.Tx) ([]byte, error) {
		table, err := tx.Table(c.name, c.query.Get("table"))
		if err != nil {
			return nil, err
		}
		page := layoutOf(table, c.query.Get("from"), int(limit))
		if info := table.Info(); !page.exact && info.Entities <= countedExactly {
			if err := loadBlocks(table); err != nil {
				return nil, err
			}
			page = layoutOf(table, c.query.Get("from"), int(limit))
		}
		return page.document(table), nil
	})
}

// layout is a page of the partitions of a table.
type layout struct {
	shown []engine.Partition
	after *engine.Partition // the first of the next page, nil for none
	all   int               // how many there are from the page's first on
	exact bool
}

// layoutOf walks the partitions, and keeps those of one page.
func layoutOf(table *engine.Table, from string, limit int) layout {
	l := layout{exact: true}
	for p := range table.Partitions(from) {
		l.all++
		l.exact = l.exact && !p.Approximate
		if len(l.shown) < limit {
			l.shown = append(l.shown, p)
		} else if l.after == nil {
			l.after = &p
		}
	}
	return l
}

// loadBlocks brings a small table's blocks into memory, as far as it has space.
func loadBlocks(table *engine.Table) error {
	rows := table.Query(engine.Query{Select: []string{}})
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}

func (l layout) document(table *engine.Table) []byte {
	list := make([][]byte, len(l.shown))
	for i, p := range l.shown {
		list[i] = describePartition(p)
	}
	var o object
	o.bool("exact", l.exact)
	o.int("all", l.all)
	o.int("entities", table.Info().Entities)
	o.int("bytes", int(table.Bytes()))
	o.list("partitions", list)
	if l.after != nil {
		o.string("next", l.after.Key)
	}
	return o.end()
}

func describePartition(p engine.Partition) []byte {
	var o object
	o.string("key", p.Key)
	o.int("entities", p.Entities)
	o.int("bytes", p.Bytes)
	o.string("firstRowKey", p.FirstRow)
	if p.OpenEnded {
		o.null("lastRowKey")
	} else {
		o.string("lastRowKey", p.LastRow)
	}
	if p.Approximate {
		o.bool("estimated", true)
	}
	return o.end()
}
