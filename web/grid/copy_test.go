package grid

import (
	"testing"

	"sandtable/odata"
)

func TestCopy(t *testing.T) {
	e := entity("1", property("Name", odata.StringValue("a\t\"b\"\nc")), property("Photo", odata.BinaryValue([]byte{1, 2, 3})))
	columns, _ := Shown(schemaOf(e).Columns(Settings{}))
	if got, want := Delimited([]*odata.Entity{e, entity("2")}, columns, '\t', Format{}),
		"PartitionKey\tRowKey\tName\tPhoto\np\t1\t\"a\t\"\"b\"\"\nc\"\tAQID\np\t2\t\t\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := JSON([]*odata.Entity{entity("2", property("A", odata.Int32Value(1)))}),
		"[\n  {\"PartitionKey\":\"p\",\"RowKey\":\"2\",\"A\":1}\n]\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
