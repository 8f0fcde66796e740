package filter

import (
	"testing"

	"sandtable/odata"
)

const benchmarkFilter = "PartitionKey eq 'EU-West' and RowKey ge '0000101' and Age ge 21"

func benchmarkEntity(b *testing.B) *odata.Entity {
	return mustEntity(b, "PartitionKey: 'EU-West'; RowKey: '00001020'; Name: 'Ada'; Age: 36; Email: 'ada@example.org'; "+
		"Active: true; Score: 2.5; Joined: datetime'2020-01-01'")
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(benchmarkFilter); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	for _, c := range []struct{ name, filter string }{
		{"three comparisons", benchmarkFilter},
		{"one property", "Age ge 21"},
		{"or of strings", "Name eq 'Grace' or Email eq 'grace@example.org' or Name eq 'Ada'"},
	} {
		b.Run(c.name, func(b *testing.B) {
			x, e := mustParse(b, c.filter), benchmarkEntity(b)
			b.ReportAllocs()
			for b.Loop() {
				if !Match(x, e) {
					b.Fatal("no match")
				}
			}
		})
	}
}

func BenchmarkBounds(b *testing.B) {
	x := mustParse(b, benchmarkFilter)
	b.ReportAllocs()
	for b.Loop() {
		Bounds(x)
	}
}
