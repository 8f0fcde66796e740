package tabular

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"sandtable/odata"
	"sandtable/odata/rowfile"
)

// open reads a file that must be readable.
func open(t *testing.T, name, text string) *Source {
	t.Helper()
	s, err := Open(name, []byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plan plans without steps, whose errors are the only ones.
func plan(s *Source) Plan {
	p, _ := s.Plan(nil)
	return p
}

// entities returns the entities of a plan, one line each.
func entities(p Plan) string {
	var lines []string
	for _, r := range p.Rows {
		line := fmt.Sprintf("%d %s/%s", r.Line, r.Entity.PartitionKey, r.Entity.RowKey)
		for _, property := range r.Entity.Properties {
			line += fmt.Sprintf(" %s=%s(%s)", property.Name, rowfile.Text(property.Value), strings.TrimPrefix(property.Value.Type().String(), "Edm."))
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func problems(p Plan) string {
	var lines []string
	for _, problem := range p.Problems {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d %s: %s (%s)", problem.Line, problem.Column, problem.Text, problem.Reason)))
	}
	return strings.Join(lines, "\n")
}

func TestOpen(t *testing.T) {
	const header = "PartitionKey,RowKey,"
	const one, three = `{"PartitionKey":"p","RowKey":"1"}` + "\n", `{"PartitionKey":"p","RowKey":"3"}` + "\n"
	for _, c := range []struct{ name, file, text, want, problems string }{
		{"types of newer exports", "a.csv", header + "A,A@type\np,1,5,Int32\n", "2 p/1 A=5(Int32)", ""},
		{"types of older exports", "a.csv", header + "A,A@type\np,1,5,Edm.Int64\n", "2 p/1 A=5(Int64)", ""},
		{"a type in the first row alone", "a.csv", header + "A,A@type\np,1,5,Int64\np,2,6,\n", "2 p/1 A=5(Int64)\n3 p/2 A=6(Int64)", ""},
		{"inferred types", "a.csv", header + "I,L,D,B,W,G,S\np,1,5,9007199254740993,1.5,TRUE,2024-01-10T08:30:00Z,c9da6455-213d-42c9-9a79-3e9149a57833,x\n",
			"2 p/1 I=5(Int32) L=9007199254740993(Int64) D=1.5(Double) B=true(Boolean) W=2024-01-10T08:30:00Z(DateTime) G=c9da6455-213d-42c9-9a79-3e9149a57833(Guid) S=x(String)", ""},
		{"leading zeros stay text", "a.csv", header + "N\np,1,007\n", "2 p/1 N=007(String)", ""},
		{"mixed cells are text", "a.csv", header + "N\np,1,true\np,2,5\n", "2 p/1 N=true(String)\n3 p/2 N=5(String)", ""},
		{"empty cells and empty texts", "a.csv", header + "S,T\np,1,,\"\"\np,2,x,y\n", "2 p/1 T=(String)\n3 p/2 S=x(String) T=y(String)", ""},
		{"an empty text by its type", "a.csv", header + "S,S@type\np,1,,String\np,2,,\n", "2 p/1 S=(String)\n3 p/2", ""},
		{"null in a column of numbers", "a.csv", header + "A,A@type\np,1,null,Int32\np,2,5,Int32\n", "2 p/1\n3 p/2 A=5(Int32)", ""},
		{"a byte order mark", "a.csv", "\ufeff" + header + "A\np,1,x\n", "2 p/1 A=x(String)", ""},
		{"UTF-16", "a.csv", "\xff\xfeP\x00a\x00r\x00t\x00i\x00t\x00i\x00o\x00n\x00K\x00e\x00y\x00,\x00R\x00o\x00w\x00K\x00e\x00y\x00\n\x00p\x00,\x00\xe9\x00\n\x00", "2 p/é", ""},
		{"semicolons", "a.csv", "PartitionKey;RowKey;A\np;1;\"x;y\"\n", "2 p/1 A=x;y(String)", ""},
		{"tabs", "a.tsv", "PartitionKey\tRowKey\tA\np\t1\tx\n", "2 p/1 A=x(String)", ""},
		{"line ends in cells", "a.csv", header + "A\r\np,1,\"x\r\ny\"\r\np,2,z\r\n", "2 p/1 A=x\r\ny(String)\n4 p/2 A=z(String)", ""},
		{"a quote that is not closed", "a.csv", header + "A\np,1,\"x\np,2,y\n", "3 p/2 A=y(String)", "2 : a quote is not closed ()"},
		{"text after a quote", "a.csv", header + "A\np,1,\"x\"y\np,2,z\n", "3 p/2 A=z(String)", "2 : there is text after a closing quote ()"},
		{"a row of another length", "a.csv", header + "A\np,1\np,2,x\n", "3 p/2 A=x(String)", "2 : 2 cells in place of 3 ()"},
		{"the same keys", "a.csv", header + "A\np,1,x\np,1,y\n", "2 p/1 A=x(String)", "3 PartitionKey, RowKey: the same keys as line 2 (duplicate keys)"},
		{"a key that is refused", "a.csv", header + "A\np,a/b,x\n", "", "2 RowKey: a/b: a RowKey may not contain / \\ # ? or control characters (OutOfRangeInput)"},
		{"a decimal comma", "a.csv", header + "D,D@type\np,1,\"1.234,50\",Double\n", "", "2 D: 1.234,50: " + rowfile.ErrDouble.Error() + " (decimal comma)"},
		{"partitions in order", "a.csv", header + "A\nq,1,x\np,1,y\n", "3 p/1 A=y(String)\n2 q/1 A=x(String)", ""},
		{"the Timestamp is left out", "a.csv", "PartitionKey,RowKey,Timestamp\np,1,2024-01-10T08:30:00Z\n", "2 p/1", ""},
		{"no RowKey", "a.csv", "PartitionKey,A\np,1\n", "", "0 RowKey: no column becomes the RowKey (PropertiesNeedValue)"},
		{"JSON lines", "a.jsonl", "{\"PartitionKey\":\"p\",\"RowKey\":\"1\",\"A\":5}\n{\"PartitionKey\":\"p\",\"RowKey\":\"2\",\"B@odata.type\":\"Edm.Int64\",\"B\":\"6\"}\n",
			"1 p/1 A=5(Int32)\n2 p/2 B=6(Int64)", ""},
		{"a JSON array", "a.json", "[\n{\"PartitionKey\":\"p\",\"RowKey\":\"1\"},\n{\"PartitionKey\":\"p\",\"RowKey\":\"2\"}\n]", "2 p/1\n3 p/2", ""},
		{"an answer of the service", "a.json", `{"odata.metadata":"x","value":[{"PartitionKey":"p","RowKey":"1","Timestamp":"2024-01-10T08:30:00Z"}]}`, "1 p/1", ""},
		{"a line that is no entity", "a.jsonl", one + `{"PartitionKey":"p","RowKey":"2","A":[]}` + "\n" + three, "1 p/1\n3 p/3",
			"2 A: not an entity: a value is a text, a number, true or false, and no list or object ()"},
		{"a key that is a number", "a.jsonl", one + `{"PartitionKey":"p","RowKey":2}` + "\n" + three, "1 p/1\n3 p/3",
			"2 RowKey: not an entity: a RowKey is a text in double quotes ()"},
		{"keys that are all numbers", "a.json", `[{"PartitionKey":7,"RowKey":"2"}]`, "",
			"0 PartitionKey: no column becomes the PartitionKey (PropertiesNeedValue)\n1 PartitionKey: not an entity: a PartitionKey is a text in double quotes ()"},
		{"a line that is not JSON", "a.jsonl", one + "{bad\n" + three, "1 p/1\n3 p/3", "2 : not JSON: a name in double quotes is missing before “bad” ()"},
		{"a line that is not closed", "a.jsonl", one + "{\"PartitionKey\":\"p\",\"A\":[\n" + three, "1 p/1\n3 p/3",
			"2 : not JSON: the text ends before a quote, a bracket or a brace is closed ()"},
		{"other lines", "a.jsonl", one + "oops\n" + three + "\noops\n", "1 p/1\n3 p/3",
			"2 : not JSON: “oops” does not begin a value: a text needs double quotes ()\n5 : not JSON: “oops” does not begin a value: a text needs double quotes ()"},
		{"the first line", "a.jsonl", "{bad\n" + one + three, "2 p/1\n3 p/3", "1 : not JSON: a name in double quotes is missing before “bad” ()"},
		{"objects of several lines", "a.jsonl", one + "{\n  \"PartitionKey\": bad,\n  \"A\": 5\n}\n" + three, "1 p/1\n6 p/3",
			"2 : not JSON: line 3: “bad” does not begin a value: a text needs double quotes ()"},
		{"lines with commas", "a.jsonl", strings.TrimSpace(one) + ",\n" + three + ",\n", "1 p/1\n2 p/3", ""},
		{"a list that breaks", "a.json", "[\n" + strings.TrimSpace(one) + ",\n{\"A\":1,\n\"B\" 2},\n" + three + "]", "2 p/1",
			"3 : not JSON: line 4: a colon is missing before “2”. Nothing after it was read ()"},
		{"a list without a comma", "a.json", "[\n" + one + three + "]", "2 p/1", "3 : not JSON: a comma is missing before this row. Nothing after it was read ()"},
		{"a list that is not closed", "a.json", "[\n" + one, "2 p/1", "3 : the list is not closed: rows after this line may be missing ()"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plan(open(t, c.file, c.text))
			if got := entities(p); got != c.want {
				t.Errorf("entities\n%s\nwant\n%s", got, c.want)
			}
			if got := problems(p); got != c.problems {
				t.Errorf("problems\n%s\nwant\n%s", got, c.problems)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		want             error
		says             string
	}{
		{"nothing", "a.csv", " \n", ErrEmpty, ""},
		{"another encoding", "a.csv", "PartitionKey,RowKey\np,caf\xe9\n", ErrEncoding, "line 2"},
		{"a name twice", "a.csv", "PartitionKey,RowKey,zip,zip\n", rowfile.ErrHeader, "columns 3 and 4 are both named \"zip\""},
		{"no name", "a.csv", "PartitionKey,RowKey,,A\n", rowfile.ErrHeader, "column 3 has no name"},
		{"a dump of a store", "a.jsonl", `{"@sandtable":"store","format":1}`, ErrArchive, ""},
		{"JSON of another kind", "a.json", "[1,2", ErrEmpty, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Open(c.file, []byte(c.text), Options{})
			if c.name == "JSON of another kind" {
				if err == nil && len(s.Broken) == 0 {
					t.Error("read without a problem")
				}
				return
			}
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %v that says %q", err, c.want, c.says)
			}
		})
	}
}

// TestRoundTrip writes entities of every type with awkward texts and reads them
// back from each format.
func TestRoundTrip(t *testing.T) {
	when, _ := odata.ParseDateTime("2024-01-10T08:30:00.1234567Z")
	id, _ := odata.ParseGuid("c9da6455-213d-42c9-9a79-3e9149a57833")
	var all []*odata.Entity
	for i, text := range []string{"plain", "", " blanks ", `quotes " and ""`, "lines\r\nand\nmore", "comma, semicolon; tab\t", "Elif Yılmaz 🍑", "=1+1", "null", "007"} {
		all = append(all, &odata.Entity{PartitionKey: "p" + text[:0], RowKey: fmt.Sprintf("%03d", i), Timestamp: when, Properties: []odata.Property{
			{Name: "S", Value: odata.StringValue(text)}, {Name: "I", Value: odata.Int32Value(int32(-i))}, {Name: "L", Value: odata.Int64Value(math.MaxInt64)},
			{Name: "D", Value: odata.DoubleValue(float64(i) / 3)}, {Name: "B", Value: odata.BooleanValue(i%2 == 0)}, {Name: "W", Value: odata.DateTimeValue(when)},
			{Name: "G", Value: odata.GuidValue(id)}, {Name: "X", Value: odata.BinaryValue([]byte{0, 255, byte(i)})},
		}})
	}
	all = append(all, &odata.Entity{PartitionKey: "p", RowKey: "none", Timestamp: when})
	for _, w := range []rowfile.Writer{
		{Format: rowfile.CSV, Types: true}, {Format: rowfile.CSV, Types: true, Timestamp: true, Delimiter: ';', Mark: true}, {Format: rowfile.CSV, Types: true, Delimiter: '\t'},
		{Format: rowfile.JSON}, {Format: rowfile.JSON, Timestamp: true}, {Format: rowfile.JSONLines, Mark: true},
	} {
		w.Columns = []string{"S", "I", "L", "D", "B", "W", "G", "X"}
		t.Run(fmt.Sprintf("%v %q %v", w.Format, w.Delimiter, w.Timestamp), func(t *testing.T) {
			file := w.Begin(nil)
			for _, e := range all {
				file = w.Append(file, e)
			}
			file = w.End(file)
			p := plan(open(t, "a"+w.Extension(), string(file)))
			if len(p.Problems) > 0 || len(p.Rows) != len(all) {
				t.Fatalf("%d entities, want %d; %s\n%s", len(p.Rows), len(all), problems(p), file)
			}
			for i, r := range p.Rows {
				if !slices.EqualFunc(r.Entity.Properties, all[i].Properties, sameProperty) {
					t.Errorf("%s: got %v, want %v", r.Entity.RowKey, r.Entity.Properties, all[i].Properties)
				}
			}
		})
	}
}

// TestWriterInALocalZone: each date has the offset of its own time, as in a zone with
// daylight saving time.
func TestWriterInALocalZone(t *testing.T) {
	end := time.Date(2025, 11, 2, 6, 0, 0, 0, time.UTC)
	newYork := func(at time.Time) int {
		if at.Before(end) {
			return -4 * 3600
		}
		return -5 * 3600
	}
	w := rowfile.Writer{Format: rowfile.CSV, Columns: []string{"W"}, Zone: newYork}
	for text, want := range map[string]string{"2025-11-02T05:30:00Z": "2025-11-02T01:30:00", "2025-11-02T06:30:00.1234567Z": "2025-11-02T01:30:00.1234567"} {
		when, _ := odata.ParseDateTime(text)
		got := string(w.Append(nil, &odata.Entity{PartitionKey: "p", RowKey: "1", Properties: []odata.Property{{Name: "W", Value: odata.DateTimeValue(when)}}}))
		if got != "p,1,"+want+"\r\n" {
			t.Errorf("%s: got %q, want %s", text, got, want)
		}
	}
}

// TestWriterAtTheEndsOfTime: a date whose local time has no form that can be read is in UTC.
func TestWriterAtTheEndsOfTime(t *testing.T) {
	for text, hours := range map[string]int{"9999-12-31T23:59:59.9999999Z": 2, "1601-01-01T00:00:00Z": -5} {
		when, _ := odata.ParseDateTime(text)
		w := rowfile.Writer{Format: rowfile.CSV, Columns: []string{"W"}, Zone: func(time.Time) int { return hours * 3600 }}
		got := string(w.Append(nil, &odata.Entity{PartitionKey: "p", RowKey: "1", Properties: []odata.Property{{Name: "W", Value: odata.DateTimeValue(when)}}}))
		if got != "p,1,"+text+"\r\n" {
			t.Errorf("%s: got %q", text, got)
		}
	}
}

// TestRanges: what a column holds is written whole if it is integers.
func TestRanges(t *testing.T) {
	for _, c := range []struct{ values, want string }{
		{"12345678901 99999999999", "12345678901 to 99999999999"},
		{"-5 7", "-5 to 7"}, {"7 7", "always 7"},
		{"9223372036854775807 -9223372036854775808", "-9223372036854775808 to 9223372036854775807"},
		{"1.5 0.33333333333", "0.333333 to 1.5"},
		{"12345678.5 2", "2 to 1.23457e+07"},
	} {
		text := "PartitionKey,RowKey,N\n"
		for i, value := range strings.Fields(c.values) {
			text += fmt.Sprintf("p,%d,%s\n", i, value)
		}
		if got := plan(open(t, "a.csv", text)).Found[2].Text; got != c.want {
			t.Errorf("%s: got %q, want %q", c.values, got, c.want)
		}
	}
}

// TestRangesWithoutANumber: NaN has no place in a range, and infinity is written as in the service.
func TestRangesWithoutANumber(t *testing.T) {
	for text, want := range map[string]string{
		"p,1,NaN,Double\np,2,1.5,Double\np,3,-Infinity,Double\n": "-Infinity to 1.5",
		"p,1,2.5,Double\np,2,Infinity,Double\np,3,NaN,Double\n":  "2.5 to Infinity",
		"p,1,NaN,Double\n": "all rows",
	} {
		if got := plan(open(t, "a.csv", "PartitionKey,RowKey,N,N@type\n"+text)).Found[2].Text; got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestFoundInKeys: rows without a text for a key have the empty one in CSV, and nothing is
// found in rows that were not looked at.
func TestFoundInKeys(t *testing.T) {
	for text, want := range map[string]string{
		"PartitionKey,RowKey,A\np,1,\n,2,x\n": "1 empty · 2 values | all rows | 1 empty, left out",
		"PartitionKey,RowKey,A\n,1,x\n":       "all empty | all rows | all rows",
		"PartitionKey,A,B\np,5,\np,6,\"x\"\n": " |  | ",
	} {
		var found []string
		for _, f := range plan(open(t, "a.csv", text)).Found {
			found = append(found, f.Text)
		}
		if got := strings.Join(found, " | "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add("a.csv", "PartitionKey,RowKey,A,A@type\np,1,\"x\ny\",String\n")
	f.Add("a.json", `[{"PartitionKey":"p","RowKey":"1"}]`)
	f.Add("a.jsonl", "{\"PartitionKey\":\"p\",\"RowKey\":\"1\"}\n{}")
	f.Fuzz(func(t *testing.T, name, text string) {
		s, err := Open(name, []byte(text), Options{})
		if err != nil {
			return
		}
		p := plan(s)
		if len(p.Rows) > s.Rows() {
			t.Errorf("%d entities of %d rows", len(p.Rows), s.Rows())
		}
	})
}

// TestLargeFiles are refused while they are read.
func TestLargeFiles(t *testing.T) {
	defer func(most int) { maxCells = most }(maxCells)
	maxCells = 25
	for _, rows := range []int{5, 6} { // of five cells, with what a row takes
		wide := strings.Repeat(`{"PartitionKey":"p","RowKey":"1"}`+"\n", rows)
		for name, text := range map[string]string{"a.csv": "PartitionKey,RowKey\n" + strings.Repeat("p,1\n", rows), "a.jsonl": wide} {
			if _, err := Open(name, []byte(text), Options{}); errors.Is(err, ErrLarge) != (rows > 5) {
				t.Errorf("%d rows of %s: %v", rows, name, err)
			}
		}
	}
}
