package bulk

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sandtable/odata"
	"sandtable/odata/rowfile"
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
		{Edit{Kind: Rename, Property: "Tier", To: "Level"}, row("1", "Level", "1"), "no change"},
		{Edit{Kind: Rename, Property: "Tier", To: "Tier"}, row("1", "Tier", "1"), "no change"},
		{Edit{Kind: Retype, Property: "Tier", Type: odata.EdmString}, row("1", "Tier", "1"), "no change"},
		{Edit{Kind: Retype, Property: "Tier", Type: odata.EdmInt32}, row("1", "Name", "1"), "no change"},
		{Edit{Kind: Retype, Property: "Tier", Type: odata.EdmInt32}, row("1", "Tier", " 42 "), "Tier= "},
	} {
		before := words(c.row.Entity)
		after, err := c.edit.Apply(c.row.Entity)
		if got := words(after); got != c.want || err != nil {
			t.Errorf("%s of %s: %s, %v, want %s", c.edit.Kind, before, got, err, c.want)
		}
		if words(c.row.Entity) != before {
			t.Errorf("%s changed the entity itself", c.edit.Kind)
		}
	}
}

func TestEditsThatCannotBeMade(t *testing.T) {
	full := row("1")
	for i := range odata.MaxProperties {
		full.Properties = append(full.Properties, odata.Property{Name: fmt.Sprint("P", i), Value: odata.Int32Value(1)})
	}
	for _, c := range []struct {
		edit Edit
		row  client.Entity
		want string
	}{
		{Edit{Kind: Rename, Property: "Tier", To: "Level"}, row("1", "Tier", "gold", "Level", "1"), ErrTaken.Error()},
		{Edit{Kind: Set, Property: "Tier", Value: odata.Int32Value(1)}, full, odata.ErrTooManyProperties.Error()},
		{Edit{Kind: Retype, Property: "Tier", Type: odata.EdmInt32}, row("1", "Tier", "gold"), rowfile.ErrInt32.Error() + ", not “gold”"},
	} {
		if after, err := c.edit.Apply(c.row.Entity); err == nil || err.Error() != c.want || after != nil {
			t.Errorf("%s: %v, want %s", c.edit.Kind, err, c.want)
		}
	}
	for name, want := range map[string]bool{"Tier": true, "": false, "a b": false, "RowKey": false, "Timestamp": false} {
		if err := (Edit{Kind: Set, Property: name}).Check(); (err == nil) != want {
			t.Errorf("property %q: %v", name, err)
		}
		if err := (Edit{Kind: Rename, Property: "Tier", To: name}).Check(); (err == nil) != want {
			t.Errorf("rename to %q: %v", name, err)
		}
	}
}

func TestRetyped(t *testing.T) {
	date, _ := odata.ParseDateTime("2026-11-20T18:30:00Z")
	for _, c := range []struct {
		from odata.Value
		to   odata.Type
		want odata.Value // the zero value for none
	}{
		{odata.StringValue("21"), odata.EdmInt64, odata.Int64Value(21)},
		{odata.StringValue("twenty"), odata.EdmInt64, odata.Value{}},
		{odata.Int32Value(-5), odata.EdmString, odata.StringValue("-5")},
		{odata.Int64Value(1 << 40), odata.EdmInt32, odata.Value{}},
		{odata.Int64Value(1<<53 + 1), odata.EdmDouble, odata.Value{}},
		{odata.Int64Value(1 << 53), odata.EdmDouble, odata.DoubleValue(1 << 53)},
		{odata.DoubleValue(12), odata.EdmInt32, odata.Int32Value(12)},
		{odata.DoubleValue(12.5), odata.EdmInt32, odata.Value{}},
		{odata.DoubleValue(math.Inf(1)), odata.EdmInt64, odata.Value{}},
		{odata.DoubleValue(math.NaN()), odata.EdmInt64, odata.Value{}},
		{odata.StringValue("True"), odata.EdmBoolean, odata.BooleanValue(true)},
		{odata.BooleanValue(true), odata.EdmString, odata.StringValue("true")},
		{odata.DateTimeValue(date), odata.EdmString, odata.StringValue("2026-11-20T18:30:00Z")},
		{odata.StringValue("2026-11-20T18:30:00Z"), odata.EdmDateTime, odata.DateTimeValue(date)},
		{odata.BinaryValue([]byte{1, 2, 3}), odata.EdmString, odata.StringValue("AQID")},
		{odata.StringValue(strings.Repeat("x", 50)), odata.EdmGuid, odata.Value{}},
	} {
		got, err := retyped(c.from, c.to)
		if (err == nil) == c.want.IsZero() || err == nil && !got.Equal(c.want) {
			t.Errorf("%s to %s: %v, %v", rowfile.Text(c.from), c.to, rowfile.Text(got), err)
		}
	}
}

func TestPlan(t *testing.T) {
	rows := []client.Entity{row("1", "Tier", "5"), row("2", "Tier", "gold"), row("3", "Name", "C"), row("4", "Tier", "6")}
	rows = append(rows, client.Entity{Entity: &odata.Entity{PartitionKey: "q", RowKey: "1", Properties: rows[0].Properties}})
	rows = append(rows, client.Entity{Entity: &odata.Entity{PartitionKey: "q", RowKey: "2", Properties: []odata.Property{{Name: "Tier", Value: odata.Int32Value(1)}}}})
	plan := Edit{Kind: Retype, Property: "Tier", Type: odata.EdmInt32}.Plan(rows)
	if len(plan.Changed) != 3 || plan.Absent != 1 || plan.Same != 1 || len(plan.Impossible) != 1 || plan.Impossible[0].Key.RowKey != "2" {
		t.Errorf("%+v", plan)
	}
	for most, want := range map[int]string{0: "", 1: "p1 ", 2: "p1 q1 ", 3: "p1 p4 q1 ", 9: "p1 p4 q1 "} {
		got := ""
		for _, c := range plan.Preview(most) {
			got += c.After.PartitionKey + c.After.RowKey + " "
		}
		if got != want {
			t.Errorf("the preview of %d is %s, want %s", most, got, want)
		}
	}
}

func TestRowsOfAnEdit(t *testing.T) {
	rows := []client.Entity{row("1", "Tier", "silver", "Name", "A"), row("2", "Tier", "gold"), row("3", "Name", "C")}
	plan := Edit{Kind: Set, Property: "Tier", Value: odata.StringValue("gold")}.Plan(rows)
	got := plan.Rows(false)
	if len(got) != 2 || got[0].Write != client.Merge || got[0].IfMatch != "tag of 1" || words(got[0].Entity) != "Tier=gold " || got[1].Entity.RowKey != "3" {
		t.Errorf("set: %+v", got)
	}
	if forced := plan.Rows(true); forced[0].IfMatch != "*" {
		t.Errorf("forced: %+v", forced[0])
	}
	now := odata.MinDateTime + 1
	written := []Written{{Row: got[1], Tag: odata.ETag(now)}}
	if undo := plan.Undo(written); len(undo) != 1 || undo[0].Write != client.Replace || undo[0].IfMatch != odata.ETag(now) || words(undo[0].Entity) != "Name=C " {
		t.Errorf("undo: %+v", undo)
	}
	if result := plan.Result(written); len(result) != 1 || words(result[0].Entity) != "Name=C Tier=gold " || result[0].Timestamp != now || result[0].Tag != odata.ETag(now) {
		t.Errorf("result: %+v", result)
	}
	if got := (Edit{Kind: Remove, Property: "Tier"}).Plan(rows).Rows(false); len(got) != 2 || got[0].Write != client.Replace || words(got[0].Entity) != "Name=A " {
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
