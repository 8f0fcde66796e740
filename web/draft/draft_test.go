package draft

import (
	"strings"
	"testing"

	"sandtable/odata"
)

func stored() *odata.Entity {
	return &odata.Entity{PartitionKey: "p", RowKey: "r", Properties: []odata.Property{
		{Name: "Note", Value: odata.StringValue("one\r\ntwo")},
		{Name: "Age", Value: odata.Int32Value(42)},
	}}
}

func TestUntouchedValuesStay(t *testing.T) {
	d := Of(stored(), "tag")
	if d.Changed() {
		t.Fatal("a draft that nobody touched has changed")
	}
	d.Set(2, func(p *Property) { p.Text = "43" })
	e, problems := d.Entity()
	if len(problems) != 0 || !d.Changed() {
		t.Fatalf("problems %v, changed %v", problems, d.Changed())
	}
	if note, _ := e.Property("Note"); note.Text() != "one\r\ntwo" {
		t.Errorf("the other property became %q", note.Text())
	}
	if age, _ := e.Property("Age"); !age.Equal(odata.Int32Value(43)) {
		t.Errorf("Age is %+v", age)
	}
}

func TestAddRemoveAndType(t *testing.T) {
	d := Of(stored(), "tag")
	before := d
	id := d.Add()
	if _, problems := d.Entity(); len(problems) != 0 || d.Changed() {
		t.Errorf("a blank property is a problem or a change: %v", problems)
	}
	d.Set(id, func(p *Property) { p.Name, p.Type = "On", odata.EdmBoolean })
	d.Remove(1)
	e, problems := d.Entity()
	if len(problems) != 0 || len(e.Properties) != 2 {
		t.Fatalf("%v %v", e, problems)
	}
	if on, _ := e.Property("On"); !on.Equal(odata.BooleanValue(false)) {
		t.Errorf("a Boolean without a choice is %+v", on)
	}
	if d.Remove(d.Add()); len(d.Properties) != 3 {
		t.Errorf("a property that was added and removed is still there: %+v", d.Properties)
	}
	other := before
	other.Set(2, func(p *Property) { p.Text = "44" })
	if len(before.Properties) != 2 || before.Properties[0].Name != "Note" || before.Changed() || !other.Changed() {
		t.Error("an earlier copy of the draft changed")
	}
}

func TestNewDraft(t *testing.T) {
	d := New()
	if d.Changed() {
		t.Error("a new draft has changed before anything was entered")
	}
	d.PartitionKey = "EU"
	if !d.Changed() {
		t.Error("a PartitionKey that was entered would be lost without a question")
	}
	d.RowKey = "1"
	e, problems := d.Entity()
	if len(problems) != 0 || e.PartitionKey != "EU" || len(e.Properties) != 0 || !d.Changed() {
		t.Errorf("%+v %v", e, problems)
	}
}

func TestDuplicate(t *testing.T) {
	d := Of(stored(), "tag").Duplicate()
	if d.Loaded || d.Tag != "" || d.Original() != nil || d.Key() != stored().Key() {
		t.Errorf("%+v", d)
	}
	d.RowKey = "r2"
	e, problems := d.Entity()
	if len(problems) != 0 || len(e.Properties) != 2 || e.RowKey != "r2" {
		t.Errorf("%+v %v", e, problems)
	}
}

func TestProblems(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Draft)
		field  int
		says   string
	}{
		{"slash in a key", func(d *Draft) { d.RowKey = "a/b" }, FieldRowKey, "RowKey has no /"},
		{"long key", func(d *Draft) { d.PartitionKey = strings.Repeat("x", 1025) }, FieldPartitionKey, "1,024"},
		{"value of another type", func(d *Draft) { d.Set(2, func(p *Property) { p.Text = "x" }) }, 2, "Int32"},
		{"type of another value", func(d *Draft) { d.Set(1, func(p *Property) { p.Type = odata.EdmGuid }) }, 1, "Guid"},
		{"twice", func(d *Draft) { d.Set(d.Add(), func(p *Property) { p.Name = "Age" }) }, 3, "already"},
		{"system property", func(d *Draft) { d.Set(d.Add(), func(p *Property) { p.Name = "Timestamp" }) }, 3, "already"},
		{"no name", func(d *Draft) { d.Set(d.Add(), func(p *Property) { p.Text = "x" }) }, 3, "letter"},
		{"bad name", func(d *Draft) { d.Set(d.Add(), func(p *Property) { p.Name = "a-b" }) }, 3, "letter"},
		{"long name", func(d *Draft) { d.Set(d.Add(), func(p *Property) { p.Name = strings.Repeat("x", 256) }) }, 3, "255"},
		{"long value", func(d *Draft) { d.Set(1, func(p *Property) { p.Text = strings.Repeat("x", 40_000) }) }, 1, "64 KiB"},
		{"too many", func(d *Draft) {
			for range 252 {
				d.Set(d.Add(), func(p *Property) { p.Name = "N" + strings.Repeat("x", p.ID%200) + string(rune('a'+p.ID/200)) })
			}
		}, FieldWhole, "252"},
		{"too large", func(d *Draft) {
			for i := range 17 {
				d.Set(d.Add(), func(p *Property) { p.Name, p.Text = "N"+string(rune('a'+i)), strings.Repeat("x", 32_000) })
			}
		}, FieldWhole, "1 MiB"},
		{"half a byte", func(d *Draft) { d.Set(1, func(p *Property) { p.Type, p.Hex, p.Text = odata.EdmBinary, true, "abc" }) }, 1, "two hexadecimal digits"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := Of(stored(), "tag")
			test.change(&d)
			e, problems := d.Entity()
			if e != nil || !strings.Contains(problems[test.field], test.says) {
				t.Errorf("%v, problems %v", e, problems)
			}
			if !d.Changed() {
				t.Error("a draft with a problem has not changed")
			}
		})
	}
}

func TestNames(t *testing.T) {
	tests := []struct{ name, table, account string }{
		{"", "", ""},
		{"ab", "2 characters; a name has 3 to 63.", "3 to 24"},
		{"abc", "", ""},
		{"9abc", "A name begins with a letter.", ""},
		{"a-b", "Letters and digits only.", "lower-case"},
		{"Tables", "own name", "lower-case"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := CheckTableName(test.name); (got == "") != (test.table == "") || !strings.Contains(got, test.table) {
				t.Errorf("table: %q", got)
			}
			if got := CheckAccountName(test.name); (got == "") != (test.account == "") || !strings.Contains(got, test.account) {
				t.Errorf("account: %q", got)
			}
		})
	}
}

// TestJSON: a text that cannot be taken says why, and leaves the draft as it was.
func TestJSON(t *testing.T) {
	for _, c := range []struct {
		name, text string
		withKeys   bool
		says       string
	}{
		{"no keys", `{"Age":43}`, false, ""},
		{"the same keys", `{"PartitionKey":"p","RowKey":"r","Age":43}`, false, ""},
		{"another RowKey", `{"PartitionKey":"p","RowKey":"s","Age":43}`, false, "the RowKey is “r” and cannot be changed here: press “Change keys” in the form"},
		{"another PartitionKey", `{"PartitionKey":"q","RowKey":"r","Age":43}`, false, "the PartitionKey is “p”"},
		{"a key that is a number", `{"PartitionKey":"p","RowKey":1,"Age":43}`, false, "the RowKey is “r”"},
		{"another property", `{"Big@odata.type":"Edm.Int64","Big":"1152921504606846976"}`, false, ""},
		{"another RowKey while keys are changed", `{"PartitionKey":"p","RowKey":"s","Age":43}`, true, ""},
		{"a comma too many", "{\n\"Age\":43,\n}", false, "line 2: "},
		{"a value of another type", "{\"Age\":43,\n\"D@odata.type\":\"Edm.Double\",\"D\":\"abc\"}", false, "line 2, D: a Double is a number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Of(stored(), "tag")
			err := d.SetJSON(c.text, c.withKeys)
			if c.says == "" {
				e, _ := d.Entity()
				if strings.Contains(c.text, `"s"`) != (d.RowKey == "s") {
					t.Errorf("RowKey %s", d.RowKey)
				}
				if err != nil || len(e.Properties) != 1 {
					t.Fatalf("%v, %+v", err, e)
				}
				want := odata.Property{Name: "Age", Value: odata.Int32Value(43)}
				if strings.Contains(c.text, "Big") {
					want = odata.Property{Name: "Big", Value: odata.Int64Value(1 << 60)}
				}
				if got := e.Properties[0]; got.Name != want.Name || !got.Value.Equal(want.Value) {
					t.Errorf("got %+v, want %+v", got, want)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.says) || d.Changed() {
				t.Errorf("got %v, want %q; changed %v", err, c.says, d.Changed())
			}
		})
	}
}

// TestHex: a Binary is the same in hexadecimal digits, with blanks anywhere, and back in
// base64. Another value stays as it is.
func TestHex(t *testing.T) {
	p := Property{Type: odata.EdmBinary, Text: "AP+A"}
	p.WriteHex(true)
	if p.Text != "00ff80" || !p.Hex {
		t.Errorf("in digits: %+v", p)
	}
	p.Text = " 00 FF\n80 "
	if v, err := p.Value(); err != nil || !v.Equal(odata.BinaryValue([]byte{0, 0xFF, 0x80})) {
		t.Errorf("read: %+v, %v", v, err)
	}
	p.WriteHex(false)
	if p.Text != "AP+A" || p.Hex {
		t.Errorf("in base64: %+v", p)
	}
	for _, p := range []Property{{Type: odata.EdmBinary, Text: "no"}, {Type: odata.EdmString, Text: "AP+A"}} {
		before := p
		if p.WriteHex(true); p != before {
			t.Errorf("%+v became %+v", before, p)
		}
	}
}

// TestTextSurvivesOtherTypes: a type that is chosen by mistake does not change the text.
func TestTextSurvivesOtherTypes(t *testing.T) {
	for _, typ := range odata.Types() {
		d := Of(stored(), "tag")
		d.Set(1, func(p *Property) { p.Type = typ })
		if v, err := d.Properties[0].Value(); typ == odata.EdmBoolean && (err != nil || !v.Equal(odata.BooleanValue(false))) {
			t.Errorf("the Boolean is %v, %v", v, err)
		}
		d.Set(1, func(p *Property) { p.Type = odata.EdmString })
		if got := d.Properties[0].Text; got != "one\r\ntwo" || d.Changed() {
			t.Errorf("after %v the text is %q, changed %v", typ, got, d.Changed())
		}
	}
}

func TestLineEnds(t *testing.T) {
	for _, c := range []struct{ name, loaded, entered, want string }{
		{"CR LF", "one\r\ntwo", "one\ntwo\nthree", "one\r\ntwo\r\nthree"},
		{"LF", "one\ntwo", "one\ntwo\nthree", "one\ntwo\nthree"},
		{"both", "one\r\ntwo\nthree", "one\ntwo", "one\ntwo"},
		{"none", "one", "one\ntwo", "one\ntwo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Of(&odata.Entity{Properties: []odata.Property{{Name: "A", Value: odata.StringValue(c.loaded)}}}, "tag")
			d.Set(1, func(p *Property) { p.Enter(c.entered) })
			if got := d.Properties[0].Text; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
