//go:build !js

package main

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestPackagingFlags: the program accepts the commands in the image and in the unit.
func TestPackagingFlags(t *testing.T) {
	for _, c := range []struct{ file, find string }{
		{"Containerfile", `CMD \[(.*)\]\n*$`},
		{"sandtable.service", `ExecStart=/usr/local/bin/sandtable (.*) \$SANDTABLE_FLAGS`},
		{"Containerfile", `HEALTHCHECK.*CMD \["/sandtable", (.*)\]`},
	} {
		text, err := os.ReadFile("../../../packaging/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(c.find).FindSubmatch(text)
		if found == nil {
			t.Fatalf("%s has no %s", c.file, c.find)
		}
		args := strings.FieldsFunc(string(found[1]), func(r rune) bool { return strings.ContainsRune(`", `, r) })
		var stderr strings.Builder
		if code := run(t.Context(), append(args, "-h"), io.Discard, &stderr); code != exitSuccess {
			t.Errorf("%s: %q: %s", c.file, args, stderr.String())
		}
	}
}
