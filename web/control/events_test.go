package control

import (
	"fmt"
	"slices"
	"testing"
)

func TestRequestsOf(t *testing.T) {
	got := RequestsOf([]Event{{"start", []byte(`{}`)}, {"request", []byte(`{"id":1}`)}, {"change", []byte(`{"id":2}`)}, {"request", []byte(`{`)}, {"request", []byte(`{"id":3}`)}})
	if want := []Recorded{{ID: 1}, {ID: 3}}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestChangesOf(t *testing.T) {
	got := ChangesOf([]Event{
		{"request", []byte(`{"id":1}`)},
		{"change", []byte(`{"kind":"inserted","account":"a","table":"T","partitionKey":"p","rowKey":"r"}`)},
		{"change", []byte(`{"kind":"updated","account":"a","table":"T","partitionKey":"p","rowKeys":["r","s"]}`)},
		{"change", []byte(`{`)},
		{"lost", []byte(`{}`)},
	})
	want := []Change{{"inserted", "a", "T", "p", "r"}, {"updated", "a", "T", "p", "r"}, {"updated", "a", "T", "p", "s"}, {Kind: "lost"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestOperationsAreCounted also where a key looks like one.
func TestOperationsAreCounted(t *testing.T) {
	for list, want := range map[string]MemberCount{
		`[]`: 0,
		`[{"operation":"Insert Entity","rowKey":"1"},{"operation":"Delete Entity","rowKey":"2"}]`: 2,
		`[{"operation":"Insert Entity","rowKey":"\"operation\":"}]`:                               1,
	} {
		events := []Event{{Kind: "request", Data: []byte(`{"id":1,"operations":` + list + `}`)}}
		if got := RequestsOf(events); len(got) != 1 || got[0].Operations != want {
			t.Errorf("%s: %+v, want %d", list, got, want)
		}
	}
}
