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
