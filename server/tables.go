package server

import (
	"errors"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/filter"
	"sandtable/server/message"
)

// Query Tables, https://learn.microsoft.com/rest/api/storageservices/query-tables
// Create Table, https://learn.microsoft.com/rest/api/storageservices/create-table
// Delete Table, https://learn.microsoft.com/rest/api/storageservices/delete-table

func prepareQueryTables(r *request) (command, error) {
	options, err := readQueryOptions(r.query)
	switch {
	case err != nil:
		return command{}, err
	case options.filter != nil && !namesTablesOnly(options.filter):
		return command{}, errTableFilter
	}
	from := tableContinuation(r.query)
	return command{run: func(tx Tx, _ Table) (reply, error) {
		names := []string{}
		out := reply{status: message.StatusOK, contentType: r.feedType()}
		err := tx.Tables(from, func(table engine.TableInfo) bool {
			if options.filter != nil && !filter.Match(options.filter, tableRow(table.Name)) {
				return true
			}
			if len(names) == options.top {
				if options.top > 0 { // a page that never advances would have no end
					out.nextTable = encodeTableToken(table.Name, table.Created)
				}
				return false
			}
			names = append(names, table.Name)
			return true
		})
		if err != nil {
			return reply{}, err
		}
		out.body = r.encoder(selection{}, tx.Now()).AppendTables(nil, names)
		return out, nil
	}}, nil
}

// tableRow is a table as a filter of tables sees it.
type tableRow string

const tableNameProperty = "TableName"

// Property returns the name of the table, its only property.
func (t tableRow) Property(name string) (odata.Value, bool) {
	if name == tableNameProperty {
		return odata.StringValue(string(t)), true
	}
	return odata.Value{}, false
}

func namesTablesOnly(x filter.Expr) bool {
	for name := range filter.Properties(x) {
		if name != tableNameProperty {
			return false
		}
	}
	return true
}

func prepareCreateTable(r *request) (command, error) {
	name, err := r.decodeTableName()
	if err != nil {
		return command{}, err
	}
	check := odata.CheckTableName
	if r.cosmos {
		check = odata.CheckCosmosTableName
	}
	if err := check(name); err != nil {
		return command{}, err
	}
	return command{table: name, run: func(tx Tx, _ Table) (reply, error) {
		if err := tx.CreateTable(name); err != nil {
			return reply{}, err
		}
		if r.deleted.has(r.account, name) { // checked last: a table of this name may exist again
			return reply{}, errTableBeingDeleted
		}
		out := reply{status: message.StatusNoContent, preference: r.preference}
		out.location = r.tableLocation(name)
		if r.cosmos {
			out.etag = r.etag(tx.Now())
		}
		if r.preference == preferNoContent {
			out.dataServiceID = out.location
			return out, nil
		}
		out.status, out.contentType = message.StatusCreated, r.entryType()
		out.body = r.encoder(selection{}, tx.Now()).AppendTable(nil, name)
		return out, nil
	}}, nil
}

func prepareGetTable(r *request) (command, error) {
	return command{run: func(tx Tx, _ Table) (reply, error) {
		table, err := findListedTable(tx)
		if err != nil {
			return reply{}, err
		}
		body := r.encoder(selection{}, tx.Now()).AppendTable(nil, table.Name())
		return reply{status: message.StatusOK, contentType: r.entryType(), body: body}, nil
	}}, nil
}

func prepareDeleteTable(r *request) (command, error) {
	return command{run: func(tx Tx, _ Table) (reply, error) {
		if _, err := findListedTable(tx); err != nil {
			return reply{}, err
		}
		if err := tx.DeleteTable(); err != nil {
			return reply{}, err
		}
		return reply{status: message.StatusNoContent, deletedTable: r.path.Table}, nil
	}}, nil
}

// findListedTable finds a table that is addressed as an entry of the list of
// tables. A missing one has another error there than for its entities.
func findListedTable(tx Tx) (Table, error) {
	table, err := tx.Table()
	if errors.Is(err, engine.ErrTableNotFound) || errors.Is(err, engine.ErrAccountNotFound) {
		return nil, errNoSuchEntityTable
	}
	return table, err
}
