package auth

import (
	"net/http"
	"testing"
)

func TestParseTime(t *testing.T) {
	for _, text := range []string{
		"Fri, 20 Nov 2026 21:00:00 GMT", "Friday, 20-Nov-26 21:00:00 GMT", "Fri Nov 20 21:00:00 2026",
		"", "2026-11-20T21:00:00Z", "Fri, 20 Nov 2026 21:00:00 CET", "Fri, 20 Nov 2026 25:00:00 GMT", "20 Nov 2026 21:00:00 GMT",
	} {
		got, err := parseTime(text)
		want, wantErr := http.ParseTime(text)
		if !got.Equal(want) || (err == nil) != (wantErr == nil) {
			t.Errorf("parseTime(%q) = %v, %v; net/http returns %v, %v", text, got, err, want, wantErr)
		}
	}
}

// TestNormalEscapes: other spellings of a path are signed as one, and broken escapes stay.
func TestNormalEscapes(t *testing.T) {
	for path, want := range map[string]string{
		"/t(%27%c3%a9%27)": "/t('%C3%A9')",
		"/%4a%4A%7e%7F":    "/JJ~%7F",
		"/a%2fb%2Fc":       "/a%2Fb%2Fc",
		"/%zz%2g%/%2":      "/%zz%2g%/%2",
		"/%41":             "/A",
		"/t('é|^{}')":      "/t('%C3%A9%7C%5E%7B%7D')",
	} {
		if got := normalEscapes(path); got != want {
			t.Errorf("normalEscapes(%q) = %q, want %q", path, got, want)
		}
	}
}
