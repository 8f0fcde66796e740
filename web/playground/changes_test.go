package playground

import (
	"encoding/json"
	"slices"
	"testing"

	"sandtable/web/control"
)

func TestChangedProperties(t *testing.T) {
	entity := func(text string) (e map[string]json.RawMessage) {
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			t.Fatal(err)
		}
		return e
	}
	tests := []struct {
		name          string
		before, after map[string]json.RawMessage
		want          []changed
	}{
		{"added", nil, entity(`{"PartitionKey":"p","RowKey":"r","Name":"Ada","Age":36,"Big@odata.type":"Edm.Int64","Big":"7"}`),
			[]changed{{"Age", "Int32", "", "36"}, {"Big", "Int64", "", `"7"`}, {"Name", "String", "", `"Ada"`}}},
		{"deleted", entity(`{"PartitionKey":"p","RowKey":"r","Paid":true}`), nil, []changed{{"Paid", "Boolean", "true", ""}}},
		{"merged", entity(`{"PartitionKey":"p","RowKey":"r","Total":1.5}`), entity(`{"PartitionKey":"p","RowKey":"r","Total":1.5,"Shipped":true}`),
			[]changed{{"Shipped", "Boolean", "", "true"}}},
		{"another type", entity(`{"N":"7"}`), entity(`{"N@odata.type":"Edm.Int64","N":"7"}`), []changed{{"N", "String → Int64", `"7"`, `"7"`}}},
		{"the same", entity(`{"N":1}`), entity(`{"N":1}`), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := changedProperties(control.Difference{Before: test.after, After: test.before}); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestChangeCounts(t *testing.T) {
	if got := changeCounts(control.Differing{ComeBack: 1, Go: 1234, Change: 2}); !slices.Equal(got, []count{{"added", "+1,234"}, {"changed", "~2"}, {"deleted", "−1"}}) {
		t.Errorf("got %v", got)
	}
	if got := changeCounts(control.Differing{}); len(got) != 0 {
		t.Errorf("nothing is %v", got)
	}
}
