package odata_test

import (
	"fmt"

	"sandtable/odata"
)

func ExampleParsePath() {
	path, err := odata.ParsePath("/People(PartitionKey='o%27%27x',%20RowKey='1')")
	fmt.Println(path.Table, path.Key.PartitionKey, path.Key.RowKey, err)
	fmt.Println(path)
	// Output:
	// People o'x 1 <nil>
	// /People(PartitionKey='o''x',RowKey='1')
}

func ExampleETag() {
	timestamp, _ := odata.ParseDateTime("2021-10-26T20:12:43.2144550Z")
	fmt.Println(odata.ETag(timestamp))
	// Output: W/"datetime'2021-10-26T20%3A12%3A43.214455Z'"
}
