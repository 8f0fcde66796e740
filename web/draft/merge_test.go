package draft

import (
	"slices"
	"testing"

	"sandtable/odata"
)

// with returns an entity with these properties, names and values in turn; a
// value is an Int32, or a string.
func with(pairs ...any) *odata.Entity {
	e := &odata.Entity{PartitionKey: "p", RowKey: "r"}
	for i := 0; i < len(pairs); i += 2 {
		v := odata.Value{}
		switch x := pairs[i+1].(type) {
		case int:
			v = odata.Int32Value(int32(x))
		case string:
			v = odata.StringValue(x)
		}
		e.Properties = append(e.Properties, odata.Property{Name: pairs[i].(string), Value: v})
	}
	return e
}

func same(a, b *odata.Entity) bool {
	return a != nil && b != nil && a.Key() == b.Key() && slices.EqualFunc(a.Properties, b.Properties, func(x, y odata.Property) bool {
		return x.Name == y.Name && x.Value.Equal(y.Value)
	})
}

func TestMerge(t *testing.T) {
	base := with("Name", "Dmitri", "Age", 42, "Tier", "silver", "Active", "no")
	for name, c := range map[string]struct {
		theirs, mine *odata.Entity
		chosen       map[string]Side
		open         []string
		merged       *odata.Entity // that of Change
		replace      bool
	}{
		"each side changed another property": {
			theirs: with("Name", "Dmitri", "Age", 43, "Tier", "silver", "Active", "no"), mine: with("Name", "Dmitri", "Age", 42, "Tier", "gold", "Active", "no"),
			merged: with("Tier", "gold")},
		"both made the same change": {
			theirs: with("Name", "Dmitri", "Age", 43, "Tier", "silver", "Active", "no"), mine: with("Name", "Dmitri", "Age", 43, "Tier", "silver", "Active", "no")},
		"both changed one property": {
			theirs: with("Name", "Dmitri", "Age", 43, "Tier", "gold", "Active", "no"), mine: with("Name", "Dmitri", "Age", 42, "Tier", "platinum", "Active", "no"),
			open: []string{"Tier"}},
		"and mine was chosen": {
			theirs: with("Name", "Dmitri", "Age", 43, "Tier", "gold", "Active", "no"), mine: with("Name", "Dmitri", "Age", 42, "Tier", "platinum", "Active", "no"),
			chosen: map[string]Side{"Tier": Mine}, merged: with("Tier", "platinum")},
		"what only they changed was switched": {
			theirs: with("Name", "Dmitri", "Age", 43, "Tier", "silver", "Active", "no"), mine: with("Name", "Dmitri", "Age", 42, "Tier", "silver", "Active", "yes"),
			chosen: map[string]Side{"Age": Mine}, merged: with("Age", 42, "Active", "yes")},
		"mine adds a property": {
			theirs: with("Name", "Dmitri", "Age", 43, "Tier", "silver", "Active", "no"), mine: with("Name", "Dmitri", "Age", 42, "Tier", "silver", "Active", "no", "Notes", "called"),
			merged: with("Notes", "called")},
		"mine removes a property": {
			theirs: with("Name", "Dmitri", "Age", 43, "Tier", "silver", "Active", "no"), mine: with("Name", "Dmitri", "Age", 42, "Tier", "silver"),
			merged: with("Name", "Dmitri", "Age", 43, "Tier", "silver"), replace: true},
		"they removed what I changed": {
			theirs: with("Name", "Dmitri", "Age", 42, "Active", "no"), mine: with("Name", "Dmitri", "Age", 42, "Tier", "gold", "Active", "no"),
			open: []string{"Tier"}},
		"a type changed": {
			theirs: with("Name", "Dmitri", "Age", "42", "Tier", "silver", "Active", "no"), mine: with("Name", "Dmitri", "Age", 42, "Tier", "silver", "Active", "yes"),
			merged: with("Active", "yes")},
	} {
		t.Run(name, func(t *testing.T) {
			m := MergeOf(base, c.theirs, c.mine, c.chosen)
			if !slices.Equal(m.Open(), c.open) {
				t.Errorf("open are %q, want %q", m.Open(), c.open)
			}
			if len(c.open) > 0 {
				return
			}
			e, replace := m.Change()
			if replace != c.replace || (e == nil) != (c.merged == nil) || e != nil && !same(e, c.merged) {
				t.Errorf("change %+v, replace %v", e, replace)
			}
		})
	}
}

func TestMergedEntityIsWhole(t *testing.T) {
	m := MergeOf(with("A", 1, "B", 2, "C", 3), with("A", 1, "C", 4), with("A", 1, "B", 2, "C", 3, "D", "new"), nil)
	if want := with("A", 1, "C", 4, "D", "new"); !same(m.Entity(), want) {
		t.Errorf("got %+v, want %+v", m.Entity(), want)
	}
	if !slices.Equal(m.Same, []string{"A"}) {
		t.Errorf("the same are %q", m.Same)
	}
	m.Choose("B", Mine)
	if want := with("A", 1, "C", 4, "B", 2, "D", "new"); !same(m.Entity(), want) {
		t.Errorf("got %+v, want %+v", m.Entity(), want)
	}
}
