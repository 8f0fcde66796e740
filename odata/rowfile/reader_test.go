package rowfile_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"sandtable/odata"
	"sandtable/odata/rowfile"
)

// read returns what a reader finds in a text, a line for each row.
func read(from func() io.Reader, format rowfile.Format) (rows []string, all []*odata.Entity, err error) {
	var columns []rowfile.Column
	if format == rowfile.CSV {
		if columns, err = rowfile.Survey(from()); err != nil {
			return nil, nil, err
		}
	}
	r, err := rowfile.NewReader(from(), format, columns)
	if err != nil {
		return nil, nil, err
	}
	for {
		e, line, err := r.Next()
		var bad *rowfile.RowError
		switch {
		case errors.Is(err, io.EOF):
			return rows, all, nil
		case errors.As(err, &bad):
			rows = append(rows, bad.Error())
			continue
		case err != nil:
			return rows, all, err
		}
		row := fmt.Sprintf("%d %s/%s", line, e.PartitionKey, e.RowKey)
		for _, p := range e.Properties {
			row += fmt.Sprintf(" %s=%s(%s)", p.Name, rowfile.Text(p.Value), strings.TrimPrefix(p.Value.Type().String(), "Edm."))
		}
		rows, all = append(rows, row), append(all, e)
	}
}

func TestReader(t *testing.T) {
	const header = "PartitionKey,RowKey,"
	for _, c := range []struct {
		name   string
		format rowfile.Format
		text   string
		want   string
	}{
		{"types in the file", rowfile.CSV, header + "A,A@type\np,1,5,Int64\np,2,6,\n", "2 p/1 A=5(Int64)\n3 p/2 A=6(Int64)"},
		{"inferred types", rowfile.CSV, header + "I,B,S\np,1,5,TRUE,007\np,2,-6,false,x\n", "2 p/1 I=5(Int32) B=true(Boolean) S=007(String)\n3 p/2 I=-6(Int32) B=false(Boolean) S=x(String)"},
		{"numbers with a plus sign", rowfile.CSV, header + "Phone,D\np,1,+4915112345678,+1.5\n", "2 p/1 Phone=+4915112345678(String) D=+1.5(String)"},
		{"more digits than a Double has", rowfile.CSV, header + "A,B,C,D,E,F\np,1,3.14159265358979323846,9007199254740993.0,123456789012345678e3,0.10000000000000001,1.50000000000000000000,1e-400\n",
			"2 p/1 A=3.14159265358979323846(String) B=9007199254740993.0(String) C=123456789012345678e3(String) D=0.1(Double) E=1.5(Double) F=1e-400(String)"},
		{"exact doubles", rowfile.CSV, header + "A,B,C,D\np,1,0.0,-0.50,1e20,0.1000000000000000055511151231257827021181583404541015625\n", "2 p/1 A=0.0(Double) B=-0.5(Double) C=1E+20(Double) D=0.1(Double)"},
		{"finer times than a DateTime", rowfile.CSV, header + "A,B,C\np,1,2026-01-02T03:04:05.12345678Z,2026-01-02T03:04:05.1234567+01:00,2026-01-02T03:04:05.123456700Z\n",
			"2 p/1 A=2026-01-02T03:04:05.12345678Z(String) B=2026-01-02T02:04:05.1234567Z(DateTime) C=2026-01-02T03:04:05.1234567Z(DateTime)"},
		{"absent and empty", rowfile.CSV, header + "S,T\r\np,1,,\"\"\r\n\r\n,2,x,\r\n", "2 p/1 T=(String)\n4 /2 S=x(String)"},
		{"semicolons, a mark and no last line end", rowfile.CSV, "\ufeffPartitionKey;RowKey;A\np;1;\"x;\r\ny\"\np;2;z", "2 p/1 A=x;\r\ny(String)\n4 p/2 A=z(String)"},
		{"semicolons after blank lines", rowfile.CSV, "\ufeff\n\r\nPartitionKey;RowKey;A\np;1;x,y\n", "4 p/1 A=x,y(String)"},
		{"semicolons, and carriage returns alone", rowfile.CSV, "PartitionKey;RowKey;A\rp;1;a,b,c,d,e,f\r", "2 p/1 A=a,b,c,d,e,f(String)"},
		{"integers with gaps", rowfile.CSV, header + "A\np,1,5\np,2,\np,3,6\n", "2 p/1 A=5(Int32)\n3 p/2\n4 p/3 A=6(Int32)"},
		{"null among numbers", rowfile.CSV, header + "A,B,C\np,1,5,null,null\np,2,null,true,null\np,3,6,,x\n", "2 p/1 A=5(Int32) C=null(String)\n3 p/2 B=true(Boolean) C=null(String)\n4 p/3 A=6(Int32) C=x(String)"},
		{"null alone", rowfile.CSV, header + "A\np,1,null\n", "2 p/1 A=null(String)"},
		{"other spellings of the keys", rowfile.CSV, "partition_key,Row Key,Row_Key\np,1,x\n", "2 p/1"},
		{"a property like a key", rowfile.CSV, header + "row_key\np,1,x\n", "2 p/1 row_key=x(String)"},
		{"bad rows", rowfile.CSV, header + "A,A@type\np,1\np,2,x,Int32\np,3,5,Int32\na/b,4,5,Int32\np,5,\"x\"y,\np,6,5,Nothing\np,7,\"7\"\"\",String\n",
			"line 2: 2 cells in place of 4\nline 3, A: \"x\": " + rowfile.ErrInt32.Error() + "\n4 p/3 A=5(Int32)\n" +
				"line 5, PartitionKey: \"a/b\": The 'PartitionKey' parameter of value 'a/b' is out of range.\nline 6: there is text after a closing quote\nline 7: Nothing is not a type\n8 p/7 A=7\"(String)"},
		{"an open quote", rowfile.CSV, header + "A\np,1,\"x\np,2,y\n", "line 2: a quote is not closed\n3 p/2 A=y(String)"},
		{"not UTF-8", rowfile.CSV, header + "A\np,1,\xe9\np,2,\u00e9\n", "line 2, A: not UTF-8\n3 p/2 A=\u00e9(String)"},
		{"JSON Lines", rowfile.JSONLines, "\ufeff{\"PartitionKey\":\"p\",\"RowKey\":\"1\",\"A\":5}\r\n\r\n{\"PartitionKey\":\"p\",\"RowKey\":\"2\",\"B@odata.type\":\"Edm.Int64\",\"B\":\"6\"}", "1 p/1 A=5(Int32)\n3 p/2 B=6(Int64)"},
		{"bad lines", rowfile.JSONLines, "{\"RowKey\":\"1\"}\n{\"Parti\n{\"PartitionKey\":\"\\u0001\",\"RowKey\":\"2\"}\n{\"PartitionKey\":\"p\",\"RowKey\":\"3\",\"A\":\"\xff\"}\n{\"PartitionKey\":\"p\",\"RowKey\":\"4\"}\n",
			"line 1: key is missing\nline 2: not an entity: payload is malformed\nline 3, PartitionKey: The 'PartitionKey' parameter of value '\x01' is out of range.\nline 4: not UTF-8\n5 p/4"},
		{"nothing", rowfile.JSONLines, " \n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, chunk := range []int{256 << 10, 1} {
				defer rowfile.SetChunk(chunk)()
				rows, _, err := read(func() io.Reader { return strings.NewReader(c.text) }, c.format)
				if got := strings.Join(rows, "\n"); err != nil || got != c.want {
					t.Errorf("in chunks of %d: %v\n%q\nwant\n%q", chunk, err, got, c.want)
				}
			}
		})
	}
}

// TestExceptions: one cell in a thousand may not fit the type of its column, which refuses its
// row. What would be changed instead makes the column a String.
func TestExceptions(t *testing.T) {
	for _, c := range []struct {
		usual, odd string
		want       string // of the odd row
	}{
		{"5", "x", `line 2, A: "x": ` + rowfile.ErrInt32.Error()},
		{"5", "1,000", `line 2, A: "1,000": ` + rowfile.ErrInt32.Error()},
		{"5", "007", "2 p/odd A=007(String)"},
		{"5", "+7", "2 p/odd A=+7(String)"},
		{"0.5", "NaN", "2 p/odd A=NaN(Double)"},
		{"0.5", "3.14159265358979323846", "2 p/odd A=3.14159265358979323846(String)"},
		{"0.5", "12345678901234567890", "2 p/odd A=12345678901234567890(String)"},
		{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.12345678Z", "2 p/odd A=2026-01-02T03:04:05.12345678Z(String)"},
		{"2026-01-02T03:04:05Z", "2026-01-02", "2 p/odd A=2026-01-02T00:00:00Z(DateTime)"},
	} {
		text := "PartitionKey,RowKey,A\np,odd,\"" + c.odd + "\"\n" + strings.Repeat("p,1,"+c.usual+"\n", 1000)
		rows, _, err := read(func() io.Reader { return strings.NewReader(text) }, rowfile.CSV)
		if err != nil || rows[0] != c.want {
			t.Errorf("%s among %s: %q, want %q; %v", c.odd, c.usual, rows[0], c.want, err)
		}
	}
}

func TestReaderRefuses(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       error
	}{
		{"UTF-16", "\xff\xfeP\x00", rowfile.ErrEncoding},
		{"a name twice", "PartitionKey,RowKey,A,A\n", rowfile.ErrHeader},
		{"nothing", "", rowfile.ErrHeader},
		{"no RowKey", "PartitionKey,A\n", rowfile.ErrHeader},
		{"a name in Windows-1252", "PartitionKey,RowKey,Gr\xf6\xdfe\np,r,5\n", rowfile.ErrHeader},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := read(func() io.Reader { return strings.NewReader(c.text) }, rowfile.CSV)
			if !errors.Is(err, c.want) || strings.Count(err.Error(), c.want.Error()) != 1 {
				t.Errorf("got %v, want %v once", err, c.want)
			}
		})
	}
	failing := errors.New("the disk fails")
	_, _, err := read(func() io.Reader { return iotest.ErrReader(failing) }, rowfile.CSV)
	if !errors.Is(err, failing) {
		t.Errorf("got %v, want the reader's error", err)
	}
}

// TestReaderOfChangedFile: the columns are those of the file before it was edited.
func TestReaderOfChangedFile(t *testing.T) {
	columns, err := rowfile.Survey(strings.NewReader("PartitionKey,RowKey,A,B\np,1,5,6\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range []string{"PartitionKey,RowKey,A", "PartitionKey,RowKey,B,A", "PartitionKey,RowKey,A,B,C"} {
		if _, err := rowfile.NewReader(strings.NewReader(header+"\n"), rowfile.CSV, columns); !errors.Is(err, rowfile.ErrChanged) {
			t.Errorf("%s: got %v, want %v", header, err, rowfile.ErrChanged)
		}
	}
}

// TestRowsAcrossChunks reads rows that begin and end anywhere in the chunks that are
// read, and a row that is too long.
func TestRowsAcrossChunks(t *testing.T) {
	var csv, lines strings.Builder
	csv.WriteString("PartitionKey,RowKey,A\r\n")
	const rows = 3000
	for i := range rows {
		text := strings.Repeat(`"`, i%301)
		fmt.Fprintf(&csv, "p,%d,\"%s\"\r\n", i, strings.ReplaceAll(text, `"`, `""`))
		fmt.Fprintf(&lines, "{\"PartitionKey\":\"p\",\"RowKey\":\"%d\",\"A\":%q}\n", i, text)
	}
	long := strings.Repeat("x", 20<<20)
	fmt.Fprintf(&csv, "p,long,%s\r\np,last,\r\n", long)
	fmt.Fprintf(&lines, "{\"PartitionKey\":\"p\",\"RowKey\":\"long\",\"A\":%q}\n{\"PartitionKey\":\"p\",\"RowKey\":\"last\"}\n", long)
	for format, text := range map[rowfile.Format]string{rowfile.CSV: csv.String(), rowfile.JSONLines: lines.String()} {
		found, all, err := read(func() io.Reader { return strings.NewReader(text) }, format)
		if err != nil || len(all) != rows+1 || all[rows].RowKey != "last" {
			t.Fatalf("%v: %d entities, %v", format, len(all), err)
		}
		for i, e := range all[:rows] {
			v, _ := e.Property("A")
			if e.RowKey != fmt.Sprint(i) || v.Text() != strings.Repeat(`"`, i%301) {
				t.Fatalf("%v: row %d is %v", format, i, e)
			}
		}
		if !strings.Contains(found[rows], "more than 8 MiB") {
			t.Errorf("%v: the long row gave %.80q", format, found[rows])
		}
	}
}

// TestRoundTrip writes awkward values of every type and reads them back.
func TestRoundTrip(t *testing.T) {
	when, _ := odata.ParseDateTime("2024-01-10T08:30:00.1234567Z")
	id, _ := odata.ParseGuid("c9da6455-213d-42c9-9a79-3e9149a57833")
	var all []*odata.Entity
	for i, text := range []string{"plain", "", " blanks ", `quotes " and ""`, "lines\r\nand\nmore\r", "comma, semicolon; tab\t", "\U0001F351", "null", "007", "\x00\u2028"} {
		all = append(all, &odata.Entity{PartitionKey: "p" + text[:0], RowKey: fmt.Sprintf("%03d", i), Properties: []odata.Property{
			{Name: "S", Value: odata.StringValue(text)}, {Name: "I", Value: odata.Int32Value(int32(-i))}, {Name: "L", Value: odata.Int64Value(math.MaxInt64)},
			{Name: "D", Value: odata.DoubleValue(float64(i) / 3)}, {Name: "N", Value: odata.DoubleValue(math.Inf(i - 5))}, {Name: "B", Value: odata.BooleanValue(i%2 == 0)},
			{Name: "W", Value: odata.DateTimeValue(when)}, {Name: "G", Value: odata.GuidValue(id)}, {Name: "X", Value: odata.BinaryValue([]byte{0, 255, byte(i)})},
		}})
	}
	all = append(all, &odata.Entity{PartitionKey: "", RowKey: "", Properties: []odata.Property{}})
	for _, w := range []rowfile.Writer{{Format: rowfile.CSV, Types: true}, {Format: rowfile.CSV, Types: true, Timestamp: true, Delimiter: ';', Mark: true}, {Format: rowfile.JSONLines}} {
		w.Columns = []string{"S", "I", "L", "D", "N", "B", "W", "G", "X"}
		file := w.Begin(nil)
		for _, e := range all {
			file = w.Append(file, e)
		}
		_, got, err := read(func() io.Reader { return strings.NewReader(string(w.End(file))) }, w.Format)
		if err != nil || len(got) != len(all) {
			t.Fatalf("%v: %d entities, want %d: %v\n%s", w.Format, len(got), len(all), err, file)
		}
		for i, e := range got {
			if e.Key() != all[i].Key() || !slices.EqualFunc(e.Properties, all[i].Properties, func(a, b odata.Property) bool {
				return a.Name == b.Name && a.Value.Type() == b.Value.Type() && a.Value.Equal(b.Value)
			}) {
				t.Errorf("%v: got %v, want %v", w.Format, e, all[i])
			}
		}
	}
}

// TestBinaryNull: the Base64 of three bytes is the word that stands for a missing property.
func TestBinaryNull(t *testing.T) {
	e := &odata.Entity{Properties: []odata.Property{{Name: "A", Value: odata.BinaryValue([]byte{0x9E, 0xE9, 0x65})}}}
	w := rowfile.Writer{Columns: []string{"A"}, Types: true}
	file := string(w.Append(w.Begin(nil), e))
	if _, got, err := read(func() io.Reader { return strings.NewReader(file) }, rowfile.CSV); err != nil || len(got) != 1 || !slices.Equal(got[0].Properties, e.Properties) {
		t.Errorf("%q is read as %v, %v", file, got, err)
	}
}

// FuzzReader: no file panics, and where the chunks end makes no difference.
func FuzzReader(f *testing.F) {
	f.Add(true, "PartitionKey,RowKey,A,A@type\np,1,\"x\ny\",String\n")
	f.Add(false, "{\"PartitionKey\":\"p\",\"RowKey\":\"1\"}\n{}")
	f.Fuzz(func(t *testing.T, csv bool, text string) {
		format := rowfile.JSONLines
		if csv {
			format = rowfile.CSV
		}
		rows, _, err := read(func() io.Reader { return strings.NewReader(text) }, format)
		defer rowfile.SetChunk(1)()
		again, _, other := read(func() io.Reader { return strings.NewReader(text) }, format)
		if !slices.Equal(rows, again) || (err == nil) != (other == nil) {
			t.Errorf("%q, %v\n%q, %v", rows, err, again, other)
		}
	})
}

// TestLargeEntity: the values of a row are small enough, but not the entity.
func TestLargeEntity(t *testing.T) {
	for _, c := range []struct {
		name   string
		values int
		fits   bool
	}{
		{"15 values of 64 KiB", 15, true},
		{"16 values of 64 KiB", 16, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var names, values strings.Builder
			for i := range c.values {
				fmt.Fprintf(&names, ",A%d", i)
				values.WriteString("," + strings.Repeat("x", odata.MaxEntitySize/32))
			}
			text := "PartitionKey,RowKey" + names.String() + "\np,1" + values.String() + "\n"
			rows, all, err := read(func() io.Reader { return strings.NewReader(text) }, rowfile.CSV)
			refused := slices.Equal(rows, []string{"line 2: " + odata.ErrEntityTooLarge.Error()})
			if err != nil || (len(all) == 1) != c.fits || refused == c.fits {
				t.Errorf("%d entities, %.200q, %v", len(all), rows, err)
			}
		})
	}
}

// TestWriter writes one entity in each form.
func TestWriter(t *testing.T) {
	e := &odata.Entity{PartitionKey: "p", RowKey: "1", Properties: []odata.Property{{Name: "A", Value: odata.Int32Value(5)}}}
	const keys = `"PartitionKey":"p","RowKey":"1","A":5`
	for _, c := range []struct {
		name string
		w    rowfile.Writer
		want string
	}{
		{"CSV", rowfile.Writer{Columns: []string{"A", "B"}}, "PartitionKey,RowKey,A,B\r\np,1,5,\r\n"},
		{"CSV with types", rowfile.Writer{Columns: []string{"A", "B"}, Types: true}, "PartitionKey,RowKey,A,A@type,B,B@type\r\np,1,5,Int32,,\r\n"},
		{"CSV for Excel", rowfile.Writer{Columns: []string{"A"}, Delimiter: ';', Mark: true}, "\ufeffPartitionKey;RowKey;A\r\np;1;5\r\n"},
		{"JSON Lines", rowfile.Writer{Format: rowfile.JSONLines}, "{" + keys + "}\n"},
		{"JSON", rowfile.Writer{Format: rowfile.JSON}, "[\n{" + keys + "}\n]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(c.w.End(c.w.Append(c.w.Begin(nil), e))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
