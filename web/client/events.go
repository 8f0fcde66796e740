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
		c := Change{Kind: "lost"}
		switch {
		case e.Kind == "request", e.Kind == "change" && json.Unmarshal(e.Data, &c) != nil:
			continue
		}
		all = append(all, c)
	}
	return all
}
