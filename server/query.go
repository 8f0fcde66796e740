package server

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/odata/payload"
	"sandtable/server/message"
)

// Query Entities, https://learn.microsoft.com/rest/api/storageservices/query-entities
// Querying tables and entities, https://learn.microsoft.com/rest/api/storageservices/querying-tables-and-entities

// queryTime is how long a query may run before it answers with what it has and
// a continuation.
const queryTime = 5 * time.Second

// maxPageSize is about how many bytes of entities a page has, by the service's
// count: one that has more ends with a continuation.
const maxPageSize = 4 << 20

// maxSelectNames is how many names $select may have: those of all properties
// that an entity can have, the system's included.
const maxSelectNames = 255

// queryOptions are the options of a query of tables or entities.
type queryOptions struct {
	filter    filter.Expr // nil: all
	top       int
	selection selection
}

// parseQuery reads the query of an address. A semicolon is a character like
// any other: clients write it in $format.
func parseQuery(text string) (url.Values, error) {
	if text == "" {
		return nil, nil
	}
	return url.ParseQuery(strings.ReplaceAll(text, ";", "%3B"))
}

// selection is $select.
type selection struct {
	asked bool // there is one, perhaps empty
	text  string
	names []string
}

// properties returns the names of the custom properties that are asked for,
// nil for all.
func (s selection) properties() []string {
	if len(s.names) == 0 || slices.Contains(s.names, "*") {
		return nil
	}
	custom := make([]string, 0, len(s.names))
	for _, name := range s.names {
		switch name {
		case odata.PartitionKeyName, odata.RowKeyName, odata.TimestampName:
		default:
			custom = append(custom, name)
		}
	}
	return custom
}

func readQueryOptions(query url.Values) (queryOptions, error) {
	options := queryOptions{top: odata.MaxPageSize}
	var err error
	if options.selection, err = readSelect(query); err != nil {
		return options, err
	}
	if query.Has("$top") {
		if options.top, err = readTop(query.Get("$top")); err != nil {
			return options, err
		}
	}
	if text := query.Get("$filter"); strings.TrimSpace(text) != "" {
		options.filter, err = filter.Parse(text)
	}
	return options, err
}

func readTop(text string) (int, error) {
	top, err := strconv.Atoi(text)
	if err != nil || top < 0 || top > odata.MaxPageSize {
		return 0, errTop
	}
	return top, nil
}

// readSelect reads $select, and refuses the options that the service does not
// have.
func readSelect(query url.Values) (selection, error) {
	for name := range query {
		if !strings.HasPrefix(name, "$") {
			continue
		}
		switch name {
		case "$filter", "$select", "$top", "$format":
		default:
			return selection{}, errQueryOption
		}
	}
	text := query.Get("$select")
	if strings.Count(text, ",") >= maxSelectNames {
		return selection{}, errSelectNames
	}
	return selection{asked: query.Has("$select"), text: text, names: payload.ParseSelect(text)}, nil
}

func prepareQueryEntities(r *request) (command, error) {
	options, err := readQueryOptions(r.query)
	if err != nil {
		return nil, err
	}
	from, err := entityContinuation(r.query)
	if err != nil {
		return nil, err
	}
	return func(tx *engine.Tx) (*reply, error) {
		table, err := r.table(tx)
		if err != nil {
			return nil, err
		}
		return r.page(options, from, tx, table)
	}, nil
}

// page writes the entities as the query comes to them.
func (r *request) page(options queryOptions, from odata.Key, tx *engine.Tx, table *engine.Table) (*reply, error) {
	query := engine.Query{
		Filter: options.filter, Within: r.grant.Keys(), From: from, Limit: options.top, Deadline: r.deadline(),
		Select: options.selection.properties(),
	}
	rows := table.Query(query)
	defer rows.Close()
	entities := func(yield func(*odata.Entity) bool) {
		for size := 0; options.top > 0 && rows.Next(); {
			e := rows.Row()
			if size += e.Size(); size >= maxPageSize {
				rows.LastRow()
			}
			if !yield(e) {
				return
			}
		}
	}
	found := &reply{status: message.StatusOK, contentType: r.representation.feedType()}
	found.body = written(func(b []byte) []byte {
		return r.encoder(options.selection, tx.Now()).AppendAll(b, r.path.Table, entities)
	})
	if err := rows.Err(); err != nil {
		return nil, err
	}
	found.nextKey = rows.Continuation()
	e := rows.Explain()
	found.statistics = Statistics{Kind: e.Kind.String(), Blocks: e.Blocks, Examined: e.Examined, Returned: e.Returned}
	if r.header.Get("x-sandtable-explain") != "" {
		found.explain = fmt.Sprintf("kind=%s;blocks=%d;examined=%d;returned=%d", e.Kind, e.Blocks, e.Examined, e.Returned)
	}
	return found, nil
}

// deadline returns a function that turns true once the time for a query that
// begins now has passed.
func (r *request) deadline() func() bool {
	end := r.now().Add(queryTime)
	return func() bool { return r.now().After(end) }
}
