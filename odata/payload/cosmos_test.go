package payload

import (
	"slices"
	"testing"

	"sandtable/odata"
)

func cosmosOf(level Level, selection ...string) *Cosmos {
	return &Cosmos{Context: Context{
		Base: "https://shop.table.cosmos.azure.com", Account: "shop", Level: level,
		HasSelect: selection != nil, SelectText: "ignored", Select: selection,
	}}
}

func cosmosOfAnyLevel(selection ...string) *Cosmos {
	c := cosmosOf(MinimalMetadata, selection...)
	c.AnyLevel = true
	return c
}

func cosmosEntity() *odata.Entity {
	due, _ := odata.ParseDateTime("2031-05-06T07:08:09.5Z")
	stamp, _ := odata.ParseDateTime("2031-01-02T03:04:05.06Z")
	return &odata.Entity{
		PartitionKey: "p'1", RowKey: "a@b", Timestamp: stamp,
		Properties: []odata.Property{
			{Name: "size", Value: odata.Int32Value(3)},
			{Name: "due", Value: odata.DateTimeValue(due)},
			{Name: "Size", Value: odata.Int64Value(4)},
		},
	}
}

func TestCosmosEntity(t *testing.T) {
	const (
		metadata = `"odata.metadata":"https://shop.table.cosmos.azure.com/orders/$metadata#orders/@Element"`
		tag      = `"odata.etag":"W/\"datetime'2031-01-02T03%3A04%3A05.0600000Z'\""`
		link     = `orders(PartitionKey='p''1',RowKey='a@b')`
		stamp    = `"Timestamp":"2031-01-02T03:04:05.0600000Z"`
		due      = `"due":"2031-05-06T07:08:09.5000000Z"`
		keys     = `"PartitionKey":"p'1","RowKey":"a@b"`
		values   = `"size":3,"due@odata.type":"Edm.DateTime",` + due + `,"Size@odata.type":"Edm.Int64","Size":"4"`
	)
	for _, c := range []struct {
		name    string
		context *Cosmos
		want    string
	}{
		{"no metadata", cosmosOf(NoMetadata), `{` + keys + `,"size":3,` + due + `,"Size":"4",` + stamp + `}`},
		{"minimal", cosmosOf(MinimalMetadata), `{` + metadata + `,` + tag + `,` + keys + `,` + values + `,` + stamp + `}`},
		{"full", cosmosOf(FullMetadata), `{"odata.type":"shop.orders","odata.id":"https://shop.table.cosmos.azure.com/` + link + `","odata.editLink":"` + link + `",` +
			metadata + `,` + tag + `,` + keys + `,` + values + `,"Timestamp@odata.type":"Edm.DateTime",` + stamp + `}`},
		{"any level", cosmosOfAnyLevel(), `{` + metadata + `,` + tag + `,` + keys + `,` + values + `,"Timestamp@odata.type":"Edm.DateTime",` + stamp + `}`},
		{"any level, selected", cosmosOfAnyLevel("Timestamp"), `{` + metadata + `,` + tag + `,"Timestamp@odata.type":"Edm.DateTime",` + stamp + `}`},
		{"selected", cosmosOf(MinimalMetadata, "Timestamp", "size"), `{` + metadata + `,` + tag + `,"size":3,` + stamp + `}`},
		{"selected and absent", cosmosOf(NoMetadata, "color"), `{"color":null}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(c.context.AppendEntity(nil, "orders", cosmosEntity())); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestCosmosLists(t *testing.T) {
	e := cosmosEntity()
	e.Properties = nil
	c, plain := cosmosOf(MinimalMetadata, "RowKey"), cosmosOf(NoMetadata)
	const tail = `"odata.metadata":"https://shop.table.cosmos.azure.com/$metadata#`
	item := `{"odata.etag":"W/\"datetime'2031-01-02T03%3A04%3A05.0600000Z'\"","RowKey":"a@b"}`
	for _, tt := range []struct{ name, got, want string }{
		{"entities", string(c.AppendEntities(nil, "orders", slices.Values([]*odata.Entity{e, e}))), `{"value":[` + item + `,` + item + `],` + tail + `orders"}`},
		{"no entities", string(c.AppendEntities(nil, "orders", slices.Values([]*odata.Entity(nil)))), `{"value":[],` + tail + `orders"}`},
		{"no metadata", string(plain.AppendEntities(nil, "orders", slices.Values([]*odata.Entity(nil)))), `{"value":[]}`},
		{"tables", string(c.AppendTables(nil, []string{"orders", "parts"})), `{"value":[{"TableName":"orders"},{"TableName":"parts"}],` + tail + `Tables"}`},
		{"entities of any level", string(cosmosOfAnyLevel("RowKey").AppendEntities(nil, "orders", slices.Values([]*odata.Entity{e}))), `{"value":[` + item + `]}`},
		{"tables of any level", string(cosmosOfAnyLevel().AppendTables(nil, []string{"orders"})), `{"value":[{"TableName":"orders"}]}`},
		{"a table of any level", string(cosmosOfAnyLevel().AppendTable(nil, "orders")), `{"TableName":"orders",` + tail + `Tables/@Element"}`},
		{"a table", string(c.AppendTable(nil, "orders")), `{"TableName":"orders",` + tail + `Tables/@Element"}`},
		{"a table without metadata", string(plain.AppendTable(nil, "orders")), `{"TableName":"orders"}`},
		{"an error", string(AppendCosmosError(nil, "Code", "text\n")), `{"odata.error":{"code":"Code","message":{"lang":"en-us","value":"text\n"}}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.got != tt.want {
				t.Errorf("\n got %s\nwant %s", tt.got, tt.want)
			}
		})
	}
}
