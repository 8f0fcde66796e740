package payload

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"testing"
	"unicode/utf8"

	"sandtable/odata"
)

// isJSON reports whether the standard library accepts a body. It also accepts
// invalid UTF-8.
func isJSON(body []byte) bool {
	return utf8.Valid(body) && json.Valid(bytes.TrimPrefix(body, []byte("\uFEFF")))
}

func FuzzDecodeEntity(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"PartitionKey":"p","RowKey":"r","a":1,"b":"2","b@odata.type":"Edm.Int64"}`,
		`{"a@odata.type":"Edm.Binary","a":"YQ==","c":null,"odata.x":[{"y":[]}],"Timestamp":1e5}`,
		`{"é":"\ud83d\ude00\u0000","d":-0.5E-7,"e":true}`, "\uFEFF{\"x\":\"\\", `{"PartitionKey":5,"RowKey":{}}`,
		`{"d@odata.type":"Edm.DateTime","d":"2013-08-02T17:37:43.0090043Z","g":"c9da6455-213d-42c9-9a79-3e9149a57833","g@odata.type":"Edm.Guid"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		b, err := DecodeEntity(body)
		if err != nil {
			if !errors.Is(err, ErrSyntax) && !errors.Is(err, ErrDuplicateProperty) {
				t.Errorf("%q gives another error: %v", body, err)
			}
			return
		}
		if !isJSON(body) {
			t.Errorf("%q is taken and is no JSON", body)
		}
		key, err := b.Key()
		if err != nil && !errors.Is(err, ErrKeyMissing) && !errors.Is(err, ErrKeyType) {
			t.Errorf("%q gives another error for its keys: %v", body, err)
		}
		// The decoded entity is the same after encoding and decoding.
		e := &odata.Entity{PartitionKey: key.PartitionKey, RowKey: key.RowKey, Properties: plainProperties(b.Properties)}
		checkRoundTrip(t, e)
	})
}

// plainProperties removes invalid properties.
func plainProperties(properties []odata.Property) (plain []odata.Property) {
	for _, p := range properties {
		if odata.CheckPropertyName(p.Name) == nil && odata.CheckValue(p.Name, p.Value) == nil {
			plain = append(plain, p)
		}
	}
	return plain
}

func checkRoundTrip(t *testing.T, e *odata.Entity) {
	t.Helper()
	body := AppendRequest(nil, e)
	if !json.Valid(body) {
		t.Fatalf("%s is no JSON", body)
	}
	b, err := DecodeEntity(body)
	if err != nil {
		t.Fatalf("%s gives %v", body, err)
	}
	key, err := b.Key()
	got := &odata.Entity{PartitionKey: key.PartitionKey, RowKey: key.RowKey, Timestamp: e.Timestamp, Properties: b.Properties}
	if err != nil || !sameEntity(got, e) {
		t.Errorf("%s reads as %+v, %v, want %+v", body, got, err, e)
	}
}

// FuzzRoundTrip encodes and decodes an entity with a property of each type.
func FuzzRoundTrip(f *testing.F) {
	f.Add("p", "r", "name", "text", []byte("data"), int32(1), int64(1), math.Float64bits(1.5), int64(odata.MinDateTime), true)
	f.Add("", "'", "é", "\x00\u2028\"\\/\U0001F600", []byte{}, int32(math.MinInt32), int64(math.MinInt64), math.Float64bits(math.NaN()), int64(odata.MaxDateTime), false)
	f.Add("o'x", "\t", "_1", "\uFFFD", []byte{0, 255}, int32(-1), int64(math.MaxInt64), math.Float64bits(5e-324), int64(0), false)
	fuzzEntities(f, checkRoundTrip)
}

// fuzzEntities calls check with entities that have a property of each type.
func fuzzEntities(f *testing.F, check func(*testing.T, *odata.Entity)) {
	f.Fuzz(func(t *testing.T, partition, row, name, text string, data []byte, i int32, l int64, bits uint64, ticks int64, flag bool) {
		for _, s := range []string{partition, row, text} {
			if !utf8.ValidString(s) {
				return
			}
		}
		at := odata.DateTime(ticks)
		if odata.CheckPropertyName(name) != nil || !at.InRange() {
			return
		}
		var id odata.Guid
		copy(id[:], data)
		check(t, &odata.Entity{PartitionKey: partition, RowKey: row, Timestamp: at, Properties: []odata.Property{
			{Name: name + "s", Value: odata.StringValue(text)},
			{Name: name + "b", Value: odata.BinaryValue(data)},
			{Name: name + "i", Value: odata.Int32Value(i)},
			{Name: name + "l", Value: odata.Int64Value(l)},
			{Name: name + "d", Value: odata.DoubleValue(math.Float64frombits(bits))},
			{Name: name + "t", Value: odata.DateTimeValue(at)},
			{Name: name + "g", Value: odata.GuidValue(id)},
			{Name: name + "f", Value: odata.BooleanValue(flag)},
		}})
	})
}

// FuzzAppendString decodes with the standard library.
func FuzzAppendString(f *testing.F) {
	f.Add("plain")
	f.Add("\"\\\b\f\n\r\t\x00\x1f\x7f/<>&'")
	f.Add("é\uA015\uFFFF\U00010000\U0010FFFF")
	f.Fuzz(func(t *testing.T, s string) {
		text := AppendString(nil, s)
		for _, c := range text {
			if c < ' ' || c >= 0x80 {
				t.Fatalf("%q is written with the byte %#x", s, c)
			}
		}
		var got string
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%q is written as %s: %v", s, text, err)
		}
		if want := string([]rune(s)); got != want {
			t.Errorf("%q is written as %s, which reads as %q", s, text, got)
		}
	})
}

func FuzzDecodeTableName(f *testing.F) {
	for _, seed := range []string{`{"TableName":"People"}`, `{"TableName":null}`, `{"a":[{}],"TableName":5}`, `{}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		name, err := DecodeTableName(body)
		if err != nil {
			if name != "" {
				t.Errorf("%q gives %v and the name %q", body, err, name)
			}
			return
		}
		if again, err := DecodeTableName(AppendTableRequest(nil, name)); !isJSON(body) || err != nil || again != name {
			t.Errorf("%q gives %q, which reads as %q, %v", body, name, again, err)
		}
	})
}

func FuzzDecodeResponses(f *testing.F) {
	for _, seed := range []string{
		`{"odata.metadata":"m","odata.etag":"W/\"a\"","PartitionKey":"p","RowKey":"r","Timestamp":"2013-08-02","a":1}`,
		`{"value":[{"PartitionKey":"p","RowKey":"r","a@odata.type":"Edm.Int64","a":"1"},{}]}`,
		`{"value":[{"TableName":"People"}]}`,
		`{"odata.error":{"code":"C","message":{"lang":"en-US","value":"M"}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, entity := DecodeEntityResponse(body)
		_, entities := DecodeEntitiesResponse(body)
		_, tables := DecodeTablesResponse(body)
		e, failure := DecodeErrorResponse(body)
		for _, err := range []error{entity, entities, tables, failure} {
			if err == nil && !isJSON(body) {
				t.Errorf("%q is taken and is no JSON", body)
			}
		}
		if failure == nil {
			again, err := DecodeErrorResponse(AppendError(nil, e.Code, e.Message))
			if err != nil || *again != *e {
				t.Errorf("%q gives %+v, which reads as %+v, %v", body, e, again, err)
			}
		}
	})
}
