package client

import (
	"time"

	"sandtable/odata"
	"sandtable/web/humanize"
)

// TablePath returns the address of a table below its account's, which begins with a
// slash. Cosmos DB allows names that have to be escaped.
func TablePath(name string) string {
	return odata.Path{Resource: odata.EntitiesResource, Table: name}.String()
}

// Unknown is a count that the endpoint does not report.
const Unknown = -1

// Table is a table of an account.
type Table struct {
	Name     string    `json:"name"`
	Entities int       `json:"entities"` // or Unknown
	Bytes    int       `json:"bytes"`    // of stored blocks; 0 if the endpoint does not report it
	Created  time.Time `json:"created"`  // zero if the endpoint does not report it
}

// Count returns the number of entities with commas, "" if it is unknown.
func (t Table) Count() string {
	if t.Entities == Unknown {
		return ""
	}
	return humanize.Number(t.Entities)
}
