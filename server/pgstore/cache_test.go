package pgstore

import (
	"strings"
	"testing"
	"time"
	"unsafe"

	"sandtable/engine"
)

// TestCacheKeepsNoRequests: the name of an account is a part of a request's line, which
// anybody can make long. The cache must not keep the line in memory.
func TestCacheKeepsNoRequests(t *testing.T) {
	c := cache{age: time.Minute}
	line := "/first1/" + strings.Repeat("x", 60_000)
	name := line[1:7]
	if _, err := cached(&c, &c.accounts, name, func() (engine.Account, error) { return engine.Account{}, engine.ErrAccountNotFound }); err != engine.ErrAccountNotFound {
		t.Fatal(err)
	}
	for key := range c.accounts {
		if key != name || unsafe.StringData(key) == unsafe.StringData(name) {
			t.Errorf("the key %q keeps %d bytes in memory", key, len(line))
		}
	}
}
