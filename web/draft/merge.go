package draft

import (
	"slices"

	"sandtable/odata"
)

// Side is whose value of a property is kept.
type Side string

// The sides. A [Difference] that must be chosen has no side at first.
const (
	Theirs Side = "theirs"
	Mine   Side = "mine"
	Both   Side = "both" // both made the same change
)

// Merge is an entity that was changed on two sides since it was read: stored by
// others, and edited here.
type Merge struct {
	Base, Theirs, Mine *odata.Entity
	// Differences are the properties that are not the same on all sides, those of
	// base and theirs first, in their order.
	Differences []Difference
	Same        []string // names of the others
}

// Difference is a property that some side has changed. A zero value means that
// the side does not have it.
type Difference struct {
	Name               string
	Base, Theirs, Mine odata.Value
	// Keep is whose value the merged entity gets, "" while that must be chosen:
	// both sides have changed the property, and not to the same value.
	Keep Side
	// Clash says that both sides have changed the property to different values.
	Clash bool
}

// TheirsChanged reports whether the stored value is another than it was.
func (d Difference) TheirsChanged() bool { return !d.Theirs.Equal(d.Base) }

// MineChanged reports whether the edited value is another than it was.
func (d Difference) MineChanged() bool { return !d.Mine.Equal(d.Base) }

// Value returns the merged value.
func (d Difference) Value() odata.Value {
	if d.Keep == Mine {
		return d.Mine
	}
	return d.Theirs
}

// MergeOf compares three states of an entity. What only one side has changed is
// merged; chosen says what the user has chosen before, by property.
func MergeOf(base, theirs, mine *odata.Entity, chosen map[string]Side) Merge {
	m := Merge{Base: base, Theirs: theirs, Mine: mine}
	var names []string
	for _, e := range []*odata.Entity{base, theirs, mine} {
		for _, p := range e.Properties {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	}
	for _, name := range names {
		d := Difference{Name: name, Base: valueOf(base, name), Theirs: valueOf(theirs, name), Mine: valueOf(mine, name)}
		switch {
		case !d.TheirsChanged() && !d.MineChanged():
			m.Same = append(m.Same, name)
			continue
		case d.Theirs.Equal(d.Mine):
			d.Keep = Both
		case !d.MineChanged():
			d.Keep = Theirs
		case !d.TheirsChanged():
			d.Keep = Mine
		default:
			d.Clash = true
		}
		if side := chosen[name]; side != "" && d.Keep != Both {
			d.Keep = side
		}
		m.Differences = append(m.Differences, d)
	}
	return m
}

func valueOf(e *odata.Entity, name string) odata.Value {
	v, _ := e.Property(name)
	return v
}

// Open returns the properties that must still be chosen.
func (m Merge) Open() []string {
	var names []string
	for _, d := range m.Differences {
		if d.Keep == "" {
			names = append(names, d.Name)
		}
	}
	return names
}

// Choose keeps the value of a side for a property.
func (m *Merge) Choose(name string, side Side) {
	m.Differences = slices.Clone(m.Differences)
	for i := range m.Differences {
		if d := &m.Differences[i]; d.Name == name && d.Keep != Both {
			d.Keep = side
		}
	}
}

// Entity returns the merged entity as a whole. Properties that must still be
// chosen have the value that is stored.
func (m Merge) Entity() *odata.Entity {
	e := &odata.Entity{PartitionKey: m.Theirs.PartitionKey, RowKey: m.Theirs.RowKey}
	merged := map[string]odata.Value{}
	var added []string
	for _, d := range m.Differences {
		merged[d.Name] = d.Value()
		if d.Theirs.IsZero() {
			added = append(added, d.Name)
		}
	}
	for _, p := range m.Theirs.Properties {
		if v, differs := merged[p.Name]; differs {
			p.Value = v
		}
		if !p.Value.IsZero() {
			e.Properties = append(e.Properties, p)
		}
	}
	for _, name := range added {
		if v := merged[name]; !v.IsZero() {
			e.Properties = append(e.Properties, odata.Property{Name: name, Value: v})
		}
	}
	return e
}

// Change returns what has to be written so that the stored entity becomes the
// merged one. A merge cannot remove a property: with replace the whole entity
// is written. Nothing has to be written if e is nil.
func (m Merge) Change() (e *odata.Entity, replace bool) {
	part := &odata.Entity{PartitionKey: m.Theirs.PartitionKey, RowKey: m.Theirs.RowKey}
	for _, d := range m.Differences {
		switch v := d.Value(); {
		case v.Equal(d.Theirs):
		case v.IsZero():
			return m.Entity(), true
		default:
			part.Properties = append(part.Properties, odata.Property{Name: d.Name, Value: v})
		}
	}
	if len(part.Properties) == 0 {
		return nil, false
	}
	return part, false
}
