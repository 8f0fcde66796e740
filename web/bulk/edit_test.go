package bulk

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"sandtable/odata"
	"sandtable/web/client"
)

// row returns an entity of partition p with properties: names and values in turn.
func row(key string, pairs ...string) client.Entity {
	e := &odata.Entity{PartitionKey: "p", RowKey: key}
	for i := 0; i < len(pairs); i += 2 {
		e.Properties = append(e.Properties, odata.Property{Name: pairs[i], Value: odata.StringValue(pairs[i+1])})
	}
	return client.Entity{Entity: e, Tag: "tag of " + key}
}

func words(e *odata.Entity) string {
	if e == nil {
		return "no change"
	}
	text := ""
	for _, p := range e.Properties {
		text += p.Name + "=" + p.Value.Text() + " "
	}
	return text
}

func TestEdit(t *testing.T) {
	gold := odata.StringValue("gold")
	for _, c := range []struct {
		edit Edit
		row  client.Entity
		want string
	}{
		{Edit{Kind: Set, Property: "Tier", Value: gold}, row("1", "Name", "A"), "Name=A Tier=gold "},
		{Edit{Kind: Set, Property: "Tier", Value: gold}, row("1", "Tier", "silver", "Name", "A"), "Tier=gold Name=A "},
		{Edit{Kind: Set, Property: "Tier", Value: gold}, row("1", "Tier", "gold"), "no change"},
		{Edit{Kind: Set, Property: "Tier", Value: odata.Int32Value(1)}, row("1", "Tier", "1"), "Tier= "},
		{Edit{Kind: Remove, Property: "Tier"}, row("1", "Tier", "gold", "Name", "A"), "Name=A "},
		{Edit{Kind: Remove, Property: "Tier"}, row("1", "Name", "A"), "no change"},
		{Edit{Kind: Rename, Property: "Tier", To: "Level"}, row("1", "Tier", "gold", "Name", "A"), "Level=gold Name=A "},
		{Edit{Kind: Rename, Property: "Tier", To: "Level"}, row("1", "Tier", "gold", "Level", "1"), "no change"},
		{Edit{Kind: Rename, Property: "Tier", To: "Level"}, row("1", "Level", "1"), "no change"},
	} {
		before := words(c.row.Entity)
		if got := words(c.edit.Apply(c.row.Entity)); got != c.want {
			t.Errorf("%s of %s: %s, want %s", c.edit.Kind, before, got, c.want)
		}
		if words(c.row.Entity) != before {
			t.Errorf("%s changed the entity itself", c.edit.Kind)
		}
	}
}

func TestRowsOfAnEdit(t *testing.T) {
	rows := []client.Entity{row("1", "Tier", "silver", "Name", "A"), row("2", "Tier", "gold"), row("3", "Name", "C")}
	edit := Edit{Kind: Set, Property: "Tier", Value: odata.StringValue("gold")}
	plan := edit.Plan(rows)
	got := edit.Rows(plan, false)
	if len(got) != 2 || got[0].Write != client.Merge || got[0].IfMatch != "tag of 1" || words(got[0].Entity) != "Tier=gold " || got[1].Entity.RowKey != "3" {
		t.Errorf("set: %+v", got)
	}
	if forced := edit.Rows(plan, true); forced[0].IfMatch != "*" {
		t.Errorf("forced: %+v", forced[0])
	}
	undo := Undo(plan, []Written{{Row: got[1], Tag: "new"}})
	if len(undo) != 1 || undo[0].Write != client.Replace || undo[0].IfMatch != "new" || words(undo[0].Entity) != "Name=C " {
		t.Errorf("undo: %+v", undo)
	}
	edit = Edit{Kind: Remove, Property: "Tier"}
	if got := edit.Rows(edit.Plan(rows), false); len(got) != 2 || got[0].Write != client.Replace || words(got[0].Entity) != "Name=A " {
		t.Errorf("remove: %+v", got)
	}
}

// TestWholeTransactions leaves a transaction out as a whole, and writes others.
func TestWholeTransactions(t *testing.T) {
	f := &table{refused: "p007"}
	j := job(f, rows(150, "p", "q"))
	j.Whole = true
	report := j.Run(context.Background())
	var lost []string
	for _, r := range report.Refused {
		lost = append(lost, r.Entity.RowKey)
	}
	slices.Sort(lost)
	if report.Err != nil || len(report.Written) != 200 || len(lost) != 100 || lost[0] != "p000" || lost[99] != "p099" {
		t.Errorf("%v, %d written, lost %d", report.Err, len(report.Written), len(lost))
	}
	because := 0
	for _, r := range report.Refused {
		if client.HasCode(r.Err, client.CodeEntityAlreadyExists) {
			because++
		}
	}
	if because != 1 {
		t.Errorf("%d rows say why: %s", because, fmt.Sprint(report.Refused[0]))
	}
}
