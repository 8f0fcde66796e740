package batch_test

import (
	"fmt"

	"sandtable/odata"
	"sandtable/odata/batch"
)

func ExampleAppendRequest() {
	body := batch.AppendRequest(nil, "batch_1", "changeset_1", []batch.Operation{{
		Method: "DELETE",
		Target: "/People(PartitionKey='p',RowKey='1')",
		Header: batch.Header{{Name: "If-Match", Value: "*"}},
	}})
	request, err := batch.Parse("multipart/mixed; boundary=batch_1", body, odata.MaxBatchOperations)
	fmt.Println(len(request.Operations), request.Operations[0].Method, err)
	// Output: 1 DELETE <nil>
}
