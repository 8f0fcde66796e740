package control

import (
	"slices"

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
			list = append(list, o.end())
		}
		var o object
		o.list("tables", list)
		return o.end(), nil
	})
}

const (
	// countedExactly is how many entities a table has at most whose partitions
	// are counted one by one: that takes a few milliseconds.
	countedExactly = 20_000
	// shownPartitions is how many partitions an answer has at most.
	shownPartitions = 2000
)

// listPartitions reports how many entities each partition of a table holds.
func (c *call) listPartitions() (int, []byte, error) {
	return c.view(func(tx *engine.Tx) ([]byte, error) {
		table, err := tx.Table(c.name, c.query.Get("table"))
		if err != nil {
			return nil, err
		}
		exact := table.Info().Entities <= countedExactly
		all, err := layoutOf(table, exact)
		if err != nil {
			return nil, err
		}
		exact = exact || !slices.ContainsFunc(all, func(p engine.Partition) bool { return p.Approximate })
		var list [][]byte
		for _, p := range all[:min(len(all), shownPartitions)] {
			var o object
			o.string("key", p.Key)
			o.int("entities", p.Entities)
			list = append(list, o.end())
		}
		var o object
		o.bool("exact", exact)
		o.int("all", len(all))
		o.list("partitions", list)
		return o.end(), nil
	})
}

func layoutOf(table *engine.Table, exact bool) (all []engine.Partition, err error) {
	if !exact {
		return slices.Collect(table.Partitions("")), nil
	}
	rows := table.Query(engine.Query{Select: []string{}})
	defer rows.Close()
	for rows.Next() {
		key := rows.Row().PartitionKey
		if last := len(all) - 1; last >= 0 && all[last].Key == key {
			all[last].Entities++
		} else {
			all = append(all, engine.Partition{Key: key, Entities: 1})
		}
	}
	return all, rows.Err()
}
