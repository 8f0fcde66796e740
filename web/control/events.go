package control

import (
	"encoding/json"
	"slices"
)

// Event is something that happened at the endpoint.
type Event struct {
	// Kind is "change", "request", "lost" if events were missed, or "start", which
	// comes once: what was read before it may lack what happened until then.
	Kind string
	Data []byte // a JSON object
}

// Watch calls f with what happens at the endpoint from the event "start" on, several
// events at a time, inside an event of the browser. While the page is hidden nothing is
// delivered; it continues where it was when the page is shown again. While the endpoint
// cannot be reached for the first time, there are events "lost".
func (c *Client) Watch(f func([]Event)) (stop func()) { return c.watch("?joined=true", f) }

// WatchChanges is Watch without requests.
func (c *Client) WatchChanges(f func([]Event)) (stop func()) {
	return c.watch("?joined=true&changes=true", f)
}

// Stale reports whether what was read before these events may lack something, so that it
// is to be read now. The first events are such ones.
func Stale(events []Event) bool {
	return slices.ContainsFunc(events, func(e Event) bool { return e.Kind == "start" || e.Kind == "lost" })
}

// RequestsOf returns the requests among events.
func RequestsOf(events []Event) []Recorded {
	var all []Recorded
	for _, e := range events {
		var r Recorded
		if e.Kind == "request" && json.Unmarshal(e.Data, &r) == nil {
			all = append(all, r)
		}
	}
	return all
}

// ChangesOf returns the changes among events. Missed events are a change of the
// kind "lost".
func ChangesOf(events []Event) []Change {
	var all []Change
	for _, e := range events {
		c := joinedChange{Change: Change{Kind: "lost"}}
		switch {
		case e.Kind == "request", e.Kind == "start", e.Kind == "change" && json.Unmarshal(e.Data, &c) != nil:
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
// their row keys alone. [Client.Watch] requests those.
type joinedChange struct {
	Change
	RowKeys []string `json:"rowKeys"`
}
