package entities

import (
	"strings"
	"testing"

	"sandtable/odata"
	"sandtable/web/page"
	"sandtable/web/pagetest"
	"sandtable/web/query"
)

func TestBrokenFilterIsNotRewrittenByTheBuilder(t *testing.T) {
	d := open(t, pagetest.Filled(3))
	const half = "PartitionKey eq 'p' and Age gte 21"
	d.Do(func() {
		for i := range half {
			d.Page.bar.filter = half[:i+1]
			d.Page.bar.parse()
		}
	})
	d.Shows("The filter has an error", "disabled")
	if b := d.Page.bar; !b.broken || b.filter != half || len(b.clauses) != 1 || b.clauses[0].Text != "p" {
		t.Errorf("%+v", b)
	}
	d.Do(func() { d.Page.bar.filter = "PartitionKey eq 'p' and Age ge 21"; d.Page.bar.parse() })
	d.Hides("The filter has an error")
	if c := d.Page.bar.clauses; len(c) != 2 || c[1].Operator != query.AtLeast || c[1].Text != "21" {
		t.Errorf("clauses %+v", c)
	}
}

func TestBrokenFilterOfTheAddress(t *testing.T) {
	d := open(t, pagetest.Filled(3))
	enter(d, "Age ge 1")
	enter(d, "contains(Name, 'a')")
	d.Shows("The filter has an error")
	d.Hides(`data-testid="clause"`, "more than conditions joined by and")
}

// TestBuilderKeepsItsOwnError: a value that is being entered in the builder can be
// corrected there.
func TestBuilderKeepsItsOwnError(t *testing.T) {
	d := open(t, pagetest.Filled(3))
	d.Do(func() {
		d.Page.bar.clauses = []query.Clause{{Property: "Age", Operator: query.AtLeast, Type: odata.EdmInt32, Text: "2x"}}
		d.Page.bar.compile()
		d.Page.submitQuery()
	})
	d.Hides("The filter has an error")
	if b := d.Page.bar; b.broken || len(b.clauses) != 1 || b.clauses[0].Text != "2x" {
		t.Errorf("%+v", b)
	}
}

func TestContainsIsAddedOnce(t *testing.T) {
	d := open(t, pagetest.Filled(3))
	for _, text := range []string{"1", "2"} {
		d.Do(func() { d.Session.Route = customers.With(containsArg, "RowKey:"+text) })
	}
	if c := d.Page.bar.clauses; len(c) != 1 || c[0].Text != "2" {
		t.Errorf("clauses %+v", c)
	}
}

// TestOneConditionContains: the page looks for one text, so no second condition offers that.
func TestOneConditionContains(t *testing.T) {
	d := open(t, pagetest.Filled(3))
	d.Do(func() {
		d.Page.bar.clauses = []query.Clause{{Operator: query.Contains, Text: "a"}, {Property: "Age", Operator: query.Equals, Type: odata.EdmInt32, Text: "1"}}
		d.Page.bar.compile()
	})
	if n := strings.Count(d.HTML(), `value="contains"`); n != 1 {
		t.Errorf("%d conditions can be \"contains\", want 1", n)
	}
}

// TestTypeAfterBeginsWith: begins-with is about texts, other operators about the property's
// type.
func TestTypeAfterBeginsWith(t *testing.T) {
	d := open(t, pagetest.Filled(3))
	c := query.Clause{Property: "Age", Operator: query.Equals, Type: odata.EdmInt32, Text: "1"}
	for _, step := range []struct {
		operator query.Operator
		want     odata.Type
	}{{query.Begins, odata.EdmString}, {query.AtLeast, odata.EdmInt32}, {query.Contains, odata.EdmString}, {query.Equals, odata.EdmInt32}} {
		if d.Page.operate(&c, step.operator); c.Type != step.want {
			t.Errorf("%s: the type is %v, want %v", step.operator, c.Type, step.want)
		}
	}
}

// TestNothingIsChosenBeforeTyping: Tab leaves a filter in which nothing was
// typed.
func TestNothingIsChosenBeforeTyping(t *testing.T) {
	d := open(t, pagetest.Filled(3))
	d.Do(func() {
		d.Page.bar.suggestions = query.Complete("", 0, d.Page.properties())
		d.Page.bar.chosen = -1
	})
	d.Shows(`data-testid="suggestion"`)
	d.Hides("<kbd>Tab</kbd>", `aria-activedescendant="suggestion`, `aria-selected="true"`)
	d.Do(func() { d.Page.bar.chosen = 0 })
	d.Shows(`aria-activedescendant="suggestion-0"`, "insert")
	d.Do(func() { d.Page.insert(0) })
	if b := d.Page.bar; b.filter != "PartitionKey " || b.choice() != nil {
		t.Errorf("%+v", b)
	}
}

// TestTypedFilterIsKept: a filter that was typed and not run is there when the user
// comes back, unless another query is shown by then.
func TestTypedFilterIsKept(t *testing.T) {
	definition, elsewhere := Definition(), customers.At("partitions")
	for name, test := range map[string]struct {
		back page.Route
		want string
	}{
		"back":               {customers, "Age ge 2"},
		"from another query": {customers.With(filterArg, "Age eq 1"), "Age eq 1"},
	} {
		t.Run(name, func(t *testing.T) {
			d := pagetest.Open(t, pagetest.Filled(3), customers, func(p page.Props) *Page { return definition.New(p).(*Page) })
			d.Do(func() { d.Page.bar.set("Age ge 2") })
			d.Do(func() { d.Session.Route = elsewhere })
			d.Do(func() { d.Session.Route = test.back })
			if got := d.Page.bar.filter; got != test.want {
				t.Errorf("the filter is %q, want %q", got, test.want)
			}
			d.Shows("All 3 loaded") // it was not run
		})
	}
}
