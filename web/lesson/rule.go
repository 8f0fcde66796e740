package lesson

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sandtable/odata"
	"sandtable/odata/rowfile"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/humanize"
)

// Run is what a program did.
type Run struct {
	// Requests are in their order. Headers and bodies are there only for steps
	// that are [Step.Detailed].
	Requests []control.RecordedDetail
	Tables   []Table // at the end
	Output   []string
	Failure  string // the error that ended the program, "" for none
}

// Rule is a condition on a run. Exactly one of its members is set.
type Rule struct {
	Table    *TableRule    `json:"table,omitempty"`
	Entity   *EntityRule   `json:"entity,omitempty"`
	Requests *RequestsRule `json:"requests,omitempty"`
	Prints   string        `json:"prints,omitempty"` // text in the output
	Fails    string        `json:"fails,omitempty"`  // text in the error that ended the program
	Not      *Rule         `json:"not,omitempty"`
	All      []Rule        `json:"all,omitempty"`
	Any      []Rule        `json:"any,omitempty"`
}

// TableRule is about a table as a whole.
type TableRule struct {
	Name       string          `json:"name"`
	Absent     bool            `json:"absent"`
	Where      map[string]Want `json:"where"`      // counts only entities that have these
	Entities   *Range          `json:"entities"`   // how many
	Partitions *Range          `json:"partitions"` // how many
	Largest    *Range          `json:"largest"`    // entities in the largest partition
}

// EntityRule is about one entity.
type EntityRule struct {
	Table        string          `json:"table"`
	PartitionKey string          `json:"partitionKey"`
	RowKey       string          `json:"rowKey"`
	Absent       bool            `json:"absent"`
	Properties   map[string]Want `json:"properties"`
	Lacks        []string        `json:"lacks"`
}

// Want is what a property has to be. PartitionKey and RowKey are properties here.
type Want struct {
	Type     string           `json:"type"`
	Value    *json.RawMessage `json:"value"`
	Contains string           `json:"contains"`
	Starts   string           `json:"starts"`
}

// Range is a number with bounds, which in JSON is a number or {"min": 1, "max": 2}.
type Range struct {
	Min *int `json:"min"`
	Max *int `json:"max"`
}

// UnmarshalJSON reads a number or an object.
func (r *Range) UnmarshalJSON(text []byte) error {
	var exact int
	if json.Unmarshal(text, &exact) == nil {
		*r = Range{&exact, &exact}
		return nil
	}
	type bounds Range
	err := strict(text, (*bounds)(r))
	if kind := new(json.UnmarshalTypeError); errors.As(err, &kind) {
		kind.Offset = 0 // in the whole file it is not known
	}
	return err
}

func (r *Range) holds(n int) bool {
	return r == nil || (r.Min == nil || n >= *r.Min) && (r.Max == nil || n <= *r.Max)
}

// problem says why no number is within the bounds, "" if there are some.
func (r *Range) problem() string {
	if r == nil || r.Min == nil || r.Max == nil || *r.Min <= *r.Max {
		return ""
	}
	return fmt.Sprintf("no number is at least %d and at most %d", *r.Min, *r.Max)
}

// kinds returns how many conditions a rule has.
func (r *Rule) kinds() int {
	n := 0
	for _, set := range []bool{r.Table != nil, r.Entity != nil, r.Requests != nil, r.Prints != "", r.Fails != "", r.Not != nil, len(r.All) > 0, len(r.Any) > 0} {
		if set {
			n++
		}
	}
	return n
}

// parts returns the rules inside a rule.
func (r *Rule) parts() []Rule {
	parts := append(append([]Rule{}, r.All...), r.Any...)
	if r.Not != nil {
		parts = append(parts, *r.Not)
	}
	return parts
}

// has reports whether a rule, or one inside it, is as f says.
func (r *Rule) has(f func(*Rule) bool) bool {
	if f(r) {
		return true
	}
	for _, part := range r.parts() {
		if part.has(f) {
			return true
		}
	}
	return false
}

// try reports whether a rule holds, and what is there instead.
func (r *Rule) try(run Run) (found string, ok bool) {
	switch {
	case r.Table != nil:
		return r.Table.try(run)
	case r.Entity != nil:
		return r.Entity.try(run)
	case r.Requests != nil:
		return r.Requests.try(run)
	case r.Prints != "":
		// A line break begins and ends a line, the first and the last as well.
		return "it printed something else", strings.Contains("\n"+strings.Join(run.Output, "\n")+"\n", r.Prints)
	case r.Fails != "":
		return "it ended without this error", strings.Contains(run.Failure, r.Fails)
	case r.Not != nil:
		_, ok = r.Not.try(run)
		return "it did", !ok
	case r.Any != nil:
		for i, part := range r.Any {
			text, ok := part.try(run)
			if ok {
				return "", true
			}
			if i == 0 {
				found = text
			}
		}
		return found, false
	}
	for _, part := range r.All {
		if found, ok = part.try(run); !ok {
			return found, false
		}
	}
	return "", true
}

func (r *TableRule) try(run Run) (string, bool) {
	t := run.table(r.Name)
	switch {
	case r.Absent:
		return r.Name + " exists", t == nil
	case t == nil && len(run.Tables) == 0:
		return "there is no table", false
	case t == nil:
		return "there is " + run.Tables[0].Name, false
	}
	sizes, n, largest := map[string]int{}, 0, 0
	for _, e := range t.Entities {
		if lacking(e, r.Where) == "" {
			sizes[e.PartitionKey]++
			n++
			largest = max(largest, sizes[e.PartitionKey])
		}
	}
	switch {
	case !r.Entities.holds(n) && len(r.Where) > 0:
		return humanize.Count(n, "entity", "entities") + " of " + humanize.Number(len(t.Entities)), false
	case !r.Entities.holds(n):
		return "it has " + humanize.Count(n, "entity", "entities"), false
	case !r.Partitions.holds(len(sizes)):
		return "it has " + humanize.Count(len(sizes), "partition", "partitions"), false
	case !r.Largest.holds(largest):
		return "the largest partition has " + humanize.Count(largest, "entity", "entities"), false
	}
	return "", true
}

func (r *EntityRule) try(run Run) (string, bool) {
	t, e := run.table(r.Table), run.entity(r.Table, r.PartitionKey, r.RowKey)
	switch {
	case r.Absent:
		return "it is there", e == nil
	case t == nil:
		return "there is no table " + r.Table, false
	case e == nil && len(t.Entities) == 0:
		return "the table is empty", false
	case e == nil:
		return fmt.Sprintf("there is no such entity, but %q, %q", t.Entities[0].PartitionKey, t.Entities[0].RowKey), false
	}
	for _, name := range r.Lacks {
		if _, has := e.Property(name); has {
			return "it has " + name, false
		}
	}
	found := lacking(e, r.Properties)
	return found, found == ""
}

// lacking names the first property of an entity that differs from what is wanted, and
// says how; "" if there is none.
func lacking(e *odata.Entity, wants map[string]Want) string {
	for _, name := range slices.Sorted(maps.Keys(wants)) {
		value, ok := client.ValueOf(e, name)
		if !ok {
			return "it has no " + name
		}
		if found := wants[name].differs(value); found != "" {
			return name + " is " + found
		}
	}
	return ""
}

// differs returns the value in words if it differs from what is wanted, otherwise "".
func (w Want) differs(v odata.Value) string {
	text := rowfile.Text(v)
	switch {
	case w.Type != "" && v.Type().String() != w.Type:
		return fmt.Sprintf("%s (%s)", text, v.Type())
	case w.Value != nil && !is(v, *w.Value),
		!strings.Contains(text, w.Contains), !strings.HasPrefix(text, w.Starts):
		return text
	}
	return ""
}

// is reports whether a value equals one in JSON, which may be written in another way,
// such as 1e6 for 1000000.
func is(v odata.Value, raw json.RawMessage) bool {
	wanted, err := rowfile.Parse(v.Type(), jsonText(raw))
	return err == nil && v.Equal(wanted)
}

// jsonText returns a string of JSON, or another value as it is written.
func jsonText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// table returns a table by its name, nil if there is none.
func (r Run) table(name string) *Table {
	for i := range r.Tables {
		if strings.EqualFold(r.Tables[i].Name, name) {
			return &r.Tables[i]
		}
	}
	return nil
}

// entity returns an entity by its table and keys, nil if there is none.
func (r Run) entity(table, partition, row string) *odata.Entity {
	t := r.table(table)
	if t == nil {
		return nil
	}
	for _, e := range t.Entities {
		if e.PartitionKey == partition && e.RowKey == row {
			return e
		}
	}
	return nil
}
