package payload

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"sandtable/odata"
)

func TestDecodeEntityValues(t *testing.T) {
	instant := odata.DateTimeValue(dateTime(t, "2013-08-02T17:37:43.0090043Z"))
	id := odata.GuidValue(guid(t, "c9da6455-213d-42c9-9a79-3e9149a57833"))
	tests := []struct {
		name, members string
		want          odata.Value // zero: no property
	}{
		{"string", `"x":"text"`, odata.StringValue("text")},
		{"empty string", `"x":""`, odata.StringValue("")},
		{"blanks stay", `"x":" \r\n\t"`, odata.StringValue(" \r\n\t")},
		{"string that looks like a date", `"x":"2021-07-13T00:00:00Z"`, odata.StringValue("2021-07-13T00:00:00Z")},
		{"string by annotation", `"x@odata.type":"Edm.String","x":"5"`, odata.StringValue("5")},
		{"int32", `"x":23`, odata.Int32Value(23)},
		{"negative zero", `"x":-0`, odata.Int32Value(0)},
		{"int32 extremes", `"x":-2147483648`, odata.Int32Value(math.MinInt32)},
		{"int32 by annotation", `"x":23,"x@odata.type":"Edm.Int32"`, odata.Int32Value(23)},
		{"int32 as string", `"x":"-23","x@odata.type":"Edm.Int32"`, odata.Int32Value(-23)},
		{"beyond int32", `"x":2147483648`, odata.DoubleValue(2147483648)},
		{"beyond int64", `"x":123456789012345678901`, odata.DoubleValue(123456789012345678901)},
		{"int64", `"x@odata.type":"Edm.Int64","x":"255"`, odata.Int64Value(255)},
		{"int64 behind its value", `"x":"255","x@odata.type":"Edm.Int64"`, odata.Int64Value(255)},
		{"int64 far from its value", `"x@odata.type":"Edm.Int64","y":null,"z":null,"x":"255"`, odata.Int64Value(255)},
		{"int64 as number", `"x":255,"x@odata.type":"Edm.Int64"`, odata.Int64Value(255)},
		{"int64 extremes", `"x":"-9223372036854775808","x@odata.type":"Edm.Int64"`, odata.Int64Value(math.MinInt64)},
		{"double with a point", `"x":3.0`, odata.DoubleValue(3)},
		{"double with an exponent", `"x":1e3`, odata.DoubleValue(1000)},
		{"double by annotation", `"x":3,"x@odata.type":"Edm.Double"`, odata.DoubleValue(3)},
		{"double as string", `"x":"-3.5E-2","x@odata.type":"Edm.Double"`, odata.DoubleValue(-0.035)},
		{"negative zero of double", `"x":-0.0`, odata.DoubleValue(math.Copysign(0, -1))},
		{"too small for a double", `"x":1e-400`, odata.DoubleValue(0)},
		{"NaN", `"x":"NaN","x@odata.type":"Edm.Double"`, odata.DoubleValue(math.NaN())},
		{"infinity", `"x":"Infinity","x@odata.type":"Edm.Double"`, odata.DoubleValue(math.Inf(1))},
		{"negative infinity", `"x@odata.type":"Edm.Double","x":"-Infinity"`, odata.DoubleValue(math.Inf(-1))},
		{"NaN without annotation", `"x":"NaN"`, odata.StringValue("NaN")},
		{"true", `"x":true`, odata.BooleanValue(true)},
		{"false", `"x":false`, odata.BooleanValue(false)},
		{"boolean by annotation", `"x":true,"x@odata.type":"Edm.Boolean"`, odata.BooleanValue(true)},
		{"false by annotation", `"x":false,"x@odata.type":"Edm.Boolean"`, odata.BooleanValue(false)},
		{"boolean as string", `"x":"False","x@odata.type":"Edm.Boolean"`, odata.BooleanValue(false)},
		{"boolean as string in capitals", `"x":"TRUE","x@odata.type":"Edm.Boolean"`, odata.BooleanValue(true)},
		{"datetime", `"x":"2013-08-02T17:37:43.0090043Z","x@odata.type":"Edm.DateTime"`, instant},
		{"datetime elsewhere", `"x":"2013-08-02T19:37:43.0090043+02:00","x@odata.type":"Edm.DateTime"`, instant},
		{"datetime out of range", `"x":"0001-01-01T00:00:00Z","x@odata.type":"Edm.DateTime"`, odata.DateTimeValue(0)},
		{"guid", `"x":"C9DA6455-213D-42C9-9A79-3E9149A57833","x@odata.type":"Edm.Guid"`, id},
		{"binary", `"x":"YmluYXJ5","x@odata.type":"Edm.Binary"`, odata.BinaryText("binary")},
		{"binary with padding", `"x":"+/8=","x@odata.type":"Edm.Binary"`, odata.BinaryText("\xfb\xff")},
		{"empty binary", `"x":"","x@odata.type":"Edm.Binary"`, odata.BinaryText("")},
		{"null", `"x":null`, odata.Value{}},
		{"null with annotation", `"x@odata.type":"Edm.Int64","x":null`, odata.Value{}},
		{"annotation alone", `"x@odata.type":"Edm.Int64"`, odata.Value{}},
		{"other annotation", `"x@odata.navigationLinkUrl":{"a":[1]}`, odata.Value{}},
		{"escapes", `"x":"\"\\\/\b\f\n\r\t"`, odata.StringValue("\"\\/\b\f\n\r\t")},
		{"units", `"x":"a\u00e9\u20AC\u0000b"`, odata.StringValue("aé€\x00b")},
		{"surrogate pair", `"x":"\ud83d\uDE00!"`, odata.StringValue("\U0001F600!")},
		{"U+FFFD itself", `"x":"\ufffd"`, odata.StringValue("\uFFFD")},
		{"other letters", `"x":"é€😀"`, odata.StringValue("é€\U0001F600")},
		{"delete", "\"x\":\"\x7f\"", odata.StringValue("\x7f")},
		{"name with escapes", `"\u0078":1`, odata.Int32Value(1)},
		{"annotation with escapes", `"\u0078@odata.typ\u0065":"Edm.Int64","x":"1"`, odata.Int64Value(1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := DecodeEntity([]byte(`{"PartitionKey":"p",` + tt.members + `,"RowKey":"r"}`))
			if err != nil {
				t.Fatal(err)
			}
			if key, err := b.Key(); err != nil || key != (odata.Key{PartitionKey: "p", RowKey: "r"}) {
				t.Errorf("the key is %v, %v", key, err)
			}
			var want []odata.Property
			if !tt.want.IsZero() {
				want = []odata.Property{{Name: "x", Value: tt.want}}
			}
			if !slices.Equal(b.Properties, want) {
				t.Errorf("the properties are %v, want %v", b.Properties, want)
			}
		})
	}
}

// Each is the value of x, with its annotation if there is one.
func TestDecodeEntityRefusesValues(t *testing.T) {
	tests := []struct{ name, members string }{
		{"object", `"x":{}`},
		{"array", `"x":[1]`},
		{"object with annotation", `"x":{"a":1},"x@odata.type":"Edm.String"`},
		{"unknown type", `"x":"1","x@odata.type":"Edm.Decimal"`},
		{"type in another case", `"x":"1","x@odata.type":"Edm.int64"`},
		{"unknown type of null", `"x":null,"x@odata.type":"Edm.Decimal"`},
		{"unknown type alone", `"x@odata.type":"Edm.Decimal"`},
		{"type that is no string", `"x":"1","x@odata.type":64`},
		{"type that is null", `"x":"1","x@odata.type":null`},
		{"number as string", `"x":5,"x@odata.type":"Edm.String"`},
		{"boolean as string", `"x":true,"x@odata.type":"Edm.String"`},
		{"int32 too large", `"x":2147483648,"x@odata.type":"Edm.Int32"`},
		{"int32 with a point", `"x":1.0,"x@odata.type":"Edm.Int32"`},
		{"int32 of nothing", `"x":"","x@odata.type":"Edm.Int32"`},
		{"int32 of words", `"x":"one","x@odata.type":"Edm.Int32"`},
		{"int32 of true", `"x":true,"x@odata.type":"Edm.Int32"`},
		{"int64 too large", `"x":"9223372036854775808","x@odata.type":"Edm.Int64"`},
		{"int64 with a suffix", `"x":"255L","x@odata.type":"Edm.Int64"`},
		{"int64 with underscores", `"x":"1_000","x@odata.type":"Edm.Int64"`},
		{"double too large", `"x":1e400`},
		{"whole number too large", `"x":1` + strings.Repeat("0", 400)},
		{"double of words", `"x":"inf","x@odata.type":"Edm.Double"`},
		{"double in hexadecimal", `"x":"0x1p-2","x@odata.type":"Edm.Double"`},
		{"double of nothing", `"x":"","x@odata.type":"Edm.Double"`},
		{"double of true", `"x":true,"x@odata.type":"Edm.Double"`},
		{"double with text behind", `"x":"1.5 ","x@odata.type":"Edm.Double"`},
		{"boolean of a number", `"x":1,"x@odata.type":"Edm.Boolean"`},
		{"boolean of other words", `"x":"yes","x@odata.type":"Edm.Boolean"`},
		{"datetime of words", `"x":"yesterday","x@odata.type":"Edm.DateTime"`},
		{"datetime of a number", `"x":2013,"x@odata.type":"Edm.DateTime"`},
		{"guid with braces", `"x":"{c9da6455-213d-42c9-9a79-3e9149a57833}","x@odata.type":"Edm.Guid"`},
		{"guid of true", `"x":true,"x@odata.type":"Edm.Guid"`},
		{"binary without padding", `"x":"+/8","x@odata.type":"Edm.Binary"`},
		{"binary of URLs", `"x":"-_8=","x@odata.type":"Edm.Binary"`},
		{"binary of a number", `"x":1234,"x@odata.type":"Edm.Binary"`},
		{"high half alone", `"x":"\ud83d"`},
		{"low half alone", `"x":"\ude00"`},
		{"halves in reverse", `"x":"\ude00\ud83d"`},
		{"high half and a letter", `"x":"\ud83da"`},
		{"high half and U+FFFD", `"x":"\ud83d\ufffd"`},
		{"high half and another escape", `"x":"\ud83d\nde00"`},
		{"high half twice", `"x":"\ud83d\ud83d\ude00"`},
		{"half in a name", `"\ud83d":1`},
		{"half in an ignored name", `"odata.\ud83d":1`},
		{"unknown escape", `"x":"\x41"`},
		{"escape without digits", `"x":"\u00"`},
		{"escape with a sign", `"x":"\u+123"`},
		{"raw line feed", "\"x\":\"a\nb\""},
		{"raw NUL", "\"x\":\"a\x00b\""},
		{"raw control behind an escape", "\"x\":\"\\n\x1f\""},
		{"no UTF-8", "\"x\":\"\xff\""},
		{"half as UTF-8", "\"x\":\"\xed\xa0\xbd\""},
		{"no UTF-8 in a name", "\"\xc3\":1"},
		{"leading zero", `"x":01`},
		{"plus", `"x":+1`},
		{"minus alone", `"x":-`},
		{"point at the end", `"x":1.`},
		{"point at the start", `"x":.5`},
		{"exponent without digits", `"x":1e`},
		{"exponent with a sign alone", `"x":1e+`},
		{"bare NaN", `"x":NaN`},
		{"single quotes", `"x":'a'`},
		{"word", `"x":nul`},
		{"word in capitals", `"x":True`},
		{"word with text behind", `"x":truely`},
		{"no value", `"x":`},
		{"no colon", `"x" 1`},
		{"name without quotes", `x:1`},
		{"two commas", `"x":1,,"y":2`},
		{"no comma", `"x":1 "y":2`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := `{"PartitionKey":"p","RowKey":"r",` + tt.members + `}`
			if b, err := DecodeEntity([]byte(body)); !errors.Is(err, ErrSyntax) {
				t.Errorf("DecodeEntity(%s) = %+v, %v, want %v", body, b, err, ErrSyntax)
			}
		})
	}
}

func TestDecodeEntityBodies(t *testing.T) {
	nested := func(depth int) string {
		return `{"odata.x":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`
	}
	tests := []struct {
		name, body string
		want       error
	}{
		{"empty object", `{}`, nil},
		{"blanks around everything", " \r\n\t{ \"a\" : 1 , \"b\" : 2 } \n", nil},
		{"byte order mark", "\uFEFF{}", nil},
		{"byte order mark behind a blank", " \uFEFF{}", ErrSyntax},
		{"two byte order marks", "\uFEFF\uFEFF{}", ErrSyntax},
		{"nothing", ``, ErrSyntax},
		{"blanks", ` `, ErrSyntax},
		{"array", `[]`, ErrSyntax},
		{"null", `null`, ErrSyntax},
		{"string", `"a"`, ErrSyntax},
		{"open", `{`, ErrSyntax},
		{"open behind a member", `{"a":1`, ErrSyntax},
		{"open behind a comma", `{"a":1,`, ErrSyntax},
		{"open string", `{"a":"b`, ErrSyntax},
		{"open string with an escape", `{"a":"b\n`, ErrSyntax},
		{"open escape", `{"a":"b\`, ErrSyntax},
		{"comma at the end", `{"a":1,}`, ErrSyntax},
		{"text behind", `{}x`, ErrSyntax},
		{"two objects", `{}{}`, ErrSyntax},
		{"comment", `{/* a */}`, ErrSyntax},
		{"NUL behind", "{}\x00", ErrSyntax},
		{"atom", `<entry/>`, ErrSyntax},
		{"property twice", `{"a":1,"a":2}`, ErrDuplicateProperty},
		{"property and null", `{"a":1,"a":null}`, ErrDuplicateProperty},
		{"null and property", `{"a":null,"b":1,"a":1}`, ErrDuplicateProperty},
		{"property twice by escape", `{"a":1,"\u0061":2}`, ErrDuplicateProperty},
		{"annotation twice", `{"a@odata.type":"Edm.Int64","a":"1","a@odata.type":"Edm.Int64"}`, ErrDuplicateProperty},
		{"key twice", `{"RowKey":"a","RowKey":"a"}`, ErrDuplicateProperty},
		{"other case is another property", `{"Birthday":1,"birthday":2}`, nil},
		{"metadata twice", `{"odata.etag":"a","odata.etag":"b"}`, nil},
		{"metadata of any shape", `{"odata.type":{"a":[null,true,-1.5e3,"\n"]},"odata.x":[[],{}]}`, nil},
		{"malformed metadata", `{"odata.type":{"a":[1,]}}`, ErrSyntax},
		{"deep metadata", nested(maxDepth), nil},
		{"metadata too deep", nested(maxDepth + 1), ErrSyntax},
		{"metadata far too deep", `{"odata.x":` + strings.Repeat("[", 1<<20), ErrSyntax},
		{"Timestamp", `{"Timestamp":"0001-01-01T00:00:00Z","Timestamp@odata.type":"Edm.DateTime"}`, nil},
		{"Timestamp of another type", `{"Timestamp@odata.type":"Edm.Nonsense","Timestamp":17}`, nil},
		{"Timestamp of any shape", `{"Timestamp":{"a":[]},"Timestamp":null}`, nil},
		{"annotation of nothing", `{"@odata.type":"Edm.Int64"}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if b, err := DecodeEntity([]byte(tt.body)); !errors.Is(err, tt.want) {
				t.Errorf("DecodeEntity gives %+v, %v, want %v", b, err, tt.want)
			}
		})
	}
}

func TestDecodeEntityKeys(t *testing.T) {
	tests := []struct {
		name, body string
		want       odata.Key
		err        error
	}{
		{"both", `{"PartitionKey":"p","RowKey":"r"}`, odata.Key{PartitionKey: "p", RowKey: "r"}, nil},
		{"empty", `{"RowKey":"","PartitionKey":""}`, odata.Key{}, nil},
		{"annotated as string", `{"PartitionKey@odata.type":"Edm.String","PartitionKey":"p","RowKey":"r"}`, odata.Key{PartitionKey: "p", RowKey: "r"}, nil},
		{"no partition key", `{"RowKey":"r"}`, odata.Key{}, ErrKeyMissing},
		{"no row key", `{"PartitionKey":"p"}`, odata.Key{}, ErrKeyMissing},
		{"null", `{"PartitionKey":"p","RowKey":null}`, odata.Key{}, ErrKeyMissing},
		{"null of another type", `{"PartitionKey":"p","RowKey@odata.type":"Edm.Int64","RowKey":null}`, odata.Key{}, ErrKeyMissing},
		{"annotation alone", `{"PartitionKey":"p","RowKey@odata.type":"Edm.String"}`, odata.Key{}, ErrKeyMissing},
		{"missing before mistyped", `{"PartitionKey":1}`, odata.Key{}, ErrKeyMissing},
		{"other case", `{"partitionKey":"p","RowKey":"r"}`, odata.Key{}, ErrKeyMissing},
		{"number", `{"PartitionKey":"p","RowKey":1}`, odata.Key{}, ErrKeyType},
		{"boolean", `{"PartitionKey":true,"RowKey":"r"}`, odata.Key{}, ErrKeyType},
		{"object", `{"PartitionKey":{},"RowKey":"r"}`, odata.Key{}, ErrKeyType},
		{"guid", `{"PartitionKey":"c9da6455-213d-42c9-9a79-3e9149a57833","PartitionKey@odata.type":"Edm.Guid","RowKey":"r"}`, odata.Key{}, ErrKeyType},
		{"number with annotation", `{"PartitionKey":"p","RowKey@odata.type":"Edm.Int64","RowKey":"1"}`, odata.Key{}, ErrKeyType},
		{"unknown type", `{"PartitionKey":"p","RowKey@odata.type":"Edm.Nonsense","RowKey":"1"}`, odata.Key{}, ErrKeyType},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := DecodeEntity([]byte(tt.body))
			if err != nil {
				t.Fatalf("an update does not mind, but: %v", err)
			}
			if got, err := b.Key(); got != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("Key() = %v, %v, want %v, %v", got, err, tt.want, tt.err)
			}
		})
	}
}

func TestDecodeEntityOrder(t *testing.T) {
	names := func(properties []odata.Property) (all []string) {
		for _, p := range properties {
			all = append(all, p.Name)
		}
		return all
	}
	tests := []struct {
		name, body string
		want       []string
	}{
		{"as given", `{"b":1,"RowKey":"r","a":2,"B":3}`, []string{"b", "a", "B"}},
		{"nulls drop out", `{"b":1,"x":null,"a":2}`, []string{"b", "a"}},
		{"of values, not of annotations", `{"a@odata.type":"Edm.Int64","b@odata.type":"Edm.Int64","RowKey":"r","b":"1","a":"2"}`, []string{"b", "a"}},
		{"annotations at the end", `{"b":"1","a":"2","a@odata.type":"Edm.Int64","b@odata.type":"Edm.Int64"}`, []string{"b", "a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := DecodeEntity([]byte(tt.body))
			if got := names(b.Properties); err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("the properties are %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// As many members as an object can have: all annotations first, then all
// values, and each is found.
func TestDecodeEntityManyMembers(t *testing.T) {
	const n = maxMembers
	var types, values []string
	for i := range n {
		types = append(types, fmt.Sprintf(`"p%d@odata.type":"Edm.Int64"`, i))
		values = append(values, fmt.Sprintf(`"p%d":"%d"`, i, i))
	}
	slices.Reverse(values)
	all := strings.Join(append(types, values...), ",")
	b, err := DecodeEntity([]byte("{" + all + "}"))
	if err != nil || len(b.Properties) != n {
		t.Fatalf("%d properties, %v, want %d", len(b.Properties), err, n)
	}
	for i, p := range b.Properties {
		want := odata.Property{Name: fmt.Sprint("p", n-1-i), Value: odata.Int64Value(int64(n - 1 - i))}
		if p != want {
			t.Fatalf("property %d is %v, want %v", i, p, want)
		}
	}
	if _, err := DecodeEntity([]byte("{" + all + `,"p17":"1"}`)); !errors.Is(err, ErrDuplicateProperty) {
		t.Errorf("a repeated member gives %v", err)
	}
	if _, err := DecodeEntity([]byte("{" + all + `,"q":"1"}`)); !errors.Is(err, odata.ErrTooManyProperties) {
		t.Errorf("one more member gives %v", err)
	}
}

func TestDecodeEntityInPlace(t *testing.T) {
	for _, body := range []string{`{"PartitionKey":"p","RowKey":"r","a":"text","b":"2024-04-13T08:33:00Z","b@odata.type":"Edm.DateTime"}`, "\uFEFF{}", "", "{", "{\"a\":\"\xFF\"}"} {
		want, wantErr := DecodeEntity([]byte(body))
		got, err := DecodeEntityInPlace([]byte(body))
		if !reflect.DeepEqual(got, want) || err != wantErr {
			t.Errorf("%q gives %+v, %v, want %+v, %v", body, got, err, want, wantErr)
		}
	}
	body := []byte(`{"a":"text"}`)
	got, err := DecodeEntityInPlace(body)
	if err != nil {
		t.Fatal(err)
	}
	if text := got.Properties[0].Value.Text(); unsafe.StringData(text) != &body[len(`{"a":"`)] {
		t.Error("a text was copied")
	}
}

func TestDecodeEntityKeepsTheBody(t *testing.T) {
	body := []byte(`{"PartitionKey":"p","RowKey":"r","a":"text"}`)
	b, err := DecodeEntity(body)
	if err != nil {
		t.Fatal(err)
	}
	clear(body)
	if got := b.Properties[0].Value.Text(); got != "text" || b.RowKey.Text != "r" {
		t.Errorf("what was read changes with the body: %q, %q", got, b.RowKey.Text)
	}
}

func TestDecodeEntityAllocations(t *testing.T) {
	plain := []byte(`{"PartitionKey":"partition","RowKey":"row","a":"one text","b":"another text","c":"and a third"}`)
	allocations := testing.AllocsPerRun(100, func() {
		if _, err := DecodeEntity(plain); err != nil {
			t.Fatal(err)
		}
	})
	// The copy of the body, the members, the properties, and the state of reading.
	if allocations > 6 {
		t.Errorf("DecodeEntity allocates %v times for strings without escapes", allocations)
	}
}
