package payload_test

import (
	"fmt"

	"sandtable/odata"
	"sandtable/odata/payload"
)

func ExampleDecodeEntity() {
	body, err := payload.DecodeEntity([]byte(`{"PartitionKey":"p","RowKey":"1","age":"39","age@odata.type":"Edm.Int64","gone":null}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	key, err := body.Key()
	fmt.Println(key, err)
	for _, p := range body.Properties {
		fmt.Println(p.Name, p.Value.Type(), p.Value.Int())
	}
	// Output:
	// {p 1} <nil>
	// age Edm.Int64 39
}

func ExampleContext_AppendEntity() {
	timestamp, _ := odata.ParseDateTime("2017-11-10T02:44:47Z")
	e := &odata.Entity{
		PartitionKey: "p", RowKey: "1", Timestamp: timestamp,
		Properties: []odata.Property{{Name: "age", Value: odata.Int64Value(39)}},
	}
	c := payload.Context{Level: payload.NoMetadata, HasSelect: true, Select: payload.ParseSelect("age, RowKey, name")}
	fmt.Printf("%s\n", c.AppendEntity(nil, "People", e))
	// Output: {"RowKey":"1","age":"39","name":null}
}
