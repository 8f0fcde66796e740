package sample

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"sandtable/odata"
)

// Set is a data set.
type Set struct {
	Name   string
	Text   string // what it shows
	Tables []Table
}

// Table is a table of a data set.
type Table struct {
	Name       string
	Partitions []int                   // how many entities each has, in key order
	Each       iter.Seq[*odata.Entity] // in key order
}

// Entities returns how many entities the set has.
func (s Set) Entities() (n int) {
	for _, t := range s.Tables {
		for _, entities := range t.Partitions {
			n += entities
		}
	}
	return n
}

// Sets returns the data sets.
func Sets() []Set {
	return []Set{
		{"Retail orders", "Customers by region and orders by month: two tables, 58 partitions.",
			[]Table{{"Customers", customersByRegion(), customers}, {"Orders", ordersByMonth(), orders}}},
		{"Sensor readings", "50 devices that report every minute: one table, 50 partitions of the same size.",
			[]Table{{"Sensors", slices.Repeat([]int{readings}, devices), sensors}}},
	}
}

// random is a small generator of its own: the data must never change.
type random uint64

func (r *random) next(n int) int {
	*r = *r*6364136223846793005 + 1442695040888963407
	return int(uint64(*r) >> 33 % uint64(n))
}

func pick[T any](r *random, all []T) T { return all[r.next(len(all))] }

var (
	firstNames = []string{"Amara", "Ben", "Chiara", "Dmitri", "Elif", "Farah", "Grace", "Hiro", "Ines", "Jonas", "Kavya", "Liam", "Mei", "Noor", "Oskar", "Priya", "Quentin", "Rosa", "Sven", "Tariq"}
	lastNames  = []string{"Okafor", "Hsu", "Rossi", "Volkov", "Yılmaz", "Khan", "O'Neil", "Tanaka", "Duarte", "Berg", "Iyer", "Walsh", "Lin", "Haddad", "Lind", "Nair", "Dubois", "Garcia", "Larsen", "Aziz"}
	regions    = []string{"AF-East", "AF-North", "AF-South", "AF-West", "AS-Central", "AS-East", "AS-North", "AS-South", "AS-SouthEast", "AS-West", "AU-East", "AU-South", "AU-West",
		"EU-Central", "EU-East", "EU-North", "EU-South", "EU-West", "ME-Gulf", "ME-Levant", "NA-Central", "NA-East", "NA-Mountain", "NA-North", "NA-South", "NA-West",
		"PA-Islands", "SA-Andes", "SA-Central", "SA-East", "SA-North", "SA-South", "SA-West", "UK-All"}
	products = []string{"lamp", "desk", "chair", "shelf", "rug", "clock", "mirror", "vase"}
)

var start = time.Date(2024, 1, 10, 8, 30, 0, 0, time.UTC)

func date(t time.Time) odata.Value {
	d, _ := odata.ParseDateTime(t.UTC().Format("2006-01-02T15:04:05Z"))
	return odata.DateTimeValue(d)
}

func property(name string, v odata.Value) odata.Property { return odata.Property{Name: name, Value: v} }

// customersByRegion returns how many customers each region has: a few or many.
func customersByRegion() (counts []int) {
	rest := 2501
	for region := range len(regions) - 1 {
		n := 20 + (region*region*7)%107
		counts = append(counts, n)
		rest -= n
	}
	return append(counts, rest)
}

func customers(yield func(*odata.Entity) bool) {
	r := random(1)
	for region, n := range customersByRegion() {
		for i := range n {
			if !yield(customer(&r, regions[region], i)) {
				return
			}
		}
	}
}

func customer(r *random, region string, i int) *odata.Entity {
	e := &odata.Entity{PartitionKey: region, RowKey: fmt.Sprintf("%08d", 1000+i), Properties: []odata.Property{
		property("Name", odata.StringValue(pick(r, firstNames)+" "+pick(r, lastNames))),
		property("Age", odata.Int32Value(int32(18+r.next(74)))),
		property("Balance", odata.DoubleValue(float64(r.next(2_000_000))/100)),
		property("Active", odata.BooleanValue(r.next(4) > 0)),
	}}
	if r.next(4) > 0 {
		e.Properties = append(e.Properties, property("Since", date(start.Add(time.Duration(r.next(900*24*60))*time.Minute))))
	}
	return e
}

func ordersByMonth() (counts []int) {
	const months, all = 24, 18204
	for month := range months {
		n := all / months
		if month < all%months {
			n++
		}
		counts = append(counts, n)
	}
	return counts
}

func orders(yield func(*odata.Entity) bool) {
	r := random(2)
	for month, n := range ordersByMonth() {
		key := time.Date(2024, time.December+time.Month(month), 1, 0, 0, 0, 0, time.UTC)
		for i := range n {
			e := &odata.Entity{PartitionKey: key.Format("2006-01"), RowKey: fmt.Sprintf("%06d", i), Properties: []odata.Property{
				property("Customer", odata.StringValue(pick(&r, regions)+"/"+fmt.Sprintf("%08d", 1000+r.next(40)))),
				property("Product", odata.StringValue(pick(&r, products))),
				property("Quantity", odata.Int32Value(int32(1+r.next(9)))),
				property("Total", odata.DoubleValue(float64(500+r.next(50_000))/100)),
				property("Placed", date(key.Add(time.Duration(r.next(28*24*60))*time.Minute))),
			}}
			if !yield(e) {
				return
			}
		}
	}
}

// How many devices there are, and how many readings each has.
const (
	devices  = 50
	readings = 2000
)

func sensors(yield func(*odata.Entity) bool) {
	r := random(3)
	for device := range devices {
		for i := range readings {
			e := &odata.Entity{PartitionKey: fmt.Sprintf("s-%02d", device), RowKey: fmt.Sprintf("%08d", i), Properties: []odata.Property{
				property("At", date(start.Add(time.Duration(i)*time.Minute))),
				property("Temperature", odata.DoubleValue(float64(1500+r.next(1200))/100)),
				property("Battery", odata.Int32Value(int32(100-i*100/readings))),
			}}
			if !yield(e) {
				return
			}
		}
	}
}
