package query

import (
	"slices"
	"time"
)

// Saved is a query that was run, or that the user has given a name.
type Saved struct {
	Account string    `json:"account"`
	Table   string    `json:"table"`
	Args    string    `json:"args"` // the page's arguments, as in an address
	Filter  string    `json:"filter"`
	Name    string    `json:"name,omitempty"` // "" for one of the history
	Kind    string    `json:"kind,omitempty"` // its plan if it was a scan, such as "table scan"
	At      time.Time `json:"at"`
}

// History is the queries of an endpoint, the last first.
type History []Saved

// Limits of what is kept and believed.
const (
	maxHistory = 50
	maxNamed   = 200
	maxText    = 64 << 10
)

// Valid reports whether a stored history can be used.
func (h History) Valid() bool {
	return len(h) <= maxHistory+maxNamed && !slices.ContainsFunc(h, func(s Saved) bool {
		return s.Account == "" || s.Table == "" || len(s.Args) > maxText
	})
}

func (s Saved) same(other Saved) bool {
	return s.Account == other.Account && s.Table == other.Table && s.Args == other.Args && s.Name == other.Name
}

// Add returns the history with a query as the last one. The oldest without a
// name are forgotten.
func (h History) Add(s Saved) History {
	all := History{s}
	unnamed, named := 0, 0
	if s.Name == "" {
		unnamed = 1
	}
	for _, other := range h {
		switch {
		case other.same(s), other.Name != "" && other.Name == s.Name && other.Table == s.Table && other.Account == s.Account:
		case other.Name != "" && named < maxNamed:
			named++
			all = append(all, other)
		case other.Name == "" && unnamed < maxHistory:
			unnamed++
			all = append(all, other)
		}
	}
	return all
}

// Remove returns the history without a query.
func (h History) Remove(s Saved) History {
	return slices.DeleteFunc(slices.Clone(h), s.same)
}

// StorageName is where a browser keeps the history of an endpoint.
func StorageName(base string) string { return "sandtable.queries " + base }
