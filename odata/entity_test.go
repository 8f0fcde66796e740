package odata

import (
	"slices"
	"testing"
)

func TestEntityProperty(t *testing.T) {
	e := &Entity{
		PartitionKey: "p", RowKey: "r", Timestamp: MinDateTime,
		Properties: []Property{{"a", Int32Value(1)}, {"A", Int32Value(2)}, {"partitionkey", Int32Value(3)}},
	}
	tests := []struct {
		name string
		want Value
		ok   bool
	}{
		{"a", Int32Value(1), true},
		{"A", Int32Value(2), true},
		{"PartitionKey", StringValue("p"), true},
		{"partitionkey", Int32Value(3), true},
		{"RowKey", StringValue("r"), true},
		{"Timestamp", DateTimeValue(MinDateTime), true},
		{"timestamp", Value{}, false},
		{"", Value{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := e.Property(tt.name); got != tt.want || ok != tt.ok {
				t.Errorf("Property(%q) = %v, %t, want %v, %t", tt.name, got, ok, tt.want, tt.ok)
			}
		})
	}
	if got := e.Key(); got != (Key{"p", "r"}) {
		t.Errorf("Key() = %v", got)
	}
}

func TestEntitySize(t *testing.T) {
	tests := []struct {
		name string
		e    Entity
		want int
	}{
		{"nothing", Entity{}, 4},
		{"keys", Entity{PartitionKey: "pp", RowKey: "\U0001F600"}, 4 + 2*(2+2)},
		{"a property", Entity{Properties: []Property{{"é", Int64Value(1)}}}, 4 + 8 + 2 + 8},
		{"two", Entity{Properties: []Property{{"a", StringValue("xy")}, {"b", BooleanValue(true)}}}, 4 + (8 + 2 + 8) + (8 + 2 + 1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.e.Size(); got != tt.want {
				t.Errorf("Size() = %d, want %d", got, tt.want)
			}
		})
	}
}

func TestSortedAndMerged(t *testing.T) {
	given := []Property{{"b", Int32Value(1)}, {"B", Int32Value(2)}, {"a", StringValue("new")}}
	stored := []Property{{"c", Int32Value(3)}, {"a", Int32Value(4)}}
	kept := [][]Property{slices.Clone(given), slices.Clone(stored)}

	replaced := []Property{{"B", Int32Value(2)}, {"a", StringValue("new")}, {"b", Int32Value(1)}}
	sorted := slices.Clone(given)
	if SortByName(sorted); !slices.Equal(sorted, replaced) {
		t.Errorf("SortByName gives %v, want %v", sorted, replaced)
	}
	merged := append(slices.Clone(replaced), Property{"c", Int32Value(3)})
	if got := Merged(stored, given); !slices.Equal(got, merged) {
		t.Errorf("Merged gives %v, want %v", got, merged)
	}
	if got := MergedInPlace(stored, given); !slices.Equal(got, []Property{stored[0], given[2], given[0], given[1]}) {
		t.Errorf("MergedInPlace gives %v", got)
	}
	if got := Merged(stored, nil); !slices.Equal(got, []Property{stored[1], stored[0]}) {
		t.Errorf("Merged with nothing gives %v", got)
	}
	if got := len(Merged(nil, nil)); got != 0 {
		t.Errorf("nothing gives %d properties", got)
	}
	if !slices.Equal(given, kept[0]) || !slices.Equal(stored, kept[1]) {
		t.Error("the arguments were changed")
	}
}

func TestETag(t *testing.T) {
	tests := []struct{ name, timestamp, want string }{
		{"recorded", "2021-10-26T20:12:43.214455Z", `W/"datetime'2021-10-26T20%3A12%3A43.214455Z'"`},
		{"no fraction", "2021-10-26T20:12:43Z", `W/"datetime'2021-10-26T20%3A12%3A43Z'"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := ParseDateTime(tt.timestamp)
			if got := ETag(d); got != tt.want {
				t.Errorf("ETag(%s) = %s, want %s", tt.timestamp, got, tt.want)
			}
			if got, ok := ETagTime(tt.want); !ok || got != d {
				t.Errorf("ETagTime(%s) = %s, %v", tt.want, got, ok)
			}
			if got := (&Entity{Timestamp: d}).ETag(); got != tt.want || !CheckETag(got) {
				t.Errorf("the entity's tag is %s, want %s and a good one", got, tt.want)
			}
		})
	}
}

func TestETagTimeOfOtherTags(t *testing.T) {
	for _, tag := range []string{"", "*", `W/"1"`, `W/"datetime'"`, `W/"datetime'yesterday'"`} {
		if got, ok := ETagTime(tag); ok {
			t.Errorf("ETagTime(%q) = %s", tag, got)
		}
	}
}

func TestCosmosETag(t *testing.T) {
	for _, c := range []struct{ timestamp, cosmos, storage string }{
		{"2031-01-02T03:04:05Z", `W/"datetime'2031-01-02T03%3A04%3A05.0000000Z'"`, `W/"datetime'2031-01-02T03%3A04%3A05Z'"`},
		{"2031-01-02T03:04:05.06Z", `W/"datetime'2031-01-02T03%3A04%3A05.0600000Z'"`, `W/"datetime'2031-01-02T03%3A04%3A05.06Z'"`},
		{"2031-01-02T03:04:05.1234567Z", `W/"datetime'2031-01-02T03%3A04%3A05.1234567Z'"`, `W/"datetime'2031-01-02T03%3A04%3A05.1234567Z'"`},
	} {
		d, _ := ParseDateTime(c.timestamp)
		if got := CosmosETag(d); got != c.cosmos {
			t.Errorf("CosmosETag(%s) = %s, want %s", c.timestamp, got, c.cosmos)
		}
		if got := StorageETag(c.cosmos); got != c.storage {
			t.Errorf("StorageETag(%s) = %s, want %s", c.cosmos, got, c.storage)
		}
	}
	for _, tag := range []string{"", "*", `W/"datetime'"`, `W/"a"`, `W/"datetime'2031-01-02T03%3A04%3A05.06Z'"`, `W/"datetime'2031-01-02T03:04:05.0600000Z'"`} {
		if got := StorageETag(tag); got != tag {
			t.Errorf("StorageETag(%s) = %s, want it unchanged", tag, got)
		}
	}
}

func FuzzStorageETag(f *testing.F) {
	f.Add(int64(0))
	f.Add(int64(638_000_000_000_000_000))
	f.Fuzz(func(t *testing.T, ticks int64) {
		d := DateTime(ticks)
		if !d.InRange() {
			return
		}
		if got, want := StorageETag(CosmosETag(d)), ETag(d); got != want {
			t.Errorf("StorageETag(%s) = %s, want %s", CosmosETag(d), got, want)
		}
	})
}

func TestCheckETag(t *testing.T) {
	tests := []struct {
		name, tag string
		want      bool
	}{
		{"ours", `W/"datetime'2021-10-26T20%3A12%3A43.214455Z'"`, true},
		{"any text", `W/"wrong"`, true},
		{"doubled quotes", `W/"datetime''2013-01-01''"`, true},
		{"empty text", `W/""`, true},
		{"strong", `"0x2252C97588D4000"`, false},
		{"bare", "MalformedETag", false},
		{"star", "*", false},
		{"list", `W/"a", W/"b"`, false},
		{"open", `W/"a`, false},
		{"only the start", `W/"`, false},
		{"only the end", `a"`, false},
		{"lower case", `w/"a"`, false},
		{"text behind", `W/"a" `, false},
		{"empty", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := CheckETag(tt.tag); got != tt.want {
				t.Errorf("CheckETag(%s) = %t, want %t", tt.tag, got, tt.want)
			}
		})
	}
}
