package bulk

import (
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
)

// Edit is one change of a property that is made to many entities.
type Edit struct {
	Kind     EditKind
	Property string
	Value    odata.Value // of Set
	To       string      // the new name, of Rename
}

// Apply returns the entity with the change, or nil where it changes nothing. It
// does not change the given one. Rename changes nothing where there is a
// property with the new name already.
func (x Edit) Apply(e *odata.Entity) *odata.Entity {
	old, has := e.Property(x.Property)
	_, taken := e.Property(x.To)
	after := *e
	after.Properties = slices.Clone(e.Properties)
	i := slices.IndexFunc(after.Properties, func(p odata.Property) bool { return p.Name == x.Property })
	switch {
	case x.Kind == Set && has && !old.Equal(x.Value):
		after.Properties[i].Value = x.Value
	case x.Kind == Set && !has:
		after.Properties = append(after.Properties, odata.Property{Name: x.Property, Value: x.Value})
	case x.Kind == Remove && has:
		after.Properties = slices.Delete(after.Properties, i, i+1)
	case x.Kind == Rename && has && !taken:
		after.Properties[i].Name = x.To
	default:
		return nil
	}
	return &after
}

// Edited is an entity that an edit changes.
type Edited struct {
	Before client.Entity
	After  *odata.Entity
}

// Plan returns the entities that the edit changes, in their order.
func (x Edit) Plan(all []client.Entity) []Edited {
	var changed []Edited
	for _, e := range all {
		if after := x.Apply(e.Entity); after != nil {
			changed = append(changed, Edited{e, after})
		}
	}
	return changed
}

// Rows returns the writes of a plan. Set merges the one property; the others
// replace the entity, because a merge cannot remove a property. Each names the
// tag that was read, or with force any.
func (x Edit) Rows(plan []Edited, force bool) []Row {
	rows := make([]Row, len(plan))
	for i, c := range plan {
		o := client.Operation{Write: client.Replace, Entity: c.After, IfMatch: c.Before.Tag}
		if x.Kind == Set {
			o.Write = client.Merge
			o.Entity = &odata.Entity{PartitionKey: c.After.PartitionKey, RowKey: c.After.RowKey, Properties: []odata.Property{{Name: x.Property, Value: x.Value}}}
		}
		if force {
			o.IfMatch = "*"
		}
		rows[i] = Row{Operation: o}
	}
	return rows
}

// Undo returns the writes that put back what was there before a plan, where its
// rows were written: each only if the entity still has the tag of that write.
func Undo(plan []Edited, written []Written) []Row {
	before := map[odata.Key]*odata.Entity{}
	for _, c := range plan {
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
