package archive_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"sandtable/engine"
	"sandtable/engine/archive"
)

// Loads a handwritten archive under another name and dumps it again.
func Example() {
	clock := func() time.Time { return time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC) }
	db, err := engine.Open(new(engine.MemoryStorage), engine.Options{Now: clock})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()
	text := `{"@sandtable":"archive","version":1}
{"@sandtable":"account","name":"devstoreaccount1","access":"open"}
{"@sandtable":"table","name":"Customers"}
{"PartitionKey":"EU","RowKey":"1","Name":"Amara","Visits":"12","Visits@odata.type":"Edm.Int64"}
{"@sandtable":"end","accounts":1,"tables":1,"entities":1}
`
	report, err := archive.Load(strings.NewReader(text), db, archive.LoadOptions{Account: "classroom"})
	fmt.Println(report.Entities, err)
	fmt.Println(archive.Dump(os.Stdout, db, archive.DumpOptions{Account: "classroom"}))
	// Output:
	// 1 <nil>
	// {"@sandtable":"archive","version":1}
	// {"@sandtable":"account","name":"classroom","access":"open"}
	// {"@sandtable":"table","name":"Customers"}
	// {"PartitionKey":"EU","RowKey":"1","Name":"Amara","Visits@odata.type":"Edm.Int64","Visits":"12","Timestamp":"2026-11-20T09:30:00.0000002Z"}
	// {"@sandtable":"end","accounts":1,"tables":1,"entities":1}
	// [] <nil>
}
