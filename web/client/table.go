package client

import (
	"time"

	"sandtable/web/humanize"
)

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
