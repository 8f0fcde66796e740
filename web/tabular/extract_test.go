package tabular

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"sandtable/odata"
	"sandtable/odata/rowfile"
)

func TestOpenOfAnotherEncoding(t *testing.T) {
	var utf16File []byte
	for _, unit := range utf16.Encode([]rune("PartitionKey,RowKey\np,é\n")) {
		utf16File = append(utf16File, byte(unit), byte(unit>>8))
	}
	for _, c := range []struct {
		name         string
		data         []byte
		guess        Encoding
		line, column int
		key          string
	}{
		{"Windows-1252", []byte("PartitionKey,RowKey\np,caf\xe9\x80\n"), Windows1252, 2, 6, "café€"},
		{"UTF-16 without a mark", utf16File, UTF16, 1, 2, "é"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open("a.csv", c.data, Options{})
			var wrong *EncodingError
			if !errors.As(err, &wrong) || wrong.Guess != c.guess || wrong.Line != c.line || wrong.Column != c.column {
				t.Fatalf("got %v, %+v", err, wrong)
			}
			s, err := Open("a.csv", c.data, Options{Encoding: wrong.Guess})
			if err != nil {
				t.Fatal(err)
			}
			if p := plan(s); len(p.Rows) != 1 || p.Rows[0].Entity.RowKey != c.key {
				t.Errorf("got %s", entities(p))
			}
		})
	}
	if _, err := Open("a.csv", []byte("PartitionKey,RowKey\np,\xe9\n"), Options{Encoding: UTF8}); err != nil {
		t.Errorf("read as UTF-8 by choice: %v", err)
	}
}

// TestNULIsText: it can be in a value, so also in a file of our own.
func TestNULIsText(t *testing.T) {
	e := &odata.Entity{PartitionKey: "p", RowKey: "日本", Properties: []odata.Property{{Name: "A", Value: odata.StringValue("a\x00b")}}}
	w := rowfile.Writer{Format: rowfile.CSV, Columns: []string{"A"}, Types: true}
	p := plan(open(t, "a.csv", string(w.Append(w.Begin(nil), e))))
	if got, want := entities(p), "2 p/日本 A=a\x00b(String)"; got != want {
		t.Errorf("got %q, want %q; %s", got, want, problems(p))
	}
}

func TestExtract(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		lines            []int
		want, wantName   string
	}{
		{"CSV", "my.file.csv", "\ufeffPartitionKey,RowKey,A\r\np,1,\"x\r\ny\"\r\np,2\r\np,3,z\r\n", []int{0, 4, 2},
			"PartitionKey,RowKey,A\np,1,\"x\r\ny\"\np,2\n", "my.file-rest.csv"},
		{"JSON Lines", "a", "{\"PartitionKey\":\"p\",\"RowKey\":\"1\"}\n{\"PartitionKey\":\"p\"}\n", []int{2}, "{\"PartitionKey\":\"p\"}\n", "a-rest.jsonl"},
		{"a JSON array", "a.json", "[\n{\"PartitionKey\":\"p\",\n\"RowKey\":\"1\"},\n{\"A\":[]}]", []int{2, 4}, "{\"PartitionKey\":\"p\",\n\"RowKey\":\"1\"}\n{\"A\":[]}\n", "a-rest.jsonl"},
		{"an array in one line", "a.json", `[{"PartitionKey":"p","RowKey":"1"},{"A":[]},{"PartitionKey":"p","RowKey":"3"},{"PartitionKey":"p","RowKey":"4"}]`, []int{2, 3},
			"{\"A\":[]}\n{\"PartitionKey\":\"p\",\"RowKey\":\"3\"}\n", "a-rest.jsonl"},
		{"text after the end", "a.jsonl", "{\"PartitionKey\":\"p\",\"RowKey\":\"1\"}\n{\"Part", []int{2}, "{\"Part\n", "a-rest.jsonl"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, c.file, c.text)
			if got := string(s.Extract(c.lines)); strings.TrimLeft(got, "\n") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got := s.ExtractName(c.file, "rest"); got != c.wantName {
				t.Errorf("the name is %q, want %q", got, c.wantName)
			}
		})
	}
}

func TestInferToleratesOneInAThousand(t *testing.T) {
	var b strings.Builder
	b.WriteString("PartitionKey,RowKey,A\n")
	for i := range 2000 {
		fmt.Fprintf(&b, "p,%d,%d\n", i, i)
	}
	text := b.String()
	if c := open(t, "a.csv", text+"p,x,y\n").Columns[2]; c.Type != odata.EdmInt32 {
		t.Errorf("one wrong cell makes the column %v", c.Type)
	}
	if c := open(t, "a.csv", text+"p,x,y\np,y,y\np,z,y\n").Columns[2]; c.Type != odata.EdmString {
		t.Errorf("with three wrong cells the column is %v", c.Type)
	}
}

func TestColumnsBecomeProperties(t *testing.T) {
	s := open(t, "a.csv", "partition_key,Row Key,First Name,First_Name,1st\np,1,Anna,B,x\n")
	var got []string
	for _, c := range s.Columns {
		got = append(got, c.Target)
	}
	if want := "PartitionKey RowKey  First_Name _1st"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.Assign(2, odata.RowKeyName)
	if s.Columns[1].Target != "" || s.Columns[2].Type != odata.EdmString || !s.HasKeys() {
		t.Errorf("%+v", s.Columns)
	}
}

func TestFillKeys(t *testing.T) {
	s := open(t, "a.csv", "A\nx\ny\n")
	s.FillKeys, s.Partition = true, "all"
	if got, want := entities(plan(s)), "2 all/000000002 A=x(String)\n3 all/000000003 A=y(String)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestStep: the steps of a file name each part of the work and the rows that are done, and
// the error of any ends it.
func TestStep(t *testing.T) {
	const rows = 10 * stepRows
	lines, objects := strings.Builder{}, strings.Builder{}
	lines.WriteString("PartitionKey,RowKey\n")
	for i := range rows {
		fmt.Fprintf(&lines, "p%d,%d\n", i%3, i)
		fmt.Fprintf(&objects, `{"PartitionKey":"p%d","RowKey":"%d"}`+"\n", i%3, i)
	}
	for name, text := range map[string]string{"a.csv": lines.String(), "a.jsonl": objects.String()} {
		var steps []Progress
		failAt := -1
		wrong := errors.New("stopped")
		step := func(p Progress) error {
			steps = append(steps, p)
			if len(steps)-1 == failAt {
				return wrong
			}
			return nil
		}
		work := func() error {
			steps = nil
			s, err := Open(name, []byte(text), Options{Step: step})
			if err == nil {
				_, err = s.Plan(step)
			}
			return err
		}
		if err := work(); err != nil {
			t.Fatal(err)
		}
		doing := map[string]int{}
		for _, p := range steps {
			doing[p.Doing] = max(doing[p.Doing], p.Rows)
			if p.Fraction < 0 || p.Fraction > 1 || p.Rows > rows {
				t.Errorf("%s: %+v", name, p)
			}
		}
		for _, part := range []string{"Reading", "Finding the types", "Checking", "Sorting", "Counting partitions"} {
			if doing[part] < rows-stepRows {
				t.Errorf("%s: %s counts %d rows", name, part, doing[part])
			}
		}
		for failAt = 0; failAt < len(steps)-1; failAt += 5 {
			if err := work(); !errors.Is(err, wrong) || len(steps) != failAt+1 {
				t.Fatalf("%s: step %d: %v after %d steps", name, failAt, err, len(steps))
			}
		}
	}
}

// TestTooLargeRow reads a file with one row of 4 MiB: it is named by its line, and
// nothing else is lost.
func TestTooLargeRow(t *testing.T) {
	large := strings.Repeat("x", 4<<20)
	for _, c := range []struct{ name, file, text string }{
		{"CSV", "a.csv", "PartitionKey,RowKey,A\np,1,a\np,2," + large + "\np,3,c\n"},
		{"JSON Lines", "a.jsonl", `{"PartitionKey":"p","RowKey":"0"}` + "\n" + `{"PartitionKey":"p","RowKey":"1","A":"a"}` + "\n" +
			`{"PartitionKey":"p","RowKey":"2","A":"` + large + `"}` + "\n" + `{"PartitionKey":"p","RowKey":"3","A":"c"}` + "\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, c.file, c.text)
			p := plan(s)
			if n := len(p.Rows); n == 0 || p.Rows[n-1].Entity.RowKey != "3" || p.Rows[n-2].Entity.RowKey != "1" {
				t.Errorf("the rows around it: %.200s", entities(p))
			}
			if len(p.Problems) != 1 || p.Problems[0].Line != 3 {
				t.Fatalf("problems %.300s", problems(p))
			}
			if got := problems(p); len(got) > 200 || !strings.Contains(got, "entity is too large") {
				t.Errorf("the problem has %d bytes: %.300s", len(got), got)
			}
			if rest := s.Extract([]int{3}); len(rest) < len(large) {
				t.Errorf("the row for correction has %d bytes", len(rest))
			}
		})
	}
}

// TestRowsThatShareALine are told apart by their number.
func TestRowsThatShareALine(t *testing.T) {
	const row = `{"PartitionKey":"p","RowKey":"1"}`
	for _, text := range []string{"[" + row + ",\n" + row + "," + row + "]", `{"value":[` + row + "," + row + "," + row + "]}", row + " " + row + " " + row} {
		s := open(t, "a.json", text)
		p := plan(s)
		if got, want := problems(p), "2 PartitionKey, RowKey: the same keys as row 1"; !strings.Contains(got, want) || p.ProblemRows() != 2 || s.Unit() != "row" {
			t.Errorf("%s: %d rows have problems: %s", text, p.ProblemRows(), got)
		}
		s = open(t, "a.json", strings.ReplaceAll(text, `"PartitionKey":"p","RowKey":"1"`, `"A":1`))
		s.FillKeys = true
		if p := plan(s); len(p.Rows) != 3 || p.Rows[2].Entity.RowKey != "000000003" {
			t.Errorf("%s without keys: %s; %s", text, entities(p), problems(p))
		}
	}
	for _, text := range []string{row + "\n" + row, "[" + row + ",\n" + row + "\n", "[\n" + row + "," + "\n{\"A\":"} {
		if s := open(t, "a.json", text); s.ByRow {
			t.Errorf("%q: rows that share no line are numbered", text)
		}
	}
}
