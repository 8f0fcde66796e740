package payload_test

import (
	"fmt"

	"sandtable/odata/payload"
)

func ExampleDecodeAtomEntity() {
	body, err := payload.DecodeAtomEntity([]byte(`<?xml version="1.0" encoding="utf-8"?>
<entry xmlns="http://www.w3.org/2005/Atom"
  xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices"
  xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata">
  <id /><title />
  <content type="application/xml"><m:properties>
    <d:PartitionKey>p</d:PartitionKey><d:RowKey>1</d:RowKey>
    <d:age m:type="Edm.Int64">39</d:age><d:gone m:null="true" />
  </m:properties></content>
</entry>`))
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
