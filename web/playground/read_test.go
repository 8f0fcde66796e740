package playground

import (
	"fmt"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/odata"
	"sandtable/web/control"
	"sandtable/web/inspect"
	"sandtable/web/lesson"
)

// TestPartitionsThatAreNotDrawn: the picture says how many there are beyond the drawn ones.
func TestPartitionsThatAreNotDrawn(t *testing.T) {
	for more, want := range map[int]string{1: "1 more partition<", 2: "2 more partitions<"} {
		table := lesson.Table{Name: "Orders"}
		for i := range maxDrawn + more {
			table.Entities = append(table.Entities, &odata.Entity{PartitionKey: fmt.Sprintf("%03d", i), RowKey: "1"})
		}
		p := &Page{course: course{on: true, Lesson: lesson.Lesson{Steps: []lesson.Step{{}}}, seen: observed{tables: []lesson.Table{table}}}}
		if got := app.HTMLString(p.drawRead()); !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got[max(0, len(got)-200):])
		}
	}
}

// TestPictureOfWhatWasRead has a table with three partitions of four entities.
func TestPictureOfWhatWasRead(t *testing.T) {
	table := lesson.Table{Name: "Orders"}
	for _, partition := range []string{"a", "b", "c"} {
		for row := range 4 {
			table.Entities = append(table.Entities, &odata.Entity{PartitionKey: partition, RowKey: fmt.Sprint(row)})
		}
	}
	query := func(options string, examined int) control.Recorded {
		return control.Recorded{Method: "GET", Operation: inspect.QueryEntities, Status: 200, Account: "x",
			URL: "https://x.table.core.windows.net/Orders()?" + options, Statistics: &control.Statistics{Examined: examined, Returned: 1}}
	}
	point := control.Recorded{Method: "GET", Operation: inspect.GetEntity, Status: 200, Account: "x",
		URL: "https://x.table.core.windows.net/Orders(PartitionKey='b',RowKey='2')"}
	missed := point
	missed.Status = 404
	other := point
	other.URL = strings.Replace(point.URL, "Orders", "Others", 1)
	tests := []struct {
		name     string
		request  control.Recorded
		read     string // by partition
		examined int
	}{
		{"a scan", query("", 12), "4 4 4", 12},
		{"a partition", query("$filter=PartitionKey%20eq%20'b'", 4), "0 4 0", 4},
		{"a range of rows", query("$filter=PartitionKey%20eq%20'b'%20and%20RowKey%20ge%20'1'%20and%20RowKey%20lt%20'3'", 2), "0 2 0", 2},
		{"a range of partitions", query("$filter=PartitionKey%20ge%20'b'", 8), "0 4 4", 8},
		{"a page", query("$top=5", 6), "4 2 0", 6},
		{"the next page", query("$top=5&NextPartitionKey=b&NextRowKey=1", 6), "0 3 3", 6},
		{"the next page of the service", query("$top=5&NextPartitionKey=1!4!Yg--&NextRowKey=1!4!MQ--", 6), "0 3 3", 6},
		{"the next page of a partition", query("$filter=PartitionKey%20eq%20'b'&NextPartitionKey=1%214%21Yg--&NextRowKey=1%214%21Mg--", 2), "0 2 0", 2},
		{"the page from a partition's beginning", query("NextPartitionKey=1!4!Yg--&NextRowKey=1!0!", 8), "0 4 4", 8},
		{"the page from a key with an exclamation mark", query("NextPartitionKey=b!&NextRowKey=1", 4), "0 0 4", 4},
		{"a page of a partition", query("$filter=PartitionKey%20eq%20'b'&$top=2", 3), "0 3 0", 3},
		{"a point", point, "0 1 0", 1},
		{"nothing found", missed, "0 0 0", 0},
		{"another table", other, "0 0 0", 0},
		{"a filter that cannot be read", query("$filter=PartitionKey%20is%20'b'", 0), "0 0 0", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			pic := drawn(table, []control.RecordedDetail{{Recorded: test.request}}, &lesson.Needs{Table: "Orders", Partitions: []string{"b"}})
			var read []string
			for _, p := range pic.parts {
				read = append(read, fmt.Sprint(p.read))
				if (p.wanted == 1) != (p.name == "b") {
					t.Errorf("%s: wanted %d", p.name, p.wanted)
				}
			}
			if got := strings.Join(read, " "); got != test.read || pic.examined != test.examined || pic.most != 4 {
				t.Errorf("read %s of %+v, want %s", got, pic, test.read)
			}
		})
	}
}
