package odata

import (
	"strings"
	"testing"
)

func TestParseGuid(t *testing.T) {
	const text = "c9da6455-213d-42c9-9a79-3e9149a57833"
	tests := []struct {
		name, text string
		ok         bool
	}{
		{"lower case", text, true},
		{"upper case", strings.ToUpper(text), true},
		{"mixed case", "C9da6455-213D-42c9-9a79-3e9149A57833", true},
		{"zero", "00000000-0000-0000-0000-000000000000", true},
		{"empty", "", false},
		{"without dashes", strings.ReplaceAll(text, "-", ""), false},
		{"braces", "{" + text + "}", false},
		{"too short", text[:35], false},
		{"too long", text + "0", false},
		{"no digit", "g" + text[1:], false},
		{"dash for a digit", "-" + text[1:], false},
		{"digit for the first dash", text[:8] + "0" + text[9:], false},
		{"digit for the second dash", text[:13] + "0" + text[14:], false},
		{"digit for the third dash", text[:18] + "0" + text[19:], false},
		{"digit for the last dash", text[:23] + "0" + text[24:], false},
		{"blank behind", text[:35] + " ", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, ok := ParseGuid(tt.text)
			if ok != tt.ok {
				t.Fatalf("ParseGuid(%q) reports %t, want %t", tt.text, ok, tt.ok)
			}
			if got, want := g.String(), strings.ToLower(tt.text); ok && got != want {
				t.Errorf("ParseGuid(%q) prints as %s, want %s", tt.text, got, want)
			}
			if !ok && g != (Guid{}) {
				t.Errorf("ParseGuid(%q) refuses and still returns %s", tt.text, g)
			}
		})
	}
}

func TestGuidOrder(t *testing.T) {
	g, _ := ParseGuid("01020304-0506-0708-090a-0b0c0d0e0f10")
	for i, b := range g {
		if int(b) != i+1 {
			t.Fatalf("byte %d of the text's order is %d", i, b)
		}
	}
}

func FuzzParseGuid(f *testing.F) {
	f.Add("c9da6455-213d-42c9-9a79-3e9149a57833")
	f.Add("{c9da6455-213d-42c9-9a79-3e9149a57833}")
	f.Fuzz(func(t *testing.T, text string) {
		if g, ok := ParseGuid(text); ok && g.String() != strings.ToLower(text) {
			t.Errorf("ParseGuid(%q) prints as %s", text, g)
		}
	})
}
