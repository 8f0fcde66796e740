package odata

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParsePath(t *testing.T) {
	entity := func(table, partition, row string) Path {
		return Path{EntityResource, table, Key{partition, row}}
	}
	tests := []struct {
		name, escaped string
		want          Path
	}{
		{"service", "/", Path{}},
		{"nothing", "", Path{}},
		{"tables", "/Tables", Path{Resource: TablesResource}},
		{"tables in another case", "/tables", Path{Resource: TablesResource}},
		{"tables with parentheses", "/Tables()", Path{Resource: TablesResource}},
		{"table", "/Tables('People')", Path{Resource: TableResource, Table: "People"}},
		{"table by name", "/Tables(TableName='People')", Path{Resource: TableResource, Table: "People"}},
		{"table encoded", "/Tables(%27People%27)", Path{Resource: TableResource, Table: "People"}},
		{"batch", "/$batch", Path{Resource: BatchResource}},
		{"batch encoded, in another case", "/%24BATCH", Path{Resource: BatchResource}},
		{"entities", "/People", Path{Resource: EntitiesResource, Table: "People"}},
		{"entities with parentheses", "/People()", Path{Resource: EntitiesResource, Table: "People"}},
		{"entities with a final slash", "/People/", Path{Resource: EntitiesResource, Table: "People"}},
		{"tables with a final slash", "/Tables/", Path{Resource: TablesResource}},
		{"table with a final slash", "/Tables('People')/", Path{Resource: TableResource, Table: "People"}},
		{"batch with a final slash", "/$batch/", Path{Resource: BatchResource}},
		{"entity with a final slash", "/People(PartitionKey='p',RowKey='r')/", entity("People", "p", "r")},
		{"entities with a blank in parentheses", "/People(%20)", Path{Resource: EntitiesResource, Table: "People"}},
		{"table's case is kept", "/pEOPLE", Path{Resource: EntitiesResource, Table: "pEOPLE"}},
		{"metrics", "/$MetricsHourPrimaryTransactionsTable", Path{Resource: EntitiesResource, Table: "$MetricsHourPrimaryTransactionsTable"}},
		{"entity", "/People(PartitionKey='p',RowKey='r')", entity("People", "p", "r")},
		{"empty keys", "/People(PartitionKey='',RowKey='')", entity("People", "", "")},
		{"row first", "/People(RowKey='r',PartitionKey='p')", entity("People", "p", "r")},
		{"blank behind the comma", "/People(PartitionKey='p',%20RowKey='r')", entity("People", "p", "r")},
		{"blanks everywhere", "/People( PartitionKey = 'p' , RowKey = 'r' )", entity("People", "p", "r")},
		{"blanks in keys stay", "/People(PartitionKey=' p ',RowKey='%20')", entity("People", " p ", " ")},
		{"doubled quotes", "/People(PartitionKey='o''x',RowKey='''')", entity("People", "o'x", "'")},
		{"doubled quotes encoded in part", "/People(PartitionKey=%27o%27'x%27,RowKey='r')", entity("People", "o'x", "r")},
		{"plus is a plus", "/People(PartitionKey='a+b',RowKey='r')", entity("People", "a+b", "r")},
		{"percent", "/People(PartitionKey='100%25',RowKey='%2525')", entity("People", "100%", "%25")},
		{"other letters", "/People(PartitionKey='%C3%A9',RowKey='é')", entity("People", "é", "é")},
		{"signs of the grammar in a key", "/People(PartitionKey='(a=b,c)',RowKey=')')", entity("People", "(a=b,c)", ")")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParsePath(tt.escaped)
			if err != nil || got != tt.want {
				t.Fatalf("ParsePath(%q) = %+v, %v, want %+v", tt.escaped, got, err, tt.want)
			}
			if again, err := ParsePath(got.String()); err != nil || again != got {
				t.Errorf("%s reads as %+v, %v", got, again, err)
			}
		})
	}
}

func TestParsePathRefuses(t *testing.T) {
	tests := []struct {
		name, escaped string
		want          error
		resource      Resource
	}{
		{"bad escape", "/People(PartitionKey='%zz',RowKey='')", ErrPathSyntax, ServiceResource},
		{"no UTF-8", "/People(PartitionKey='%FF',RowKey='')", ErrPathSyntax, ServiceResource},
		{"half of a pair", "/People(PartitionKey='%ED%A0%80',RowKey='')", ErrPathSyntax, ServiceResource},
		{"no name", "/('a')", ErrPathUnknown, ServiceResource},
		{"two slashes", "//People", ErrPathUnknown, ServiceResource},
		{"open quote", "/People(PartitionKey='p,RowKey=r)", ErrPathSyntax, EntitiesResource},
		{"open parenthesis", "/People(PartitionKey='p',RowKey='r'", ErrPathSyntax, EntitiesResource},
		{"open parenthesis alone", "/People(", ErrPathSyntax, EntitiesResource},
		{"no comma", "/People(PartitionKey='p' RowKey='r')", ErrPathSyntax, EntitiesResource},
		{"comma at the end", "/People(PartitionKey='p',RowKey='r',)", ErrPathSyntax, EntitiesResource},
		{"no equal sign", "/People(PartitionKey'p',RowKey='r')", ErrPathSyntax, EntitiesResource},
		{"no quotes", "/People(PartitionKey=1,RowKey=2)", ErrPathSyntax, EntitiesResource},
		{"slash in a key", "/People(PartitionKey='a%2Fb',RowKey='r')", ErrPathSyntax, EntityResource},
		{"backslash in a key", "/People(PartitionKey='p',RowKey='a%5Cb')", ErrPathSyntax, EntityResource},
		{"hash in a key", "/People(PartitionKey='p',RowKey='%23')", ErrKeyOutOfRange, EntityResource},
		{"question mark in a key", "/People(PartitionKey='p',RowKey='%3F')", ErrKeyOutOfRange, EntityResource},
		{"control character in a key", "/People(PartitionKey='p',RowKey='%0A')", ErrKeyRejected, EntityResource},
		{"key too long", "/People(PartitionKey='" + strings.Repeat("a", 1025) + "',RowKey='')", ErrPropertyValueTooLarge, EntityResource},
		{"one key", "/People(PartitionKey='p')", ErrKeyCount, EntityResource},
		{"a key without a name", "/People('p')", ErrKeyCount, EntityResource},
		{"three keys", "/People(PartitionKey='p',RowKey='r',Third='t')", ErrKeyCount, EntityResource},
		{"PartitionKey twice", "/People(PartitionKey='p',PartitionKey='p')", ErrKeyCount, EntityResource},
		{"RowKey once too often", "/People(PartitionKey='p',RowKey='r',RowKey='r')", ErrKeyCount, EntityResource},
		{"RowKey twice", "/People(RowKey='r',RowKey='r')", ErrKeyCount, EntityResource},
		{"names are case-sensitive", "/People(partitionkey='p',RowKey='r')", ErrKeyCount, EntityResource},
		{"two tables", "/Tables('a','b')", ErrKeyCount, TablesResource},
		{"table with an entity's keys", "/Tables(PartitionKey='p',RowKey='r')", ErrKeyCount, TablesResource},
		{"tables without quotes", "/Tables(People)", ErrPathSyntax, TablesResource},
		{"below tables", "/Tables('a')/b", ErrPathNotImplemented, TablesResource},
		{"tables below a table", "/People/Tables", ErrPathNotImplemented, EntitiesResource},
		{"table below a table", "/People/Tables('People')", ErrKeyCount, EntitiesResource},
		{"entity below a table", "/People/Pets(PartitionKey='p',RowKey='r')", ErrPathNotImplemented, EntitiesResource},
		{"below an entity", "/People(PartitionKey='p',RowKey='r')/a", ErrPathNotImplemented, EntitiesResource},
		{"text behind the keys", "/People()x", ErrPathNotImplemented, EntitiesResource},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path, err := ParsePath(tt.escaped)
			if !errors.Is(err, tt.want) {
				t.Errorf("ParsePath(%q) gives %+v, %v, want %v", tt.escaped, path, err, tt.want)
			}
			if path.Resource != tt.resource {
				t.Errorf("ParsePath(%q) is about resource %d, want %d", tt.escaped, path.Resource, tt.resource)
			}
		})
	}
}

func TestPathString(t *testing.T) {
	tests := []struct {
		name string
		path Path
		want string
	}{
		{"service", Path{}, "/"},
		{"tables", Path{Resource: TablesResource}, "/Tables"},
		{"table", Path{Resource: TableResource, Table: "People"}, "/Tables('People')"},
		{"entities", Path{Resource: EntitiesResource, Table: "People"}, "/People"},
		{"batch", Path{Resource: BatchResource}, "/$batch"},
		{"entity", Path{EntityResource, "People", Key{"p", "r"}}, "/People(PartitionKey='p',RowKey='r')"},
		{"quote", Path{EntityResource, "T", Key{"o'x", ""}}, "/T(PartitionKey='o''x',RowKey='')"},
		{"blank and letters", Path{EntityResource, "T", Key{"a b", "é"}}, "/T(PartitionKey='a%20b',RowKey='%C3%A9')"},
		{"unreserved", Path{EntityResource, "T", Key{"-_.~", "aZ9"}}, "/T(PartitionKey='-_.~',RowKey='aZ9')"},
		{"reserved", Path{EntityResource, "T", Key{"%+&", "(=,)"}}, "/T(PartitionKey='%25%2B%26',RowKey='(%3D%2C)')"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.path.String(); got != tt.want {
				t.Errorf("String() = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestPathUnescaped(t *testing.T) {
	path := Path{EntityResource, "People", Key{"a b@é", "o'x"}}
	if got, want := string(path.AppendUnescaped(nil)), "/People(PartitionKey='a b@é',RowKey='o''x')"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func FuzzParsePath(f *testing.F) {
	for _, seed := range []string{
		"/", "/Tables", "/Tables('People')", "/$batch", "/People()", "/People(PartitionKey='o''x',%20RowKey='%C3%A9')",
		"/People(RowKey='',PartitionKey=%27%27)", "/People/Tables('a')", "/People(PartitionKey='%FF',RowKey='')", "/a(('",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, escaped string) {
		path, err := ParsePath(escaped)
		if err != nil {
			return
		}
		again, err := ParsePath(path.String())
		if err != nil || again != path {
			t.Errorf("ParsePath(%q) = %+v, which prints as %s and reads as %+v, %v", escaped, path, path, again, err)
		}
	})
}

// Every valid key parses as itself from the path that the service writes.
func FuzzPathKeys(f *testing.F) {
	f.Add("p", "r")
	f.Add("o'x", "a b%+")
	f.Add("\U0001F600", "(',=)")
	f.Fuzz(func(t *testing.T, partition, row string) {
		if CheckKey(PartitionKeyName, partition) != nil || CheckKey(RowKeyName, row) != nil ||
			!utf8.ValidString(partition) || !utf8.ValidString(row) {
			return
		}
		want := Path{EntityResource, "People", Key{partition, row}}
		if got, err := ParsePath(want.String()); err != nil || got != want {
			t.Errorf("%s reads as %+v, %v", want, got, err)
		}
	})
}

func BenchmarkParsePath(b *testing.B) {
	for b.Loop() {
		if _, err := ParsePath("/People(PartitionKey='partition-17',RowKey='row%20000042')"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPathAppendText(b *testing.B) {
	path := Path{EntityResource, "People", Key{"partition-17", "row 000042"}}
	buf := make([]byte, 0, 128)
	for b.Loop() {
		buf = path.AppendText(buf[:0])
	}
}
