package scenario

import (
	"errors"
	"testing"

	"sandtable/odata/connection"
)

func TestConnect(t *testing.T) {
	e, err := Connect("AccountName=abc;AccountKey=a2V5;TableEndpoint=http://localhost:1/abc/;")
	if err != nil || e.URL != "http://localhost:1/abc" || e.Account != "abc" || string(e.Key) != "key" {
		t.Errorf("got %+v, %v", e, err)
	}
	for text, want := range map[string]error{"AccountName=abc": connection.ErrNoCredentials, "AccountName=abc;SharedAccessSignature=sig=x": ErrKeyNeeded} {
		if _, err := Connect(text); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", text, err, want)
		}
	}
}
