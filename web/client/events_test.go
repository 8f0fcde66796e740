package client

import "testing"

func TestChangesOf(t *testing.T) {
	got := ChangesOf([]Event{
		{"request", []byte(`{"id":1}`)},
		{"change", []byte(`{"kind":"inserted","account":"a","table":"T","partitionKey":"p","rowKey":"r"}`)},
		{"change", []byte(`{`)},
		{"lost", []byte(`{}`)},
	})
	if len(got) != 2 || got[0] != (Change{"inserted", "a", "T", "p", "r"}) || got[1].Kind != "lost" {
		t.Errorf("%+v", got)
	}
}
