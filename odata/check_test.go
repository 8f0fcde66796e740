package odata

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestCheckTableName(t *testing.T) {
	tests := []struct {
		name, table string
		want        error
	}{
		{"letters", "People", nil},
		{"letters and digits", "AZaz09", nil},
		{"shortest", "abc", nil},
		{"longest", strings.Repeat("a", 63), nil},
		{"too short", "ab", ErrTableNameLength},
		{"empty", "", ErrTableNameLength},
		{"too long", strings.Repeat("a", 64), ErrTableNameLength},
		{"digit first", "1abc", ErrTableNameInvalid},
		{"dash", "my-table", ErrTableNameInvalid},
		{"underscore", "my_table", ErrTableNameInvalid},
		{"other letters", "Tische\u00e4", ErrTableNameInvalid},
		{"metrics", "$MetricsHourPrimaryTransactionsTable", ErrTableNameInvalid},
		{"invalid and too long", strings.Repeat("-", 64), ErrTableNameInvalid},
		{"reserved", "tables", ErrTableNameReserved},
		{"reserved in another case", "TABLES", ErrTableNameReserved},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := CheckTableName(tt.table); !errors.Is(got, tt.want) {
				t.Errorf("CheckTableName(%q) = %v, want %v", tt.table, got, tt.want)
			}
		})
	}
}

func TestCheckCosmosTableName(t *testing.T) {
	for _, c := range []struct {
		name, table string
		want        error
	}{
		{"a name of the storage", "People", nil},
		{"one character", "a", nil},
		{"other letters", "啊齄丂狛狜", nil},
		{"a digit, a dash, a blank", "1a-b c_d", nil},
		{"longest", strings.Repeat("ä", 254), nil},
		{"too long", strings.Repeat("a", 255), ErrTableNameLength},
		{"empty", "", ErrTableNameLength},
		{"slash", "a/b", ErrTableNameInvalid},
		{"backslash", `a\b`, ErrTableNameInvalid},
		{"number sign", "a#b", ErrTableNameInvalid},
		{"question mark", "a?b", ErrTableNameInvalid},
		{"parenthesis", "a(b", ErrTableNameInvalid},
		{"blank at the end", "a ", ErrTableNameInvalid},
		{"control character", "a\x01", ErrTableNameInvalid},
		{"invalid UTF-8", "a\xff", ErrTableNameInvalid},
		{"another resource", "$batch", ErrTableNameInvalid},
		{"this folder", ".", ErrTableNameInvalid},
		{"the folder above", "..", ErrTableNameInvalid},
		{"reserved", "TABLES", ErrTableNameReserved},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := CheckCosmosTableName(c.table); !errors.Is(got, c.want) {
				t.Errorf("CheckCosmosTableName(%q) = %v, want %v", c.table, got, c.want)
			}
		})
	}
}

func TestCheckAccountName(t *testing.T) {
	for name, want := range map[string]bool{
		"devstoreaccount1": true, "abc": true, "0az9": true, strings.Repeat("a", 24): true,
		"": false, "ab": false, strings.Repeat("a", 25): false, "Abc": false, "a-b": false, "äbc": false,
	} {
		if got := CheckAccountName(name); got != want {
			t.Errorf("CheckAccountName(%q) = %t, want %t", name, got, want)
		}
	}
}

func TestCheckPropertyName(t *testing.T) {
	tests := []struct {
		name, property string
		want           error
	}{
		{"letters", "Age", nil},
		{"underscore first", "_age2", nil},
		{"other letters", "\uA015", nil},
		{"underscore before other letters", "_\uA015", nil},
		{"letters beyond the BMP", "\U00020000", nil},
		{"letter number", "\u2160", nil},
		{"combining mark within", "e\u0301", nil},
		{"digits of another script within", "a\u0661", nil},
		{"joiner within", "a\u200Db", nil},
		{"255 characters", strings.Repeat("a", 255), nil},
		{"256 characters", strings.Repeat("a", 256), ErrPropertyNameTooLong},
		{"255 UTF-16 units, as one is a pair", strings.Repeat("a", 253) + "\U00020000", nil},
		{"256 UTF-16 units, as one is a pair", strings.Repeat("a", 254) + "\U00020000", ErrPropertyNameTooLong},
		{"empty", "", ErrPropertyNameInvalid},
		{"digits", "123", ErrPropertyNameInvalid},
		{"combining mark first", "\u0301e", ErrPropertyNameInvalid},
		{"dash", "my-age", ErrPropertyNameInvalid},
		{"blank", "my age", ErrPropertyNameInvalid},
		{"at sign", "a@b", ErrPropertyNameInvalid},
		{"control character", "a\x01", ErrPropertyNameInvalid},
		{"private use", "\uE000", ErrPropertyNameInvalid},
		{"no UTF-8", "a\xff", ErrPropertyNameInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := CheckPropertyName(tt.property); !errors.Is(got, tt.want) {
				t.Errorf("CheckPropertyName(%q) = %v, want %v", tt.property, got, tt.want)
			}
		})
	}
}

func TestCheckValue(t *testing.T) {
	tests := []struct {
		name string
		v    Value
		want string // the error's text
	}{
		{"longest string", StringValue(strings.Repeat("a", 32768)), ""},
		{"longest string of three bytes each", StringValue(strings.Repeat("€", 32768)), ""},
		{"too long", StringValue(strings.Repeat("a", 32769)), ErrPropertyValueTooLarge.Error()},
		{"pairs count twice", StringValue(strings.Repeat("\U0001F600", 16385)), ErrPropertyValueTooLarge.Error()},
		{"longest binary", BinaryText(strings.Repeat("a", 65536)), ""},
		{"binary too long", BinaryText(strings.Repeat("a", 65537)), ErrPropertyValueTooLarge.Error()},
		{"first instant", DateTimeValue(MinDateTime), ""},
		{"instant too early", DateTimeValue(0), "The 'P' parameter of value '01/01/0001 00:00:00' is out of range."},
		{"a tick too early", DateTimeValue(MinDateTime - 1), "The 'P' parameter of value '12/31/1600 23:59:59' is out of range."},
		{"number", Int64Value(-1), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := errorText(CheckValue("P", tt.v)); got != tt.want {
				t.Errorf("CheckValue returns %q, want %q", got, tt.want)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestCheckEntity(t *testing.T) {
	properties := func(n int) (all []Property) {
		for i := range n {
			all = append(all, Property{fmt.Sprintf("p%d", i), Int32Value(0)})
		}
		return all
	}
	tests := []struct {
		name       string
		properties []Property
		want       error
	}{
		{"none", nil, nil},
		{"most", properties(252), nil},
		{"too many", properties(253), ErrTooManyProperties},
		{"bad name", []Property{{"1", Int32Value(0)}}, ErrPropertyNameInvalid},
		{"bad value", []Property{{"a", BinaryText(strings.Repeat("a", 65537))}}, ErrPropertyValueTooLarge},
		{"a value above the limit of an entity", []Property{{"a", BinaryText(strings.Repeat("a", 1<<20))}}, ErrEntityTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := CheckEntity(tt.properties, StorageLimits); !errors.Is(got, tt.want) {
				t.Errorf("CheckEntity = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestCheckCosmosEntity(t *testing.T) {
	properties := func(n int) (all []Property) {
		for i := range n {
			all = append(all, Property{fmt.Sprintf("p%d", i), Int32Value(0)})
		}
		return all
	}
	long := strings.Repeat("a", 1000)
	for _, tt := range []struct {
		name       string
		properties []Property
		want       error
	}{
		{"as many as are known to work", properties(255), nil},
		{"one more", properties(256), ErrTooManyProperties},
		{"a long name", []Property{{long, Int32Value(0)}}, nil},
		{"a long invalid name", []Property{{long + "-", Int32Value(0)}}, ErrPropertyNameInvalid},
		{"a large value", []Property{{"a", StringValue(strings.Repeat("a", 100_000))}}, nil},
		{"an instant too early", []Property{{"a", DateTimeValue(0)}}, &OutOfRangeError{Property: "a", Value: "01/01/0001 00:00:00"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := CheckEntity(tt.properties, CosmosLimits); errorText(got) != errorText(tt.want) {
				t.Errorf("CheckCosmosEntity = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestCosmosProperties(t *testing.T) {
	names := func(properties []Property) (all []string) {
		for _, p := range properties {
			all = append(all, p.Name)
		}
		return all
	}
	given := []Property{{Name: "a"}, {Name: "Etag"}, {Name: "etag"}, {Name: "ETag"}, {Name: "timestamp"}}
	if got, want := names(CosmosProperties(given)), []string{"a", "etag", "ETag", "timestamp"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if given[1].Name != "Etag" {
		t.Error("the given properties were changed")
	}
}

func TestCheckKey(t *testing.T) {
	outOfRange := func(key string) string {
		return "The 'RowKey' parameter of value '" + key + "' is out of range."
	}
	tests := []struct{ name, key, want, address string }{
		{"empty", "", "", ""},
		{"blanks", "  ", "", ""},
		{"quote", "o'x", "", ""},
		{"percent and plus", "a%25+b", "", ""},
		{"other letters", "é\U0001F600", "", ""},
		{"longest", strings.Repeat("a", 1024), "", ""},
		{"longest of three bytes each", strings.Repeat("€", 1024), "", ""},
		{"too long", strings.Repeat("a", 1025), ErrPropertyValueTooLarge.Error(), ErrPropertyValueTooLarge.Error()},
		{"pairs count twice", strings.Repeat("\U0001F600", 513), ErrPropertyValueTooLarge.Error(), ErrPropertyValueTooLarge.Error()},
		{"slash", "a/b", outOfRange("a/b"), ErrPathSyntax.Error()},
		{"backslash", `a\b`, outOfRange(`a\b`), ErrPathSyntax.Error()},
		{"hash", "a#b", outOfRange("a#b"), ErrKeyOutOfRange.Error()},
		{"question mark", "a?b", outOfRange("a?b"), ErrKeyOutOfRange.Error()},
		{"NUL", "\x00", outOfRange("\x00"), ErrKeyRejected.Error()},
		{"line feed", "a\nb", outOfRange("a\nb"), ErrKeyRejected.Error()},
		{"delete", "\x7f", outOfRange("\x7f"), ErrKeyRejected.Error()},
		{"C1 that the front end refuses", "\u0081", outOfRange("\u0081"), ErrKeyRejected.Error()},
		{"C1 that the service refuses", "\u0080", outOfRange("\u0080"), ErrKeyOutOfRange.Error()},
		{"the last of C1", "\u009f", outOfRange("\u009f"), ErrKeyOutOfRange.Error()},
		{"no-break space", "\u00a0", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := errorText(CheckKey(RowKeyName, tt.key)); got != tt.want {
				t.Errorf("CheckKey(%q) returns %q, want %q", tt.key, got, tt.want)
			}
			if got := errorText(checkAddressKey(tt.key)); got != tt.address {
				t.Errorf("checkAddressKey(%q) returns %q, want %q", tt.key, got, tt.address)
			}
		})
	}
}
