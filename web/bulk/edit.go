package bulk

import (
	"errors"
	"fmt"
	"slices"

	"sandtable/odata"
	"sandtable/web/client"
)

// EditKind is what an [Edit] does to a property.
type EditKind string

// The kinds of edits.
const (
	Set    EditKind = "set"
	Remove EditKind = "remove"
	Rename EditKind = "rename"
	Retype EditKind = "retype"
)

// Edit is one change of a property that is made to many entities.
type Edit struct {
	Kind     EditKind
	Property string
	Value    odata.Value // of Set
	To       string      // the new name, of Rename
	Type     odata.Type  // the new type, of Retype
}

// ErrTaken means that the entity already has a property with the new name.
var ErrTaken = errors.New("there is a property with the new name already")

// ErrKey means that no edit can change the property.
var ErrKey = errors.New("the keys and the Timestamp cannot be changed here")

// Check returns what is wrong with the names of an edit.
func (x Edit) Check() error {
	names := []string{x.Property}
	if x.Kind == Rename {
		names = append(names, x.To)
	}
	for _, name := range names {
		switch {
		case name == odata.PartitionKeyName || name == odata.RowKeyName || name == odata.TimestampName:
			return ErrKey
		case odata.CheckPropertyName(name) != nil:
			return fmt.Errorf("“%s” is not a valid property name", name)
		}
	}
	return nil
}

// Apply returns the entity with the change, or nil where it changes nothing. It
// does not change the given one. The error says why the entity cannot be
// changed like that.
func (x Edit) Apply(e *odata.Entity) (*odata.Entity, error) {
	old, has := e.Property(x.Property)
	value := x.Value
	switch x.Kind {
	case Retype:
		if !has || old.Type() == x.Type {
			return nil, nil
		}
		var err error
		if value, err = retyped(old, x.Type); err != nil {
			return nil, err
		}
	case Rename:
		if _, taken := e.Property(x.To); has && taken && x.To != x.Property {
			return nil, ErrTaken
		}
	}
	after := *e
	after.Properties = slices.Clone(e.Properties)
	i := slices.IndexFunc(after.Properties, func(p odata.Property) bool { return p.Name == x.Property })
	switch {
	case x.Kind == Remove && has:
		after.Properties = slices.Delete(after.Properties, i, i+1)
	case x.Kind == Rename && has && x.To != x.Property:
		after.Properties[i].Name = x.To
	case x.Kind == Retype, x.Kind == Set && has && !old.Equal(value):
		after.Properties[i].Value = value
	case x.Kind == Set && !has:
		after.Properties = append(after.Properties, odata.Property{Name: x.Property, Value: value})
	default:
		return nil, nil
	}
	if err := fits(e, &after); err != nil {
		return nil, err
	}
	return &after, nil
}

// fits checks the limits of the service on a changed entity.
func fits(before, after *odata.Entity) error {
	switch {
	case len(after.Properties) > odata.MaxProperties && len(after.Properties) > len(before.Properties):
		return odata.ErrTooManyProperties
	case after.Size() > odata.MaxEntitySize && after.Size() > before.Size():
		return odata.ErrEntityTooLarge
	}
	return nil
}

// Edited is an entity that an edit changes.
type Edited struct {
	Before client.Entity
	After  *odata.Entity
}

// Impossible is an entity that an edit cannot change, and why.
type Impossible struct {
	Key odata.Key
	Err error
}

// Plan is what an edit does to some entities.
type Plan struct {
	Edit       Edit
	Changed    []Edited // in the order of the entities
	Absent     int      // entities without the property
	Same       int      // entities that are as the edit would make them
	Impossible []Impossible
}

// Plan returns what the edit does to entities.
func (x Edit) Plan(all []client.Entity) Plan {
	plan := Plan{Edit: x}
	for _, e := range all {
		_, has := e.Property(x.Property)
		if !has {
			plan.Absent++
		}
		after, err := x.Apply(e.Entity)
		switch {
		case err != nil:
			plan.Impossible = append(plan.Impossible, Impossible{e.Key(), err})
		case after != nil:
			plan.Changed = append(plan.Changed, Edited{e, after})
		case has:
			plan.Same++
		}
	}
	return plan
}

// Preview returns the first changed entity of each partition, and others if there is
// space, at most so many, in the order of the entities.
func (p Plan) Preview(most int) []Edited {
	seen := map[string]bool{}
	var first, others []int
	for i, c := range p.Changed {
		if len(first) == most {
			break
		}
		if key := c.After.PartitionKey; !seen[key] {
			seen[key] = true
			first = append(first, i)
		} else if len(others) < most {
			others = append(others, i)
		}
	}
	some := append(first, others[:min(len(others), most-len(first))]...)
	slices.Sort(some)
	all := make([]Edited, len(some))
	for i, at := range some {
		all[i] = p.Changed[at]
	}
	return all
}

// Rows returns the writes of a plan. Set and Retype merge the one property; the
// others replace the entity, because a merge cannot remove a property. Each names
// the tag that was read, or with force any.
func (p Plan) Rows(force bool) []Row {
	rows := make([]Row, len(p.Changed))
	for i, c := range p.Changed {
		o := client.Operation{Write: client.Replace, Entity: c.After, IfMatch: c.Before.Tag}
		if p.Edit.Kind == Set || p.Edit.Kind == Retype {
			value, _ := c.After.Property(p.Edit.Property)
			o.Write = client.Merge
			o.Entity = &odata.Entity{PartitionKey: c.After.PartitionKey, RowKey: c.After.RowKey, Properties: []odata.Property{{Name: p.Edit.Property, Value: value}}}
		}
		if force {
			o.IfMatch = "*"
		}
		rows[i] = Row{Operation: o}
	}
	return rows
}

// Result returns the entities that a report says were written, as they are now:
// none of them was written by force.
func (p Plan) Result(written []Written) []client.Entity {
	after := map[odata.Key]*odata.Entity{}
	for _, c := range p.Changed {
		after[c.After.Key()] = c.After
	}
	all := make([]client.Entity, 0, len(written))
	for _, w := range written {
		if e := after[w.Entity.Key()]; e != nil {
			now := *e
			if t, ok := odata.ETagTime(w.Tag); ok {
				now.Timestamp = t
			}
			all = append(all, client.Entity{Entity: &now, Tag: w.Tag})
		}
	}
	return all
}

// Undo returns the writes that put back what was there before a plan, where its
// rows were written: each only if the entity still has the tag of that write.
// Rows that were written by force cannot be undone, because what they replaced
// is not known.
func (p Plan) Undo(written []Written) []Row {
	before := map[odata.Key]*odata.Entity{}
	for _, c := range p.Changed {
		before[c.Before.Key()] = c.Before.Entity
	}
	var rows []Row
	for _, w := range written {
		if e := before[w.Entity.Key()]; e != nil {
			rows = append(rows, Row{Operation: client.Operation{Write: client.Replace, Entity: e, IfMatch: w.Tag}})
		}
	}
	return rows
}
