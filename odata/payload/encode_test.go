package payload

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sandtable/odata"
)

const base = "https://A.table.core.windows.net"

func dateTime(t testing.TB, text string) odata.DateTime {
	t.Helper()
	d, ok := odata.ParseDateTime(text)
	if !ok {
		t.Fatalf("%q is no DateTime", text)
	}
	return d
}

func guid(t testing.TB, text string) odata.Guid {
	t.Helper()
	g, ok := odata.ParseGuid(text)
	if !ok {
		t.Fatalf("%q is no Guid", text)
	}
	return g
}

// sample is the entity of the reference's examples, with a property of each type.
func sample(t testing.TB) *odata.Entity {
	t.Helper()
	return &odata.Entity{
		PartitionKey: "pk", RowKey: "rk", Timestamp: dateTime(t, "2017-11-10T02:44:47.6221962Z"),
		Properties: []odata.Property{
			{Name: "age", Value: odata.Int64Value(39)},
			{Name: "sex", Value: odata.StringValue("male")},
			{Name: "married", Value: odata.BooleanValue(true)},
			{Name: "evenratio", Value: odata.DoubleValue(3)},
			{Name: "ratio", Value: odata.DoubleValue(3.1)},
			{Name: "Birthday", Value: odata.DateTimeValue(dateTime(t, "1973-10-04"))},
			{Name: "binary", Value: odata.BinaryText("binary")},
			{Name: "other", Value: odata.Int32Value(20)},
			{Name: "clsid", Value: odata.GuidValue(guid(t, "C9DA6455-213D-42C9-9A79-3E9149A57833"))},
		},
	}
}

func context(level Level) Context { return Context{Base: base, Account: "A", Level: level} }

func selecting(level Level, text string) Context {
	c := context(level)
	c.HasSelect, c.SelectText, c.Select = true, text, ParseSelect(text)
	return c
}

const (
	sampleHead   = `"odata.metadata":"https://A.table.core.windows.net/$metadata#T/@Element",`
	sampleETag   = `"odata.etag":"W/\"datetime'2017-11-10T02%3A44%3A47.6221962Z'\"",`
	sampleType   = `"odata.type":"A.T","odata.id":"https://A.table.core.windows.net/T(PartitionKey='pk',RowKey='rk')",`
	sampleLink   = `"odata.editLink":"T(PartitionKey='pk',RowKey='rk')",`
	sampleKeys   = `"PartitionKey":"pk","RowKey":"rk",`
	sampleStamp  = `"Timestamp":"2017-11-10T02:44:47.6221962Z",`
	sampleStamps = `"Timestamp@odata.type":"Edm.DateTime",` + sampleStamp
	sampleValues = `"age@odata.type":"Edm.Int64","age":"39","sex":"male","married":true,"evenratio":3.0,"ratio":3.1,` +
		`"Birthday@odata.type":"Edm.DateTime","Birthday":"1973-10-04T00:00:00Z","binary@odata.type":"Edm.Binary","binary":"YmluYXJ5",` +
		`"other":20,"clsid@odata.type":"Edm.Guid","clsid":"c9da6455-213d-42c9-9a79-3e9149a57833"}`
	sampleBare = `"age":"39","sex":"male","married":true,"evenratio":3.0,"ratio":3.1,` +
		`"Birthday":"1973-10-04T00:00:00Z","binary":"YmluYXJ5","other":20,"clsid":"c9da6455-213d-42c9-9a79-3e9149a57833"}`
)

func TestAppendEntity(t *testing.T) {
	const selected = `"odata.metadata":"https://A.table.core.windows.net/$metadata#T/@Element&$select=`
	tests := []struct {
		name    string
		context Context
		want    string
	}{
		{"no metadata", context(NoMetadata), "{" + sampleKeys + sampleStamp + sampleBare},
		{"minimal metadata", context(MinimalMetadata), "{" + sampleHead + sampleETag + sampleKeys + sampleStamp + sampleValues},
		{"full metadata", context(FullMetadata), "{" + sampleHead + sampleType + sampleETag + sampleLink + sampleKeys + sampleStamps + sampleValues},
		{"no tag in old versions", Context{Base: base, Account: "A", Level: MinimalMetadata, WithoutETag: true}, "{" + sampleHead + sampleKeys + sampleStamp + sampleValues},
		{"full metadata in old versions", Context{Base: base, Account: "A", Level: FullMetadata, WithoutETag: true}, "{" + sampleHead + sampleType + sampleETag + sampleLink + sampleKeys + sampleStamps + sampleValues},
		{"select", selecting(MinimalMetadata, "age,sex,xyz"),
			"{" + selected + `age,sex,xyz",` + sampleETag + `"age@odata.type":"Edm.Int64","age":"39","sex":"male","xyz":null}`},
		{"select without metadata", selecting(NoMetadata, "age,sex,xyz"), `{"age":"39","sex":"male","xyz":null}`},
		{"select with full metadata", selecting(FullMetadata, "Timestamp"),
			"{" + selected + `Timestamp",` + sampleType + sampleETag + sampleLink + `"Timestamp@odata.type":"Edm.DateTime","Timestamp":"2017-11-10T02:44:47.6221962Z"}`},
		{"select shows keys first, then by name", selecting(NoMetadata, "sex,Timestamp,_x,age,RowKey,Birthday,PartitionKey"),
			`{"PartitionKey":"pk","RowKey":"rk",` + sampleStamp + `"Birthday":"1973-10-04T00:00:00Z","_x":null,"age":"39","sex":"male"}`},
		{"names not in order are put in order", Context{HasSelect: true, Select: []string{"sex", "age", "sex"}}, `{"age":"39","sex":"male"}`},
		{"select twice shows once", selecting(NoMetadata, "sex,other,sex,xyz,xyz"), `{"other":20,"sex":"male","xyz":null}`},
		{"select is written as in a URI", selecting(MinimalMetadata, " sex , other"), "{" + selected + `%20sex%20,%20other",` + sampleETag + `"other":20,"sex":"male"}`},
		{"select is case-sensitive", selecting(NoMetadata, "Sex"), `{"Sex":null}`},
		{"select of what a URI cannot have", selecting(MinimalMetadata, `é%"x`), "{" + selected + `%C3%A9%25%22x",` + sampleETag + `"\u00e9%\"x":null}`},
		{"select everything", selecting(MinimalMetadata, "*"), "{" + selected + `*",` + sampleETag + sampleKeys + sampleStamp + sampleValues},
		{"select everything and more", selecting(NoMetadata, "sex,*"), "{" + sampleKeys + sampleStamp + sampleBare},
		{"empty select", selecting(MinimalMetadata, ""), "{" + selected + `",` + sampleETag + sampleKeys + sampleStamp + sampleValues},
		{"select of commas", selecting(NoMetadata, ", ,"), "{" + sampleKeys + sampleStamp + sampleBare},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(tt.context.AppendEntity([]byte("x"), "T", sample(t)))
			if got != "x"+tt.want {
				t.Errorf("AppendEntity gives\n%s, want\nx%s", got, tt.want)
			}
		})
	}
}

func TestAppendEntities(t *testing.T) {
	e := &odata.Entity{PartitionKey: "p", RowKey: "r", Timestamp: dateTime(t, "2021-01-02T03:04:05Z")}
	const members = `"PartitionKey":"p","RowKey":"r","Timestamp":"2021-01-02T03:04:05Z"`
	const tag = `"odata.etag":"W/\"datetime'2021-01-02T03%3A04%3A05Z'\"",`
	tests := []struct {
		name    string
		context Context
		es      []*odata.Entity
		want    string
	}{
		{"empty", context(MinimalMetadata), nil, `{"odata.metadata":"https://A.table.core.windows.net/$metadata#T","value":[]}`},
		{"empty without metadata", context(NoMetadata), nil, `{"value":[]}`},
		{"one", context(MinimalMetadata), []*odata.Entity{e}, `{"odata.metadata":"https://A.table.core.windows.net/$metadata#T","value":[{` + tag + members + `}]}`},
		{"two without metadata", context(NoMetadata), []*odata.Entity{e, e}, `{"value":[{` + members + `},{` + members + `}]}`},
		{"full metadata", context(FullMetadata), []*odata.Entity{e},
			`{"odata.metadata":"https://A.table.core.windows.net/$metadata#T","value":[{"odata.type":"A.T",` +
				`"odata.id":"https://A.table.core.windows.net/T(PartitionKey='p',RowKey='r')",` + tag + `"odata.editLink":"T(PartitionKey='p',RowKey='r')",` +
				`"PartitionKey":"p","RowKey":"r","Timestamp@odata.type":"Edm.DateTime","Timestamp":"2021-01-02T03:04:05Z"}]}`},
		{"select", selecting(MinimalMetadata, "a,b"), []*odata.Entity{e},
			`{"odata.metadata":"https://A.table.core.windows.net/$metadata#T&$select=a,b","value":[{` + tag + `"a":null,"b":null}]}`},
		{"path style", Context{Base: "http://127.0.0.1:10002/devstoreaccount1", Account: "devstoreaccount1", Level: MinimalMetadata}, nil,
			`{"odata.metadata":"http://127.0.0.1:10002/devstoreaccount1/$metadata#T","value":[]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(tt.context.AppendEntities(nil, "T", slices.Values(tt.es))); got != tt.want {
				t.Errorf("AppendEntities gives\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

func TestFullMetadataAddresses(t *testing.T) {
	e := &odata.Entity{PartitionKey: "o'x", RowKey: `a "é\`, Timestamp: odata.MinDateTime}
	c := selecting(FullMetadata, "xyz")
	const link = `T(PartitionKey='o''x',RowKey='a%20%22%C3%A9%5C')`
	want := `{"odata.metadata":"https://A.table.core.windows.net/$metadata#T/@Element&$select=xyz","odata.type":"A.T",` +
		`"odata.id":"https://A.table.core.windows.net/` + link + `","odata.etag":"W/\"datetime'1601-01-01T00%3A00%3A00Z'\"","odata.editLink":"` + link + `","xyz":null}`
	if got := string(c.AppendEntity(nil, "T", e)); got != want {
		t.Errorf("AppendEntity gives\n%s, want\n%s", got, want)
	}
}

func TestAppendTables(t *testing.T) {
	const full = `"odata.type":"A.Tables","odata.id":"https://A.table.core.windows.net/Tables('x')","odata.editLink":"Tables('x')","TableName":"x"`
	tests := []struct {
		name    string
		context Context
		one     string
		all     string
	}{
		{"no metadata", context(NoMetadata), `{"TableName":"x"}`, `{"value":[{"TableName":"x"},{"TableName":"y"}]}`},
		{"minimal metadata", context(MinimalMetadata),
			`{"odata.metadata":"https://A.table.core.windows.net/$metadata#Tables/@Element","TableName":"x"}`,
			`{"odata.metadata":"https://A.table.core.windows.net/$metadata#Tables","value":[{"TableName":"x"},{"TableName":"y"}]}`},
		{"select means nothing", selecting(MinimalMetadata, "TableName"),
			`{"odata.metadata":"https://A.table.core.windows.net/$metadata#Tables/@Element","TableName":"x"}`,
			`{"odata.metadata":"https://A.table.core.windows.net/$metadata#Tables","value":[{"TableName":"x"},{"TableName":"y"}]}`},
		{"full metadata", context(FullMetadata),
			`{"odata.metadata":"https://A.table.core.windows.net/$metadata#Tables/@Element",` + full + `}`,
			`{"odata.metadata":"https://A.table.core.windows.net/$metadata#Tables","value":[{` + full + `},` +
				`{"odata.type":"A.Tables","odata.id":"https://A.table.core.windows.net/Tables('y')","odata.editLink":"Tables('y')","TableName":"y"}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(tt.context.AppendTable(nil, "x")); got != tt.one {
				t.Errorf("AppendTable gives\n%s, want\n%s", got, tt.one)
			}
			if got := string(tt.context.AppendTables(nil, []string{"x", "y"})); got != tt.all {
				t.Errorf("AppendTables gives\n%s, want\n%s", got, tt.all)
			}
		})
	}
	c := context(NoMetadata)
	if got := string(c.AppendTables(nil, nil)); got != `{"value":[]}` {
		t.Errorf("AppendTables without tables gives %s", got)
	}
}

func TestAppendError(t *testing.T) {
	got := string(AppendError(nil, "TableAlreadyExists", "The table specified already exists.\nRequestId:f244cb2f\nTime:2021-10-26T20:12:14.8561083Z"))
	want := `{"odata.error":{"code":"TableAlreadyExists","message":{"lang":"en-US","value":"The table specified already exists.\nRequestId:f244cb2f\nTime:2021-10-26T20:12:14.8561083Z"}}}`
	if got != want {
		t.Errorf("AppendError gives\n%s, want\n%s", got, want)
	}
}

func TestAppendString(t *testing.T) {
	tests := []struct{ name, s, want string }{
		{"empty", "", `""`},
		{"plain", "male", `"male"`},
		{"nothing that HTML minds", "</a> & 'b'", `"</a> & 'b'"`},
		{"quote and backslash", `a"b\c`, `"a\"b\\c"`},
		{"named controls", "\b\f\n\r\t", `"\b\f\n\r\t"`},
		{"other controls", "\x00\x1f", `"\u0000\u001f"`},
		{"delete is ASCII", "\x7f", "\"\x7f\""},
		{"two bytes", "café", `"caf\u00e9"`},
		{"three bytes", "\uA015", `"\ua015"`},
		{"the last of the BMP", "\uFFFF", `"\uffff"`},
		{"surrogate pair", "\U0001F600", `"\ud83d\ude00"`},
		{"the last of all", "\U0010FFFF", `"\udbff\udfff"`},
		{"the first pair", "\U00010000", `"\ud800\udc00"`},
		{"separators of lines", "\u2028", `"\u2028"`},
		{"runs between escapes", "aé\nb", `"a\u00e9\nb"`},
		{"no UTF-8", "a\xffb", `"a\ufffdb"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(AppendString(nil, tt.s)); got != tt.want {
				t.Errorf("AppendString(%q) = %s, want %s", tt.s, got, tt.want)
			}
		})
	}
}

func TestAppendProperty(t *testing.T) {
	tests := []struct {
		name  string
		prop  string
		value odata.Value
		bare  string // without metadata
		typ   string // of the annotation at the other levels
	}{
		{"string", "a", odata.StringValue(""), `"a":"",`, ""},
		{"name with letters", "\uA015", odata.StringValue("Unicode"), `"\ua015":"Unicode",`, ""},
		{"int32 extremes", "a", odata.Int32Value(math.MinInt32), `"a":-2147483648,`, ""},
		{"int64 extremes", "a", odata.Int64Value(math.MaxInt64), `"a":"9223372036854775807",`, "Edm.Int64"},
		{"boolean", "a", odata.BooleanValue(false), `"a":false,`, ""},
		{"double", "a", odata.DoubleValue(1.23456789012346e24), `"a":1.23456789012346E+24,`, ""},
		{"NaN", "a", odata.DoubleValue(math.NaN()), `"a":"NaN",`, "Edm.Double"},
		{"infinity", "a", odata.DoubleValue(math.Inf(1)), `"a":"Infinity",`, "Edm.Double"},
		{"negative infinity", "a", odata.DoubleValue(math.Inf(-1)), `"a":"-Infinity",`, "Edm.Double"},
		{"empty binary", "a", odata.BinaryText(""), `"a":"",`, "Edm.Binary"},
		{"binary with padding", "a", odata.BinaryText("\xfb\xff\xfe\x00"), `"a":"+//+AA==",`, "Edm.Binary"},
		{"no value", "a", odata.Value{}, `"a":null,`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := context(NoMetadata)
			if got := string(c.appendProperty(nil, tt.prop, tt.value)); got != tt.bare {
				t.Errorf("without metadata: %s, want %s", got, tt.bare)
			}
			want := tt.bare
			if tt.typ != "" {
				want = fmt.Sprintf(`"%s@odata.type":"%s",%s`, tt.prop, tt.typ, tt.bare)
			}
			for _, level := range []Level{MinimalMetadata, FullMetadata} {
				c := context(level)
				if got := string(c.appendProperty(nil, tt.prop, tt.value)); got != want {
					t.Errorf("%v: %s, want %s", level, got, want)
				}
			}
		})
	}
}

func TestLevelString(t *testing.T) {
	for level, want := range map[Level]string{NoMetadata: "nometadata", MinimalMetadata: "minimalmetadata", FullMetadata: "fullmetadata"} {
		if got := level.String(); got != want {
			t.Errorf("level %d is %q, want %q", level, got, want)
		}
	}
}

// perSequence is what the loop over a sequence allocates, however long it is.
const perSequence = 4

func TestEncodersAllocateNothing(t *testing.T) {
	page := make([]*odata.Entity, 100)
	for i := range page {
		page[i] = sample(t)
		page[i].Properties[6].Value = odata.BinaryText("a binary that is longer than the small buffers of the runtime")
	}
	buf := make([]byte, 0, 1<<20)
	for _, level := range []Level{NoMetadata, MinimalMetadata, FullMetadata} {
		for _, c := range []Context{context(level), selecting(level, "RowKey,other,age,xyz")} {
			allocations := testing.AllocsPerRun(10, func() {
				buf = c.AppendEntities(buf[:0], "T", slices.Values(page))
				buf = c.AppendEntity(buf, "T", page[0])
				buf = c.AppendTables(buf, []string{"x"})
				buf = AppendRequest(buf, page[0])
			})
			if allocations > perSequence {
				t.Errorf("%v, select %q: %v allocations, want none for each entity", level, c.SelectText, allocations)
			}
		}
	}
}

// TestSelectedMetadata: a second member of the same name would hide the first.
func TestSelectedMetadata(t *testing.T) {
	e := &odata.Entity{PartitionKey: "p", RowKey: "r", Properties: []odata.Property{{Name: "n", Value: odata.Int64Value(1)}}}
	for text, want := range map[string]string{
		"odata.etag,n,n@odata.type": `"n@odata.type":"Edm.Int64","n":"1"}`,
		"odata.etag":                `"}`, // of the ETag
		"n@x":                       `"n@x":null}`,
	} {
		c := Context{Level: MinimalMetadata, HasSelect: true, SelectText: text, Select: ParseSelect(text)}
		for _, body := range []string{string(c.AppendEntity(nil, "t", e)), string((&Cosmos{Context: c}).AppendEntity(nil, "t", e))} {
			if !json.Valid([]byte(body)) || !strings.HasSuffix(body, want) || strings.Count(body, `"odata.etag":`) != 1 {
				t.Errorf("%s: got %s", text, body)
			}
		}
	}
}

// TestNothingSelected: an answer may have no member, or only odata.metadata.
func TestNothingSelected(t *testing.T) {
	for _, level := range []Level{NoMetadata, MinimalMetadata} {
		c := Context{Level: level, WithoutETag: true, HasSelect: true, Select: []string{"odata.etag"}}
		for _, body := range []string{string(c.AppendEntity(nil, "t", &odata.Entity{})), string(c.AppendEntities(nil, "t", slices.Values([]*odata.Entity{{}, {}})))} {
			if !json.Valid([]byte(body)) {
				t.Errorf("%v: got %s", level, body)
			}
		}
	}
}

func TestParseSelect(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", nil},
		{"blanks and commas", " , ,", nil},
		{"one", "a", []string{"a"}},
		{"by UTF-16 unit", "\uFFFF,b,\U0001F600,a,B", []string{"B", "a", "b", "\U0001F600", "\uFFFF"}},
		{"system properties", "Timestamp,A,RowKey,PartitionKey", []string{"PartitionKey", "RowKey", "Timestamp", "A"}},
		{"recorded", "PartitionKey,RowKey,sex,_ClientEncryptionMetadata1,_ClientEncryptionMetadata2",
			[]string{"PartitionKey", "RowKey", "_ClientEncryptionMetadata1", "_ClientEncryptionMetadata2", "sex"}},
		{"repetitions", "b,a,b,a", []string{"a", "b"}},
		{"star", "*", []string{"*"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ParseSelect(tt.text); !slices.Equal(got, tt.want) {
				t.Errorf("ParseSelect(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}
