package message_test

import (
	"net/textproto"
	"strings"
	"testing"

	"sandtable/server/message"
)

func TestCanonicalName(t *testing.T) {
	for _, name := range []string{"", "x-ms-date", "X-Ms-Date", "content-TYPE", "ETag", "a", "-", "x--y", "DataServiceVersion", "1-a2b-3C", strings.Repeat("long-", 30)} {
		if got, want := message.CanonicalName(name), textproto.CanonicalMIMEHeaderKey(name); got != want {
			t.Errorf("CanonicalName(%q) = %q, net/textproto returns %q", name, got, want)
		}
	}
}

func TestHeaderFieldsAreFoundInAnyCase(t *testing.T) {
	h := message.Header{}
	h.Set("x-ms-version", "2019-02-02")
	h["X-Ms-Version"] = append(h["X-Ms-Version"], "2020-12-06")
	if got := h.Get("X-mS-vErsion"); got != "2019-02-02, 2020-12-06" {
		t.Errorf("Get = %q, want both values, as fetch joins them", got)
	}
	if got := h.Values("x-ms-version"); len(got) != 2 {
		t.Errorf("Values = %q, want both", got)
	}
}

func TestHeaderLookUpTakesNoMemory(t *testing.T) {
	h := message.Header{"X-Ms-Version": {"2019-02-02"}}
	n := testing.AllocsPerRun(100, func() {
		if h.Get("x-ms-version") == "" || h.Get("X-Ms-Version") == "" || message.CanonicalName("x-ms-version") == "" {
			t.Error("not found")
		}
	})
	if n > 0 {
		t.Errorf("%v allocations", n)
	}
}
