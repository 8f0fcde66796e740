package payload

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sandtable/odata"
)

// randomNames returns some names of properties in any order, for $select.
func randomNames(r *rand.Rand) string {
	names := []string{"PartitionKey", "RowKey", "Timestamp", "N1", "N3", "N17"}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return strings.Join(names[:1+r.IntN(len(names))], ",")
}

// TestListsDoNotDependOnTheEntityBefore compares lists of entities that have some keys,
// names and types in common with the same entities, each encoded alone.
func TestListsDoNotDependOnTheEntityBefore(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	values := []odata.Value{
		odata.StringValue("text"), odata.Int32Value(1), odata.Int64Value(2), odata.DoubleValue(3), odata.DoubleValue(math.NaN()),
		odata.BooleanValue(true), odata.DateTimeValue(odata.MinDateTime), odata.BinaryText("\x00"), odata.GuidValue(odata.Guid{1}),
	}
	for range 200 {
		es := make([]*odata.Entity, 1+r.IntN(6))
		for i := range es {
			e := &odata.Entity{PartitionKey: fmt.Sprint("p", r.IntN(2)), RowKey: fmt.Sprint(i), Timestamp: odata.MinDateTime + odata.DateTime(r.IntN(2))}
			for n := range r.IntN(20) {
				if r.IntN(8) > 0 {
					name := fmt.Sprint("N", n)
					e.Properties = append(e.Properties, odata.Property{Name: name, Value: values[r.IntN(len(values))]})
				}
			}
			es[i] = e
		}
		for _, level := range []Level{NoMetadata, MinimalMetadata, FullMetadata} {
			for _, c := range []Context{context(level), selecting(level, "PartitionKey"), selecting(level, randomNames(r))} {
				var each []string
				for _, e := range es {
					alone := string(c.AppendEntities(nil, "T", slices.Values([]*odata.Entity{e})))
					_, item, _ := strings.Cut(alone, `"value":[`)
					each = append(each, strings.TrimSuffix(item, "]}"))
				}
				got := string(c.AppendEntities(nil, "T", slices.Values(es)))
				_, list, _ := strings.Cut(got, `"value":[`)
				if want := strings.Join(each, ",") + "]}"; list != want || !json.Valid([]byte(got)) {
					t.Fatalf("%v, select %q: the list is\n%s, want\n%s", level, c.SelectText, list, want)
				}
			}
		}
	}
}
