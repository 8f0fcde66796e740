package lesson

import (
	"encoding/json"
	"slices"
	"strings"

	"sandtable/odata"
	"sandtable/odata/payload"
)

// tables reads data.jsonl: a line {"table": "Orders"} and below it the table's
// entities, each in the form of an Insert Entity request. They are returned in the
// order of their keys.
func (l *loader) tables() (all []Table) {
	const file = "data.jsonl"
	entities := 0
	taken := map[string]bool{}
	at := 0
	for line := range strings.Lines(l.files[file]) {
		at++
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !json.Valid([]byte(line)) {
			l.fail(file, at, "the line is not JSON as a whole: each entity has one line")
			continue
		}
		if strings.HasPrefix(strings.TrimLeft(line, "{ "), `"table"`) {
			var head struct {
				Table string `json:"table"`
			}
			if err := strict([]byte(line), &head); err != nil {
				l.fail(file, at, "%s", jsonProblem(err))
			} else if err := odata.CheckTableName(head.Table); err != nil {
				l.fail(file, at, "%v", err)
			} else if slices.ContainsFunc(all, func(t Table) bool { return strings.EqualFold(t.Name, head.Table) }) {
				l.fail(file, at, "the table %s is there already", head.Table)
			}
			all = append(all, Table{Name: head.Table})
			if len(all) > maxTables {
				l.fail(file, at, "a lesson has at most %d tables", maxTables)
				return all
			}
			continue
		}
		if len(all) == 0 {
			l.fail(file, at, `the first line is not {"table": "…"}`)
			return nil
		}
		if entities++; entities > maxEntities {
			l.fail(file, at, "a lesson has at most %d entities", maxEntities)
			return all
		}
		e, err := entityOf(line)
		if err != nil {
			l.fail(file, at, "%v", err)
			continue
		}
		table := &all[len(all)-1]
		if place := table.Name + "\x00" + e.PartitionKey + "\x00" + e.RowKey; taken[place] {
			l.fail(file, at, "an entity with these keys is there already")
		} else {
			taken[place] = true
		}
		table.Entities = append(table.Entities, e)
	}
	for _, table := range all {
		slices.SortFunc(table.Entities, func(a, b *odata.Entity) int { return a.Key().Compare(b.Key()) })
	}
	return all
}

func entityOf(line string) (*odata.Entity, error) {
	body, err := payload.DecodeEntity([]byte(line))
	if err != nil {
		return nil, err
	}
	key, err := body.Key()
	if err != nil {
		return nil, err
	}
	for name, text := range map[string]string{odata.PartitionKeyName: key.PartitionKey, odata.RowKeyName: key.RowKey} {
		if err := odata.CheckKey(name, text); err != nil {
			return nil, err
		}
	}
	e := &odata.Entity{PartitionKey: key.PartitionKey, RowKey: key.RowKey, Properties: body.Properties}
	return e, odata.CheckEntity(e.Properties, odata.StorageLimits)
}
