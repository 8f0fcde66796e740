package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/control"
	"sandtable/wasm/internal/jshttp"
)

// BenchmarkImport inserts entities in transactions of 100 as the script passes them:
// the requests of e2e/bench/imports.mjs, with a storage without cost. One round is one
// transaction.
func BenchmarkImport(b *testing.B) {
	const host = "https://devstoreaccount1.table.core.windows.net"
	db, err := engine.Open(new(engine.MemoryStorage), engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	account := server.WellKnown(engine.OpenAccess)
	if err := db.Update(func(tx *engine.Tx) error { return tx.PutAccount(account) }); err != nil {
		b.Fatal(err)
	}
	handler := control.New(db, server.Options{}, control.Options{Accounts: []engine.Account{account}})
	defer handler.Close()
	answer := func(head, body string, status int) {
		r, _ := jshttp.Answer(handler, head, []byte(body), nil, func(panicked any) { b.Error(panicked) })
		if r.Status != status || status == 202 && !strings.Contains(string(r.Body), "HTTP/1.1 204") {
			b.Fatalf("status %d: %s", r.Status, r.Body)
		}
	}
	answer("POST "+host+"/Tables\naccept:application/json\ncontent-type:application/json", `{"TableName":"Bench"}`, 201)
	head := "POST " + host + "/$batch\naccept:*/*\ncontent-type:multipart/mixed; boundary=batch"
	const kept = 64
	var bodies [kept]string
	next := 0
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		if i%kept == 0 {
			b.StopTimer()
			for j := range bodies {
				bodies[j] = importOf100(host, next)
				next += 100
			}
			b.StartTimer()
		}
		answer(head, bodies[i%kept], 202)
	}
}

func importOf100(host string, from int) string {
	var t strings.Builder
	t.WriteString("--batch\r\nContent-Type: multipart/mixed; boundary=changes\r\n\r\n")
	for n := from; n < from+100; n++ {
		t.WriteString("--changes\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n")
		t.WriteString("POST " + host + "/Bench HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json\r\nPrefer: return-no-content\r\n\r\n")
		since := time.Date(2024, 3, n%28+1, 12, 0, 0, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
		fmt.Fprintf(&t, `{"PartitionKey":"p%05d","RowKey":"r%07d","Name":"Customer number %d","City":"Springfield","Rank":%d,"Price":%g,"Stock":"%d","Active":%t,"Since":"%s","Stock@odata.type":"Edm.Int64","Since@odata.type":"Edm.DateTime"}`+"\r\n",
			n/500, n, n, n%10_000, float64(n%1000)+0.25, n*1_000_003, n%2 == 0, since)
	}
	t.WriteString("--changes--\r\n--batch--\r\n")
	return t.String()
}
