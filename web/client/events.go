package client

import (
	"encoding/json"
)

// Event is something that happened at the endpoint.
type Event struct {
	Kind string // "change", "request", or "lost": events were missed
	Data []byte // a JSON object
}

// ChangesOf returns the changes among events. Missed events are a change of the
// kind "lost".
func ChangesOf(events []Event) []Change {
	var all []Change
	for _, e := range events {
		c := joinedChange{Change: Change{Kind: "lost"}}
		switch {
		case e.Kind == "request", e.Kind == "change" && json.Unmarshal(e.Data, &c) != nil:
			continue
		}
		if c.RowKeys == nil {
			all = append(all, c.Change)
		}
		for _, key := range c.RowKeys {
			c.RowKey = key
			all = append(all, c.Change)
		}
	}
	return all
}

// joinedChange is a change of one entity, or those of several that differ in
// their row keys alone. Only [Control.Watch] asks for these.
type joinedChange struct {
	Change
	RowKeys []string `json:"rowKeys"`
}
