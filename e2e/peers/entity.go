package main

import "fmt"

// The big table: 500 rows per partition, and a property by which a full scan finds
// ten entities.
const (
	rowsPerPartition = 500
	bigTable         = 100_000
	distinctRanks    = bigTable / 10
)

// entity is one entity of the load; its number determines its content.
type entity struct {
	partition, row string
	number         int
}

func entityAt(number int) entity {
	return entity{fmt.Sprintf("p%05d", number/rowsPerPartition), fmt.Sprintf("r%07d", number), number}
}

// path returns the entity's path below the account.
func (e entity) path(table string) string {
	return fmt.Sprintf("/%s(PartitionKey='%s',RowKey='%s')", table, e.partition, e.row)
}

// entities returns n entities in key order.
func entities(from, n int) []entity {
	made := make([]entity, n)
	for i := range made {
		made[i] = entityAt(from + i)
	}
	return made
}

// json appends the entity as request JSON: seven properties of six types.
func (e entity) json(b []byte) []byte {
	n := e.number
	return fmt.Appendf(b, `{"PartitionKey":%q,"RowKey":%q,"Name":"Customer number %d","City":"Springfield","Rank":%d,"Price":%d.25,`+
		`"Stock@odata.type":"Edm.Int64","Stock":"%d","Active":%t,"Since@odata.type":"Edm.DateTime","Since":"2024-03-%02dT12:00:00Z"}`,
		e.partition, e.row, n, n%distinctRanks, n%1000, int64(n)*1_000_003, n%2 == 0, n%28+1)
}

// appendBatch writes an entity group transaction of inserts; table is the
// table's URL.
func appendBatch(b []byte, table string, entities []entity) []byte {
	b = append(b, "--batch_peers\r\nContent-Type: multipart/mixed; boundary=changeset_peers\r\n\r\n"...)
	for i, e := range entities {
		body := e.json(nil)
		b = fmt.Appendf(b, "--changeset_peers\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"+
			"POST %s HTTP/1.1\r\nContent-ID: %d\r\nContent-Type: application/json\r\nAccept: application/json;odata=nometadata\r\n"+
			"DataServiceVersion: 3.0\r\nPrefer: return-no-content\r\nContent-Length: %d\r\n\r\n%s\r\n", table, i, len(body), body)
	}
	return append(b, "--changeset_peers--\r\n--batch_peers--\r\n"...)
}
