package filter_test

import (
	"errors"
	"fmt"

	"sandtable/odata"
	"sandtable/odata/filter"
)

func Example() {
	x, err := filter.Parse("PartitionKey eq 'Smith' and (RowKey ge 'B' and RowKey lt 'C') and 21 le Age")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x)

	keys := filter.Bounds(x)
	fmt.Printf("look from %s/%s to %s/%s\n",
		keys.From.PartitionKey, keys.From.RowKey, keys.To.PartitionKey, keys.To.RowKey)

	ben := &odata.Entity{PartitionKey: "Smith", RowKey: "Ben", Properties: []odata.Property{
		{Name: "Age", Value: odata.Int32Value(36)},
	}}
	fmt.Println("Ben:", filter.Match(x, ben))
	// Output:
	// PartitionKey eq 'Smith' and RowKey ge 'B' and RowKey lt 'C' and Age ge 21
	// look from Smith/B to Smith/C
	// Ben: true
}

func ExampleParse_errors() {
	for _, text := range []string{
		"property1 eq 1'invalid'",
		"(PartitionKey) and (RowKey ge 'x')",
		"startswith(Name, 'A')",
	} {
		_, err := filter.Parse(text)
		var syntax *filter.SyntaxError
		var types *filter.TypeError
		switch {
		case errors.As(err, &syntax), errors.As(err, &types):
			fmt.Println("400:", err)
		case errors.Is(err, filter.ErrNotImplemented):
			fmt.Println("501:", err)
		}
	}
	// Output:
	// 400: Syntax error at position 23 in 'property1 eq 1'invalid''.
	// 400: A binary operator with incompatible types was detected. Found operand types 'Edm.String' and 'Edm.Boolean' for operator kind 'And'.
	// 501: the requested operation is not implemented on the specified resource
}

// An entity without the property fits "not (A eq 1)" and does not fit "A ne 1".
func ExampleMatch_missing() {
	for _, text := range []string{"A eq 1", "A ne 1", "not (A eq 1)"} {
		x, err := filter.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(x, filter.Match(x, &odata.Entity{}))
	}
	// Output:
	// A eq 1 false
	// A ne 1 false
	// not (A eq 1) true
}

func ExampleBounds() {
	for _, text := range []string{
		"PartitionKey eq 'a' and RowKey eq 'x'",
		"PartitionKey eq 'a' and PartitionKey eq 'b'",
		"Age gt 21",
	} {
		x, err := filter.Parse(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		keys := filter.Bounds(x)
		one := keys.Bounded && keys.To == keys.From.Next()
		fmt.Printf("one key: %v, none: %v, all: %v\n", one, keys.IsEmpty(), keys == odata.KeyRange{})
	}
	// Output:
	// one key: true, none: false, all: false
	// one key: false, none: true, all: false
	// one key: false, none: false, all: true
}

func ExampleProperties() {
	x, err := filter.Parse("TableName ge 'ab' and (TableName lt 'ac' or not Hidden)")
	if err != nil {
		fmt.Println(err)
		return
	}
	for name := range filter.Properties(x) {
		fmt.Println(name)
	}
	// Output:
	// TableName
	// TableName
	// Hidden
}
