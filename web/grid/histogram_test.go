package grid

import (
	"math"
	"slices"
	"testing"

	"sandtable/odata"
)

func TestHistogram(t *testing.T) {
	day := odata.DateTime(864_000_000_000)
	tests := []struct {
		name   string
		values []odata.Value
		want   []int
	}{
		{"integers", []odata.Value{odata.Int32Value(0), odata.Int32Value(1), odata.Int32Value(5), odata.Int32Value(8)}, []int{2, 0, 1, 1}},
		{"both ends of 64 bits", []odata.Value{odata.Int64Value(math.MinInt64), odata.Int64Value(0), odata.Int64Value(math.MaxInt64)}, []int{1, 0, 1, 1}},
		{"doubles, one not a number", []odata.Value{odata.DoubleValue(-1), odata.DoubleValue(math.NaN()), odata.DoubleValue(1)}, []int{1, 0, 0, 1}},
		{"dates", []odata.Value{odata.DateTimeValue(day), odata.DateTimeValue(2 * day), odata.DateTimeValue(5 * day)}, []int{1, 1, 0, 1}},
		{"one value", []odata.Value{odata.Int32Value(7), odata.Int32Value(7)}, nil},
		{"infinite", []odata.Value{odata.DoubleValue(math.Inf(-1)), odata.DoubleValue(1)}, nil},
		{"not a number first", []odata.Value{odata.DoubleValue(math.NaN()), odata.DoubleValue(1), odata.DoubleValue(5)}, []int{1, 0, 0, 1}},
		{"not a number but one", []odata.Value{odata.DoubleValue(math.NaN()), odata.DoubleValue(1)}, nil},
		{"texts", []odata.Value{odata.StringValue("a"), odata.StringValue("b")}, nil},
		{"two types", []odata.Value{odata.Int32Value(1), odata.Int64Value(2)}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var s Schema
			for _, v := range test.values {
				s.Add(&odata.Entity{Properties: []odata.Property{{Name: "P", Value: v}}})
			}
			if stat, _ := s.Property("P"); !slices.Equal(stat.Histogram(4), test.want) {
				t.Errorf("got %v, want %v", stat.Histogram(4), test.want)
			}
		})
	}
}
