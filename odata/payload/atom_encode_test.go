package payload

import (
	"encoding/xml"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"sandtable/odata"
)

// encoder is the common interface of both representations.
type encoder interface {
	AppendEntity(b []byte, table string, e *odata.Entity) []byte
	AppendEntities(b []byte, table string, es iter.Seq[*odata.Entity]) []byte
	AppendTable(b []byte, name string) []byte
	AppendTables(b []byte, names []string) []byte
}

var _, _ encoder = (*Context)(nil), (*Atom)(nil)

func atom(t testing.TB) Atom {
	t.Helper()
	return Atom{Base: base, Account: "A", Updated: dateTime(t, "2017-02-16T03:48:16.9876543Z")}
}

func atomSelecting(t testing.TB, text string) Atom {
	a := atom(t)
	a.HasSelect, a.Select = true, ParseSelect(text)
	return a
}

// wellFormed fails if the standard library cannot read the document.
func wellFormed(t *testing.T, body string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(body))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
	}
}

const (
	wantDeclaration = `<?xml version="1.0" encoding="utf-8"?>`

	wantRoot   = ` xml:base="https://A.table.core.windows.net/"` + wantSpaces
	wantSpaces = ` xmlns="http://www.w3.org/2005/Atom"` +
		` xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices" xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"`
	wantETag   = ` m:etag="W/&quot;datetime'2017-11-10T02%3A44%3A47.6221962Z'&quot;"`
	wantMiddle = `<title /><updated>2017-02-16T03:48:16Z</updated><author><name /></author><content type="application/xml"><m:properties>`
	wantHead   = `><id>https://A.table.core.windows.net/T(PartitionKey='pk',RowKey='rk')</id>` +
		`<category term="A.T" scheme="http://schemas.microsoft.com/ado/2007/08/dataservices/scheme" />` +
		`<link rel="edit" title="T" href="T(PartitionKey='pk',RowKey='rk')" />` + wantMiddle
	wantKeys   = `<d:PartitionKey>pk</d:PartitionKey><d:RowKey>rk</d:RowKey>`
	wantStamp  = `<d:Timestamp m:type="Edm.DateTime">2017-11-10T02:44:47.6221962Z</d:Timestamp>`
	wantValues = `<d:age m:type="Edm.Int64">39</d:age><d:sex>male</d:sex><d:married m:type="Edm.Boolean">true</d:married>` +
		`<d:evenratio m:type="Edm.Double">3</d:evenratio><d:ratio m:type="Edm.Double">3.1</d:ratio>` +
		`<d:Birthday m:type="Edm.DateTime">1973-10-04T00:00:00Z</d:Birthday><d:binary m:type="Edm.Binary">YmluYXJ5</d:binary>` +
		`<d:other m:type="Edm.Int32">20</d:other><d:clsid m:type="Edm.Guid">c9da6455-213d-42c9-9a79-3e9149a57833</d:clsid>`
	wantTail = `</m:properties></content></entry>`
)

func TestAtomAppendEntity(t *testing.T) {
	const start = wantDeclaration + "<entry" + wantRoot + wantETag + wantHead
	tests := []struct {
		name, want string
		atom       Atom
	}{
		{"all", start + wantKeys + wantStamp + wantValues + wantTail, atom(t)},
		{"select", start + `<d:age m:type="Edm.Int64">39</d:age><d:sex>male</d:sex><d:xyz m:null="true" />` + wantTail, atomSelecting(t, "sex,age,xyz")},
		{"select keys", start + wantKeys + wantStamp + wantTail, atomSelecting(t, "Timestamp,RowKey,PartitionKey")},
		{"select everything", start + wantKeys + wantStamp + wantValues + wantTail, atomSelecting(t, "sex,*")},
		{"empty select", start + wantKeys + wantStamp + wantValues + wantTail, atomSelecting(t, "")},
		{"select what no property is called", start + `<d:sex>male</d:sex>` + wantTail, atomSelecting(t, "sex,a b,</entry>,1")},
		{"select nothing that can be", start + wantTail, atomSelecting(t, "<,>")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(tt.atom.AppendEntity([]byte("x"), "T", sample(t)))
			if got != "x"+tt.want {
				t.Errorf("AppendEntity gives\n%s, want\nx%s", got, tt.want)
			}
			wellFormed(t, got[1:])
		})
	}
}

func TestAtomAppendEntities(t *testing.T) {
	const start = wantDeclaration + "<feed" + wantRoot + `><id>https://A.table.core.windows.net/T</id><title type="text">T</title>` +
		`<updated>2017-02-16T03:48:16Z</updated><link rel="self" title="T" href="T" />`
	const entry = "<entry" + wantETag + wantHead
	tests := []struct {
		name, want string
		atom       Atom
		rows       int
	}{
		{"empty", start + `<author><name /></author></feed>`, atom(t), 0},
		{"one", start + entry + wantKeys + wantStamp + wantValues + wantTail + `</feed>`, atom(t), 1},
		{"two", start + entry + `<d:sex>male</d:sex>` + wantTail + entry + `<d:sex>male</d:sex>` + wantTail + `</feed>`, atomSelecting(t, "sex"), 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var es []*odata.Entity
			for range tt.rows {
				es = append(es, sample(t))
			}
			got := string(tt.atom.AppendEntities(nil, "T", slices.Values(es)))
			if got != tt.want {
				t.Errorf("AppendEntities gives\n%s, want\n%s", got, tt.want)
			}
			wellFormed(t, got)
		})
	}
}

func TestAtomAddresses(t *testing.T) {
	e := &odata.Entity{PartitionKey: "o'x", RowKey: `a "é&<`, Timestamp: odata.MinDateTime}
	a := Atom{Base: "http://127.0.0.1:10002/a&b\t\"\n", Account: `"`, HasSelect: true, Select: []string{"xyz"}}
	const link = `T(PartitionKey='o''x',RowKey='a%20%22%C3%A9%26%3C')`
	want := wantDeclaration + `<entry xml:base="http://127.0.0.1:10002/a&amp;b&#x9;&quot;&#xA;/"` + wantSpaces +
		` m:etag="W/&quot;datetime'1601-01-01T00%3A00%3A00Z'&quot;"><id>http://127.0.0.1:10002/a&amp;b` + "\t\"\n" + `/` + link + `</id>` +
		`<category term="&quot;.T" scheme="http://schemas.microsoft.com/ado/2007/08/dataservices/scheme" /><link rel="edit" title="T" href="` + link + `" />` +
		`<title /><updated>0001-01-01T00:00:00Z</updated><author><name /></author><content type="application/xml"><m:properties>` +
		`<d:xyz m:null="true" /></m:properties></content></entry>`
	got := string(a.AppendEntity(nil, "T", e))
	if got != want {
		t.Errorf("AppendEntity gives\n%s, want\n%s", got, want)
	}
	wellFormed(t, got)
}

func TestAtomAppendTables(t *testing.T) {
	entry := func(name string) string {
		return `><id>https://A.table.core.windows.net/Tables('` + name + `')</id>` +
			`<category term="A.Tables" scheme="http://schemas.microsoft.com/ado/2007/08/dataservices/scheme" />` +
			`<link rel="edit" title="Tables" href="Tables('` + name + `')" />` + wantMiddle + `<d:TableName>` + name + `</d:TableName>` + wantTail
	}
	feed := wantDeclaration + "<feed" + wantRoot + `><id>https://A.table.core.windows.net/Tables</id><title type="text">Tables</title>` +
		`<updated>2017-02-16T03:48:16Z</updated><link rel="self" title="Tables" href="Tables" />`
	a := atomSelecting(t, "xyz") // means nothing here
	tests := []struct{ name, got, want string }{
		{"one", string(a.AppendTable(nil, "abc")), wantDeclaration + "<entry" + wantRoot + entry("abc")},
		{"none", string(a.AppendTables(nil, nil)), feed + "<author><name /></author></feed>"},
		{"two", string(a.AppendTables(nil, []string{"abc", "Def"})), feed + "<entry" + entry("abc") + "<entry" + entry("Def") + "</feed>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.got != tt.want {
				t.Errorf("got\n%s, want\n%s", tt.got, tt.want)
			}
			wellFormed(t, tt.got)
		})
	}
}

func TestAppendAtomError(t *testing.T) {
	got := string(AppendAtomError([]byte("x"), false, "InvalidInput", "The 'a<b>&c' parameter.\nRequestId:f244\nTime:2021-10-26T20:12:14.8561083Z"))
	want := `x<?xml version="1.0" encoding="utf-8"?><error xmlns="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><code>InvalidInput</code>` +
		`<message xml:lang="en-US">The 'a&lt;b&gt;&amp;c' parameter.` + "\nRequestId:f244\nTime:2021-10-26T20:12:14.8561083Z</message></error>"
	if got != want {
		t.Errorf("AppendAtomError gives\n%s, want\n%s", got, want)
	}
}

func TestAtomAppendProperty(t *testing.T) {
	const preserve = ` xml:space="preserve"`
	tests := []struct {
		name  string
		value odata.Value
		want  string // behind <d:a
	}{
		{"string", odata.StringValue("text"), `>text</d:a>`},
		{"empty string", odata.StringValue(""), `></d:a>`},
		{"blank before", odata.StringValue(" a"), preserve + `> a</d:a>`},
		{"blank behind", odata.StringValue("a "), preserve + `>a </d:a>`},
		{"blanks within", odata.StringValue("a b\tc\nd"), ">a b\tc\nd</d:a>"},
		{"only blanks", odata.StringValue(" \t\n"), preserve + "> \t\n</d:a>"},
		{"carriage return", odata.StringValue("\r\na\r"), preserve + ">&#xD;\na&#xD;</d:a>"},
		{"no-break space", odata.StringValue("\u00A0"), preserve + ">\u00A0</d:a>"},
		{"markup", odata.StringValue(`<a b="'">&amp;]]></a>`), `>&lt;a b="'"&gt;&amp;amp;]]&gt;&lt;/a&gt;</d:a>`},
		{"no characters of XML", odata.StringValue("\x00\x01\x0b\x1f\uFFFE\uFFFF."), `>&#x0;&#x1;&#xB;&#x1F;&#xFFFE;&#xFFFF;.</d:a>`},
		{"vertical tab is a blank to .NET", odata.StringValue("\v"), preserve + `>&#xB;</d:a>`},
		{"other characters", odata.StringValue("\x7f\u0085x\uFFFD\uF000é\U0001F600"), ">\x7f\u0085x\uFFFD\uF000é\U0001F600</d:a>"},
		{"no UTF-8", odata.StringValue("a\xffb"), ">a\uFFFDb</d:a>"},
		{"int32", odata.Int32Value(math.MinInt32), ` m:type="Edm.Int32">-2147483648</d:a>`},
		{"int64", odata.Int64Value(math.MaxInt64), ` m:type="Edm.Int64">9223372036854775807</d:a>`},
		{"boolean", odata.BooleanValue(false), ` m:type="Edm.Boolean">false</d:a>`},
		{"guid", odata.GuidValue(guid(t, "C9DA6455-213D-42C9-9A79-3E9149A57833")), ` m:type="Edm.Guid">c9da6455-213d-42c9-9a79-3e9149a57833</d:a>`},
		{"date", odata.DateTimeValue(dateTime(t, "2013-08-02T17:37:43.0090")), ` m:type="Edm.DateTime">2013-08-02T17:37:43.009Z</d:a>`},
		{"binary", odata.BinaryText("\xfb\xff\xfe\x00"), ` m:type="Edm.Binary">+//+AA==</d:a>`},
		{"empty binary", odata.BinaryText(""), ` m:type="Edm.Binary"></d:a>`},
		{"no value", odata.Value{}, ` m:null="true" />`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(appendAtomProperty(nil, "a", tt.value)); got != "<d:a"+tt.want {
				t.Errorf("got %q, want %q", got, "<d:a"+tt.want)
			}
		})
	}
}

func TestAtomAppendDouble(t *testing.T) {
	tests := map[float64]string{
		0: "0", math.Copysign(0, -1): "-0", 3: "3", -3: "-3", 10: "10", 3.1: "3.1", 200.23: "200.23", 100.5: "100.5", 0.0001: "0.0001",
		123456789012345: "123456789012345", 1e15: "1E+15", 1e-5: "1E-05", 1.23456789012346e24: "1.23456789012346E+24",
		math.Inf(1): "INF", math.Inf(-1): "-INF", math.NaN(): "NaN",
	}
	for f, want := range tests {
		if got := string(appendAtomDouble(nil, f)); got != want {
			t.Errorf("%v is written as %s, want %s", f, got, want)
		}
	}
}

func TestAtomEncodersAllocateNothing(t *testing.T) {
	page := page(t, 100)
	for _, e := range page {
		e.Properties[6].Value = odata.BinaryText("a binary that is longer than the small buffers of the runtime")
		e.Properties[1].Value = odata.StringValue(" a < b & c > d\r\n")
	}
	buf := make([]byte, 0, 1<<20)
	names := []string{"x"}
	for _, a := range []Atom{atom(t), atomSelecting(t, "RowKey,other,age,xyz")} {
		allocations := testing.AllocsPerRun(10, func() {
			buf = a.AppendEntities(buf[:0], "T", slices.Values(page))
			buf = a.AppendEntity(buf, "T", page[0])
			buf = a.AppendTables(buf, names)
			buf = AppendAtomError(buf, true, "C", "m")
		})
		if allocations > perSequence {
			t.Errorf("select %q: %v allocations, want none for each entity", a.Select, allocations)
		}
	}
}
