package control

import (
	"slices"
	"testing"
)

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
