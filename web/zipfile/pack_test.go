package zipfile

import (
	"archive/zip"
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
)

func TestPackIsReadByOthers(t *testing.T) {
	tests := map[string][]File{
		"none":  nil,
		"empty": {{"a.txt", ""}},
		"some":  {{"project/index.mjs", "console.log(1);\n"}, {"project/README.md", "Ünïcödé 😀"}, {"long", strings.Repeat("x", 300_000)}},
	}
	for name, files := range tests {
		t.Run(name, func(t *testing.T) {
			packed := Pack(files)
			r, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
			if err != nil {
				t.Fatal(err)
			}
			var got []File
			for _, f := range r.File {
				content, err := f.Open()
				if err != nil {
					t.Fatal(err)
				}
				text, err := io.ReadAll(content) // compares the checksum
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, File{f.Name, string(text)})
			}
			if !slices.Equal(got, files) {
				t.Errorf("got %.100v, want %.100v", got, files)
			}
		})
	}
}
