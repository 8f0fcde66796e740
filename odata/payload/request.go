package payload

import "sandtable/odata"

// AppendRequest appends the body of a request that inserts, replaces or merges e:
// its keys and its custom properties, with annotations for the types that JSON
// lacks. The Timestamp is left out, because the service sets it.
func AppendRequest(b []byte, e *odata.Entity) []byte { return appendRequest(b, e, false) }

// AppendAnnotatedRequest is [AppendRequest] with an annotation for each Double.
// Azurite takes 5.0 for an Int32 without one.
func AppendAnnotatedRequest(b []byte, e *odata.Entity) []byte { return appendRequest(b, e, true) }

func appendRequest(b []byte, e *odata.Entity, doubles bool) []byte {
	c := Context{Level: MinimalMetadata}
	b = append(b, '{')
	b = c.appendKey(b, odata.PartitionKeyName, e.PartitionKey)
	b = c.appendKey(b, odata.RowKeyName, e.RowKey)
	for i := range e.Properties {
		if v := e.Properties[i].Value; doubles && v.Type() == odata.EdmDouble && !annotated(v) {
			b = appendAnnotation(b, e.Properties[i].Name, odata.EdmDouble)
		}
		b = c.appendProperty(b, e.Properties[i].Name, e.Properties[i].Value)
	}
	b[len(b)-1] = '}'
	return b
}

// AppendTableRequest appends the body of a request that creates a table.
func AppendTableRequest(b []byte, name string) []byte {
	b = append(b, `{"TableName":`...)
	b = AppendString(b, name)
	return append(b, '}')
}
