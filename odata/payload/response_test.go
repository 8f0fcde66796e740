package payload

import (
	"errors"
	"math"
	"slices"
	"testing"

	"sandtable/odata"
)

func sameEntity(a, b *odata.Entity) bool {
	return a.Key() == b.Key() && a.Timestamp == b.Timestamp && slices.Equal(a.Properties, b.Properties)
}

func TestDecodeEntityResponse(t *testing.T) {
	want := sample(t)
	for _, level := range []Level{MinimalMetadata, FullMetadata} {
		t.Run(level.String(), func(t *testing.T) {
			c := context(level)
			got, err := DecodeEntityResponse(c.AppendEntity(nil, "T", want))
			if err != nil || !sameEntity(&got.Entity, want) {
				t.Errorf("DecodeEntityResponse = %+v, %v, want %+v", got, err, want)
			}
			if got.ETag != want.ETag() {
				t.Errorf("the tag is %s, want %s", got.ETag, want.ETag())
			}
		})
	}
	t.Run("nometadata shows no types", func(t *testing.T) {
		c := context(NoMetadata)
		got, err := DecodeEntityResponse(c.AppendEntity(nil, "T", want))
		if err != nil || got.ETag != "" || got.Entity.Timestamp != want.Timestamp {
			t.Errorf("DecodeEntityResponse = %+v, %v", got, err)
		}
		if age, _ := got.Entity.Property("age"); age != odata.StringValue("39") {
			t.Errorf("age is %v", age)
		}
	})
	t.Run("select", func(t *testing.T) {
		c := selecting(MinimalMetadata, "age,xyz")
		got, err := DecodeEntityResponse(c.AppendEntity(nil, "T", want))
		projected := odata.Entity{Properties: []odata.Property{{Name: "age", Value: odata.Int64Value(39)}}}
		if err != nil || !sameEntity(&got.Entity, &projected) || got.ETag != want.ETag() {
			t.Errorf("DecodeEntityResponse = %+v, %v, want %+v", got, err, projected)
		}
	})
}

func TestDecodeEntitiesResponse(t *testing.T) {
	want := []*odata.Entity{sample(t), {PartitionKey: "p", RowKey: "é", Timestamp: odata.MaxDateTime}}
	for _, level := range []Level{MinimalMetadata, FullMetadata} {
		c := context(level)
		got, err := DecodeEntitiesResponse(c.AppendEntities(nil, "T", slices.Values(want)))
		if err != nil || len(got) != len(want) {
			t.Fatalf("%v: %d entities, %v", level, len(got), err)
		}
		for i := range got {
			if !sameEntity(&got[i].Entity, want[i]) || got[i].ETag != want[i].ETag() {
				t.Errorf("%v: entity %d is %+v, want %+v", level, i, got[i], want[i])
			}
		}
		if none, err := DecodeEntitiesResponse(c.AppendEntities(nil, "T", slices.Values([]*odata.Entity(nil)))); err != nil || len(none) != 0 {
			t.Errorf("%v: an empty page gives %v, %v", level, none, err)
		}
	}
}

func TestDecodeTablesResponse(t *testing.T) {
	want := []string{"People", "Places"}
	for _, level := range []Level{NoMetadata, MinimalMetadata, FullMetadata} {
		c := context(level)
		if got, err := DecodeTablesResponse(c.AppendTables(nil, want)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v: DecodeTablesResponse = %q, %v, want %q", level, got, err, want)
		}
	}
}

func TestDecodeErrorResponse(t *testing.T) {
	body := AppendError(nil, "EntityAlreadyExists", "2:The specified entity already exists.\nRequestId:1")
	got, err := DecodeErrorResponse(body)
	if err != nil || *got != (ServiceError{"EntityAlreadyExists", "2:The specified entity already exists.\nRequestId:1"}) {
		t.Fatalf("DecodeErrorResponse = %+v, %v", got, err)
	}
	if want := "EntityAlreadyExists: 2:The specified entity already exists.\nRequestId:1"; got.Error() != want {
		t.Errorf("Error() = %q, want %q", got.Error(), want)
	}
	other := `{"a":[],"odata.error":{"x":{},"code":"C","message":{"lang":null,"value":null}}}`
	if got, err := DecodeErrorResponse([]byte(other)); err != nil || *got != (ServiceError{Code: "C"}) {
		t.Errorf("DecodeErrorResponse = %+v, %v", got, err)
	}
}

func TestResponsesRefused(t *testing.T) {
	decoders := map[string]func([]byte) error{
		"entity":   func(b []byte) error { _, err := DecodeEntityResponse(b); return err },
		"entities": func(b []byte) error { _, err := DecodeEntitiesResponse(b); return err },
		"tables":   func(b []byte) error { _, err := DecodeTablesResponse(b); return err },
		"error":    func(b []byte) error { _, err := DecodeErrorResponse(b); return err },
	}
	tests := []struct {
		decoder, name, body string
		want                error
	}{
		{"entity", "nothing", ``, ErrSyntax},
		{"entity", "page of a proxy", `<html>`, ErrSyntax},
		{"entity", "Timestamp of another type", `{"Timestamp":5}`, ErrSyntax},
		{"entity", "Timestamp of words", `{"Timestamp":"now"}`, ErrSyntax},
		{"entity", "value that does not fit", `{"a@odata.type":"Edm.Int64","a":"x"}`, ErrSyntax},
		{"entity", "property twice", `{"a":1,"a":2}`, ErrDuplicateProperty},
		{"entity", "text behind", `{} {}`, ErrSyntax},
		{"entity", "no UTF-8", "{\"a\":\"\xff\"}", ErrSyntax},
		{"entities", "no collection", `{"odata.metadata":"x"}`, ErrSyntax},
		{"entities", "collection of another type", `{"value":{}}`, ErrSyntax},
		{"entities", "malformed other member", `{"odata.metadata":tru,"value":[]}`, ErrSyntax},
		{"entities", "element of another type", `{"value":[1]}`, ErrSyntax},
		{"entities", "two collections", `{"value":[],"value":[]}`, ErrDuplicateProperty},
		{"entities", "open collection", `{"value":[{}`, ErrSyntax},
		{"entities", "comma at the end", `{"value":[{},]}`, ErrSyntax},
		{"tables", "table without a name", `{"value":[{}]}`, ErrSyntax},
		{"tables", "name of another type", `{"value":[{"TableName":5}]}`, ErrSyntax},
		{"error", "no error", `{}`, ErrSyntax},
		{"error", "error of another type", `{"odata.error":"x"}`, ErrSyntax},
		{"error", "code of another type", `{"odata.error":{"code":5}}`, ErrSyntax},
		{"error", "message of another type", `{"odata.error":{"message":"x"}}`, ErrSyntax},
		{"error", "XML", "\uFEFF<?xml version=\"1.0\"?><error/>", ErrSyntax},
	}
	for _, tt := range tests {
		t.Run(tt.decoder+"/"+tt.name, func(t *testing.T) {
			if err := decoders[tt.decoder]([]byte(tt.body)); !errors.Is(err, tt.want) {
				t.Errorf("%s gives %v, want %v", tt.body, err, tt.want)
			}
		})
	}
}

func TestAppendRequest(t *testing.T) {
	want := "{" + sampleKeys + sampleValues
	if got := string(AppendRequest(nil, sample(t))); got != want {
		t.Errorf("AppendRequest gives\n%s, want\n%s", got, want)
	}
	doubles := &odata.Entity{Properties: []odata.Property{{Name: "D", Value: odata.DoubleValue(5)}, {Name: "N", Value: odata.DoubleValue(math.NaN())}, {Name: "I", Value: odata.Int32Value(5)}}}
	want = `{"PartitionKey":"","RowKey":"","D@odata.type":"Edm.Double","D":5.0,"N@odata.type":"Edm.Double","N":"NaN","I":5}`
	if got := string(AppendAnnotatedRequest(nil, doubles)); got != want {
		t.Errorf("AppendAnnotatedRequest gives\n%s, want\n%s", got, want)
	}
	if got := string(AppendRequest(nil, &odata.Entity{})); got != `{"PartitionKey":"","RowKey":""}` {
		t.Errorf("AppendRequest of an empty entity gives %s", got)
	}
	if got, err := DecodeTableName(AppendTableRequest(nil, "People")); err != nil || got != "People" {
		t.Errorf("AppendTableRequest reads as %q, %v", got, err)
	}
}
