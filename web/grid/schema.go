package grid

import (
	"cmp"
	"math"
	"slices"
	"unicode/utf8"

	"sandtable/odata"
)

// Schema is the properties of the entities seen so far. The zero Schema has
// seen none.
type Schema struct {
	properties map[string]*Stat
	names      []string // in the order in which they were first seen
	entities   int
	keyWidths  [2]int // longest keys, in characters
}

// Stat is what is known of a property.
type Stat struct {
	Name  string
	Type  odata.Type         // of all values, 0 where they differ
	Types map[odata.Type]int // how many values have each type
	Count int                // entities that have it
	Min   odata.Value        // of numbers and dates of one type, without NaN
	Max   odata.Value
	// longest is the longest value in characters, and values are numbers and dates,
	// among the first entities.
	longest int
	values  []float64
}

// Entities returns how many entities were seen.
func (s *Schema) Entities() int { return s.entities }

// Add notes the properties of an entity.
func (s *Schema) Add(e *odata.Entity) {
	if s.properties == nil {
		s.properties = map[string]*Stat{}
	}
	measured := s.entities < sample
	s.entities++
	if measured {
		s.keyWidths[0] = max(s.keyWidths[0], utf8.RuneCountInString(e.PartitionKey))
		s.keyWidths[1] = max(s.keyWidths[1], utf8.RuneCountInString(e.RowKey))
	}
	for _, p := range e.Properties {
		stat := s.properties[p.Name]
		if stat == nil {
			stat = &Stat{Name: p.Name, Type: p.Value.Type(), Types: map[odata.Type]int{}}
			s.properties[p.Name] = stat
			s.names = append(s.names, p.Name)
		}
		stat.add(p.Value, measured || stat.Count < 20)
	}
}

func (t *Stat) add(v odata.Value, measured bool) {
	t.Count++
	t.Types[v.Type()]++
	if v.Type() != t.Type {
		t.Type = 0
	}
	if measured {
		t.longest = max(t.longest, utf8.RuneCountInString(cellOfValue(v, Format{}).Text))
	}
	if t.Type == 0 || !t.Type.IsNumber() && t.Type != odata.EdmDateTime || math.IsNaN(size(v)) {
		return
	}
	if len(t.values) < sample {
		t.values = append(t.values, size(v))
	}
	if n, ok := odata.CompareValues(v, t.Min); !ok || n < 0 {
		t.Min = v
	}
	if n, ok := odata.CompareValues(v, t.Max); !ok || n > 0 {
		t.Max = v
	}
}

// Property returns what is known of a property, or of a key.
func (s *Schema) Property(name string) (Stat, bool) {
	switch name {
	case odata.PartitionKeyName, odata.RowKeyName:
		return Stat{Name: name, Type: odata.EdmString, Count: s.entities}, true
	case odata.TimestampName:
		return Stat{Name: name, Type: odata.EdmDateTime, Count: s.entities}, true
	}
	if t := s.properties[name]; t != nil {
		return *t, true
	}
	return Stat{}, false
}

// Names returns the properties by name, without the keys and the Timestamp.
func (s *Schema) Names() []string {
	return slices.Sorted(slices.Values(s.names))
}

func (t *Stat) isNumber() bool {
	for typ := range t.Types {
		if !typ.IsNumber() {
			return false
		}
	}
	return true
}

// Columns returns all columns in the order of the settings, with those that
// they hide marked.
func (s *Schema) Columns(settings Settings) []Column {
	all := []Column{{Name: odata.PartitionKeyName, Type: odata.EdmString}, {Name: odata.RowKeyName, Type: odata.EdmString},
		{Name: odata.TimestampName, Type: odata.EdmDateTime, Hidden: true}}
	for _, name := range s.names {
		t := s.properties[name]
		all = append(all, Column{Name: name, Type: t.Type, IsNumber: t.isNumber()})
	}
	place := map[string]int{}
	for i, name := range settings.Order {
		place[name] = i + 1
	}
	slices.SortStableFunc(all, func(a, b Column) int {
		x, y := place[a.Name], place[b.Name]
		if x == 0 || y == 0 {
			// Columns that the settings do not know follow those they do.
			return cmp.Compare(boolOf(x == 0 && len(settings.Order) > 0), boolOf(y == 0 && len(settings.Order) > 0))
		}
		return cmp.Compare(x, y)
	})
	for i := range all {
		c := &all[i]
		if hidden, known := settings.Hidden[c.Name]; known {
			c.Hidden = hidden
		}
		if c.Width = settings.Widths[c.Name]; c.Width == 0 {
			c.Width = s.width(*c)
		}
	}
	return all
}

func boolOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// width is as wide as the head and the values need, within limits.
func (s *Schema) width(c Column) int {
	head := headWidth*utf8.RuneCountInString(c.Name) + typeWidth*utf8.RuneCountInString(c.TypeName()) + 22
	longest := 0
	switch c.Name {
	case odata.PartitionKeyName:
		longest = s.keyWidths[0]
	case odata.RowKeyName:
		longest = s.keyWidths[1]
	case odata.TimestampName:
		longest = len("2026-11-20T18:44:02.1730412Z")
	default:
		longest = s.properties[c.Name].longest
	}
	return min(max(longest*characterWidth/2, head)+padding, maxWidth)
}

// Shown returns the columns that are drawn: those that are not hidden, up to
// [MaxColumns]. left is how many more there are.
func Shown(all []Column) (columns []Column, left int) {
	for _, c := range all {
		if !c.Hidden {
			columns = append(columns, c)
		}
	}
	left = max(0, len(columns)-MaxColumns)
	return columns[:len(columns)-left], left
}

// Settings is what the user has chosen for the columns of a table.
type Settings struct {
	Order  []string        `json:"order,omitempty"`
	Hidden map[string]bool `json:"hidden,omitempty"` // also false, for those that are hidden otherwise
	Widths map[string]int  `json:"widths,omitempty"`
	Local  bool            `json:"local,omitempty"` // dates in local time instead of UTC
	Sort   string          `json:"sort,omitempty"`  // a column, "" for the order of the keys
	Down   bool            `json:"down,omitempty"`  // descending
}

// Limits of what is believed of stored settings.
const (
	maxSettings  = 1000
	minWidth     = 40
	maxUserWidth = 2000
)

// Valid reports whether settings that were stored can be used.
func (s Settings) Valid() bool {
	if len(s.Order) > maxSettings || len(s.Hidden) > maxSettings || len(s.Widths) > maxSettings {
		return false
	}
	seen := map[string]bool{}
	for _, name := range s.Order {
		if name == "" || seen[name] {
			return false
		}
		seen[name] = true
	}
	for _, width := range s.Widths {
		if width < minWidth || width > maxUserWidth {
			return false
		}
	}
	return true
}

// Move returns the settings with a column moved to before another one, "" for
// the end. all are the present columns.
func (s Settings) Move(all []Column, name, before string) Settings {
	if name == before {
		return s
	}
	var order []string
	for _, c := range all {
		if c.Name == before {
			order = append(order, name)
		}
		if c.Name != name {
			order = append(order, c.Name)
		}
	}
	if before == "" {
		order = append(order, name)
	}
	s.Order = order
	return s
}

// Hide returns the settings with a column hidden or shown.
func (s Settings) Hide(name string, hidden bool) Settings {
	all := map[string]bool{name: hidden}
	for other, h := range s.Hidden {
		if other != name {
			all[other] = h
		}
	}
	s.Hidden = all
	return s
}

// Resize returns the settings with the width of a column in pixels; 0 is its
// own.
func (s Settings) Resize(name string, width int) Settings {
	all := map[string]int{}
	for other, w := range s.Widths {
		all[other] = w
	}
	delete(all, name)
	if width > 0 {
		all[name] = min(max(width, minWidth), maxUserWidth)
	}
	s.Widths = all
	return s
}
