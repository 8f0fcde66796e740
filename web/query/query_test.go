package query

import (
	"slices"
	"strings"
	"testing"

	"sandtable/odata"
	"sandtable/odata/filter"
)

var properties = []Property{
	{Name: "PartitionKey", Type: odata.EdmString}, {Name: "RowKey", Type: odata.EdmString},
	{Name: "Active", Type: odata.EdmBoolean}, {Name: "Age", Type: odata.EdmInt32, Min: odata.Int32Value(18), Max: odata.Int32Value(91)},
	{Name: "Name", Type: odata.EdmString}, {Name: "Since", Type: odata.EdmDateTime},
}

func TestWordsMakeTheText(t *testing.T) {
	for _, text := range []string{"", "Age ge 21", "not (A eq 'it''s' or B lt -1.5E+3) and X'ab' ne null", "'open", "é eq 'ü' €", "datetime'2026-01-01T00:00:00Z' eq D"} {
		var b strings.Builder
		at := 0
		for _, w := range Words(text) {
			if w.At != at || w.Text == "" {
				t.Fatalf("%q: the word %+v is not at %d", text, w, at)
			}
			at = w.End()
			b.WriteString(w.Text)
		}
		if b.String() != text {
			t.Errorf("%q became %q", text, b.String())
		}
	}
	var kinds []Kind
	for _, w := range significant("Name eq 'a' and not X'00' ge 1L or DateTime'2026-01-01' eq Since") {
		kinds = append(kinds, w.Kind)
	}
	if want := []Kind{Name, Compare, String, Keyword, Keyword, Other, Compare, Number, Keyword, Other, Compare, Name}; !slices.Equal(kinds, want) {
		t.Errorf("kinds %v, want %v", kinds, want)
	}
}

func FuzzWords(f *testing.F) {
	f.Add("Age ge 21 and Name eq 'it''s'")
	f.Fuzz(func(t *testing.T, text string) {
		whole := ""
		for _, w := range Words(text) {
			whole += w.Text
		}
		if whole != text {
			t.Errorf("%q became %q", text, whole)
		}
		if p := Diagnose(text); p != nil && (p.From < 0 || p.To > len(text) || p.From > p.To) {
			t.Errorf("%q: problem at %d to %d", text, p.From, p.To)
		}
		for caret := range len(text) + 1 {
			Complete(text, caret, properties)
		}
	})
}

func TestClausesAndBack(t *testing.T) {
	for _, text := range []string{
		"",
		"PartitionKey eq 'EU-West' and RowKey ge '000010' and RowKey lt '000011' and Age ge 21",
		"Name ne 'it''s' and Visits gt 9007199254740993L and Balance le 1.5 and Active eq true",
		"Since lt datetime'2024-01-10T08:30:00Z' and Device eq guid'a455c695-df98-5678-aaaa-81d3367e5a34' and Photo eq X'0102'",
	} {
		clauses, ok := Clauses(text)
		if !ok {
			t.Errorf("%q is not shown as clauses", text)
		}
		if got, _ := Compile(clauses); got != text {
			t.Errorf("%q became %q by %+v", text, got, clauses)
		}
	}
	clauses, _ := Clauses("PartitionKey eq 'a' and RowKey ge '000010' and RowKey lt '000011'")
	if len(clauses) != 2 || clauses[1] != (Clause{"RowKey", Begins, odata.EdmString, "000010"}) {
		t.Errorf("%+v", clauses)
	}
	for _, text := range []string{"A eq 1 or B eq 2", "not (A eq 1)", "A eq", "A eq null", "A ge datetime'0001-01-01T00:00:00Z'"} {
		if _, ok := Clauses(text); ok {
			t.Errorf("%q is shown as clauses", text)
		}
	}
}

func TestPrefixEnd(t *testing.T) {
	for prefix, want := range map[string]string{"a": "b", "az": "a{", "000010": "000011", "é": "ê", "Ａ": "Ｂ", "x😀": "x😁",
		"a\uD7FF": "b", "a\uFFFF": "b", "a\U0010FFFF": "b", "\uFFFF": "", "": ""} {
		if got, ok := prefixEnd(prefix); ok != (want != "") || got != want {
			t.Errorf("%q: %q %v, want %q", prefix, got, ok, want)
		}
	}
}

func TestPostFilter(t *testing.T) {
	e := &odata.Entity{PartitionKey: "EU", RowKey: "1", Properties: []odata.Property{{Name: "Name", Value: odata.StringValue("Amara Okafor")}, {Name: "Age", Value: odata.Int32Value(42)}}}
	for _, test := range []struct {
		f    PostFilter
		want bool
	}{
		{PostFilter{}, true}, {PostFilter{"", "OKA"}, true}, {PostFilter{"Name", "mara o"}, true}, {PostFilter{"Age", "4"}, true},
		{PostFilter{"Age", "Okafor"}, false}, {PostFilter{"PartitionKey", "eu"}, true}, {PostFilter{"", "zz"}, false},
	} {
		if got := test.f.Match(e); got != test.want {
			t.Errorf("%+v: %v", test.f, got)
		}
		if back := ParsePostFilter(test.f.String()); test.f.Text != "" && back != test.f {
			t.Errorf("%+v came back as %+v", test.f, back)
		}
	}
}

func labels(all []Suggestion) string {
	var names []string
	for _, s := range all {
		names = append(names, s.Label)
	}
	return strings.Join(names, " ")
}

func TestComplete(t *testing.T) {
	tests := []struct{ text, want string }{ // | is the caret
		{"|", "PartitionKey RowKey Active Age Name Since not ( … )"},
		{"ag|", "Age"},
		{"Age |", "eq ne ge gt le lt"},
		{"Age g|", "ge gt"},
		{"Age ge |", "18 91"},
		{"Active eq |", "true false"},
		{"Name eq |", "'…'"},
		{"Age ge 21 |", "and or"},
		{"Age ge 21 and na|", "Name"},
		{"(|", "PartitionKey RowKey Active Age Name Since not ( … )"},
		{"Name eq 'a|", ""},
	}
	for _, test := range tests {
		text, after, _ := strings.Cut(test.text, "|")
		got := Complete(text+after, len(text), properties)
		if labels(got) != test.want {
			t.Errorf("%s: %q, want %q", test.text, labels(got), test.want)
		}
	}
	s := Complete("ag ge 1", 2, properties)[0]
	if s.From != 0 || s.To != 2 || s.Insert != "Age " {
		t.Errorf("%+v", s)
	}
}

func TestDiagnose(t *testing.T) {
	tests := []struct {
		text      string
		column    int
		says      string
		corrected string
	}{
		{"PartitionKey eq 'EU-West' and Age gte 21", 35, "gte is not an operator", "PartitionKey eq 'EU-West' and Age ge 21"},
		{"Age qe 21", 5, "qe is not an operator", "Age eq 21"},
		{"Age = 21", 5, "= is not an operator", "Age eq 21"},
		{"Age >= 21", 5, ">= is not an operator", "Age ge 21"},
		{"(Age>=21)", 5, ">= is not an operator", "(Age ge 21)"},
		{"Age eq 1&&Name eq 'x'", 9, "&& is not an operator", "Age eq 1 and Name eq 'x'"},
		{"(Age eq 3000000000)", 9, "ends with L", "(Age eq 3000000000L)"},
		{"Age eq 1 AND Name eq 'x'", 10, "AND is not an operator", "Age eq 1 and Name eq 'x'"},
		{"startswith(Name, 'Am')", 1, "A range does the same", "Name ge 'Am' and Name lt 'An'"},
		{"startswith(Name, 'it''')", 1, "A range does the same", "Name ge 'it''' and Name lt 'it('"},
		{"not startswith(Name, 'Am')", 5, "A range does the same", "not (Name ge 'Am' and Name lt 'An')"},
		{"contains(Name, 'Am')", 1, "no functions", ""},
		{"NOT (Age eq 1)", 1, "NOT is not an operator", "not (Age eq 1)"},
		{"Name eq 'open", 9, "not closed", ""},
		{"Age ge", 5, "A value is missing after ge", ""},
		{"Age ge 1 and ", 14, "A condition is missing after and", ""},
		{"Name eq \"x\"", 9, "single quotes", ""},
		{"Visits gt 3000000000 and Age ge 1", 11, "ends with L", "Visits gt 3000000000L and Age ge 1"},
		{"Age eq 1 and Visits eq -3000000000", 24, "ends with L", "Age eq 1 and Visits eq -3000000000L"},
		{"Visits gt 99999999999999999999", 11, "too large", ""},
	}
	for _, test := range tests {
		p := Diagnose(test.text)
		if p == nil {
			t.Errorf("%q has no problem", test.text)
			continue
		}
		if p.Column != test.column || !strings.Contains(p.Text, test.says) || p.Service == "" {
			t.Errorf("%q: column %d %q, want column %d %q", test.text, p.Column, p.Text, test.column, test.says)
		}
		if before, wrong, after := p.Condition(test.text); !strings.Contains(test.text, before+wrong+after) || strings.Contains(before+after, " and ") && wrong != "AND" {
			t.Errorf("%q: the condition is %q %q %q", test.text, before, wrong, after)
		}
		if test.corrected != "" && p.Correct(test.text) != test.corrected {
			t.Errorf("%q is corrected to %q, want %q", test.text, p.Correct(test.text), test.corrected)
		}
	}
	for _, text := range []string{"Age 5", "Age eq 5 5", "5"} {
		if p := Diagnose(text); p == nil || p.Meant != "" {
			t.Errorf("%q: %+v, want a problem without a correction", text, p)
		}
	}
	if p := Diagnose("Age ge 21"); p != nil {
		t.Errorf("%+v", p)
	}
}

func TestWhyEmpty(t *testing.T) {
	tests := []struct{ text, says, try string }{
		{"PartitionKey eq 'EU-West' and Age ge '21'", "Age is Int32 here; '21' is a String, which never matches.", "PartitionKey eq 'EU-West' and Age ge 21"},
		{"age eq 1", "Did you mean Age?", "Age eq 1"},
		{"Nmae eq 'x'", "Did you mean Name?", "Name eq 'x'"},
		{"Name eq 5", "Name is String here; 5 is an Int32, which never matches.", "Name eq '5'"},
		{"Age eq 21L", "Age is Int32 here; 21L is an Int64, which never matches.", "Age eq 21"},
		{"Age gt 20.5", "Age is Int32 here; 20.5 is a Double, which never matches.", ""},
		{"Zzz eq 5", "No loaded entity has a property Zzz.", ""},
		{"PartitionKey eq 'eu-west' and RowKey eq '1'", "There is no partition 'eu-west'. Did you mean 'EU-West'?", "PartitionKey eq 'EU-West' and RowKey eq '1'"},
		{"PartitionKey eq 'US-Wets'", "Did you mean 'US-West'?", "PartitionKey eq 'US-West'"},
		{"PartitionKey eq 'Mars'", "There is no partition 'Mars'.", ""},
		{"PartitionKey eq 'eu-west' and Agee ge '21'", "Did you mean 'EU-West'? No loaded entity has a property Agee. Did you mean Age? Age is Int32 here;", "PartitionKey eq 'EU-West' and Age ge 21"},
		{"ge ge 21", "No loaded entity has a property ge. Did you mean Age?", ""},
		{"Agee ge '21' and Zzz eq 1", "Did you mean Age? Age is Int32 here; '21' is a String, which never matches. No loaded entity has a property Zzz.", ""},
	}
	for _, test := range tests {
		r := WhyEmpty(test.text, properties, []string{"EU-West", "US-West", strings.Repeat("long", 200)})
		if r == nil || !strings.Contains(r.Text, test.says) || r.Try != test.try {
			t.Errorf("%q: %+v, want %q and %q", test.text, r, test.says, test.try)
		}
	}
	for _, sound := range []string{"Age lt '21'", "Age le 5L", "Age ne '21'", "Balance ge 5", "Balance eq 5L", "PartitionKey ne 'Mars'", "PartitionKey ge 'Mars'", "PartitionKey eq 'Mars' or Age eq 1", "PartitionKey eq 'US-West'", "Age eq", ""} {
		if r := WhyEmpty(sound, append([]Property{{Name: "Balance", Type: odata.EdmDouble}}, properties...), []string{"EU-West", "US-West"}); r != nil {
			t.Errorf("%q: %+v, want nothing", sound, r)
		}
	}
	if r := WhyEmpty("PartitionKey eq 'Mars'", properties, nil); r != nil {
		t.Errorf("partitions that are not known: %+v", r)
	}
}

// FuzzWhyEmpty: each correction leads on, and the last one is a filter.
func FuzzWhyEmpty(f *testing.F) {
	known := append([]Property{{Name: "Eq", Type: odata.EdmString}, {Name: "Price", Type: odata.EdmDouble}, {Name: "Raw", Type: odata.EdmBinary}, {Name: "Id", Type: odata.EdmGuid}}, properties...)
	for _, text := range []string{"Agee ge '21' and PartitionKey eq 'eu'", "eq eq 'x'", "Price eq 'NaN'", "Price lt 'INF' and Raw eq '00'", "Id eq 'x' or Age eq ''"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 200 {
			return
		}
		if r := WhyEmpty(text, known, []string{"EU", "US-West", "eq", ""}); r != nil && r.Try != "" {
			if _, err := filter.Parse(r.Try); err != nil {
				t.Errorf("%q is corrected to %q: %v", text, r.Try, err)
			}
		}
	})
}

func TestHistory(t *testing.T) {
	var h History
	for i := range 60 {
		h = h.Add(Saved{Account: "a", Table: "T", Args: strings.Repeat("x", i)})
	}
	h = h.Add(Saved{Account: "a", Table: "T", Args: "n", Name: "mine"})
	h = h.Add(Saved{Account: "a", Table: "T", Args: "xx"})
	if len(h) != maxHistory+1 || h[0].Args != "xx" || !h.Valid() {
		t.Errorf("%d queries, the last is %q", len(h), h[0].Args)
	}
	h = h.Add(Saved{Account: "a", Table: "T", Args: "other", Name: "mine"})
	named := 0
	for _, s := range h {
		if s.Name == "mine" {
			named++
		}
	}
	if named != 1 {
		t.Errorf("%d queries have the same name", named)
	}
	if h = h.Remove(h[0]); h[0].Name == "mine" {
		t.Error("it was not removed")
	}
	if (History{{Table: "T"}}).Valid() {
		t.Error("a query of no account is valid")
	}
}

func TestBytesBefore(t *testing.T) {
	for units, want := range map[int]int{0: 0, 1: 2, 2: 3, 4: 7, 9: 7} {
		if got := BytesBefore("éa\U0001F3D6", units); got != want {
			t.Errorf("%d units are %d bytes, want %d", units, got, want)
		}
	}
}
