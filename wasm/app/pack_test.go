//go:build !js

package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/andybalholm/brotli"
)

func unpacked(t *testing.T, r io.Reader, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func pack(t *testing.T, s site, previous fstest.MapFS) site {
	t.Helper()
	packed, err := s.pack(previous, fastBrotli)
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

func TestPack(t *testing.T) {
	text := strings.Repeat("a line of text\n", 100)
	packed := pack(t, site{"app.js": []byte(text), "web/app.wasm": []byte(text), "small.css": []byte("p{}"), "icon.png": []byte(text), ".nojekyll": nil}, nil)
	want := []string{".nojekyll", "app.js.br", "app.js.gz", "icon.png", "small.css", "web/app.wasm.br", "web/app.wasm.gz"}
	if got := slices.Sorted(maps.Keys(packed)); !slices.Equal(got, want) {
		t.Errorf("packed as %q, want %q", got, want)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed["app.js.gz"]))
	if got := unpacked(t, z, err); got != text {
		t.Errorf("gzip has %q", got)
	}
	if got := unpacked(t, brotli.NewReader(bytes.NewReader(packed["app.js.br"])), nil); got != text {
		t.Errorf("brotli has %q", got)
	}
}

// TestPackTakesWhatIsPackedAlready offers forms that our packer would not produce, so
// that reuse is visible in the output.
func TestPackTakesWhatIsPackedAlready(t *testing.T) {
	text := strings.Repeat("a line of text\n", 100)
	var inGzip, inBrotli bytes.Buffer
	z, err := gzip.NewWriterLevel(&inGzip, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	b := brotli.NewWriterLevel(&inBrotli, brotli.BestSpeed)
	for _, w := range []io.WriteCloser{z, b} {
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	fresh := pack(t, site{"app.js": []byte(text)}, nil)
	if bytes.Equal(fresh["app.js.gz"], inGzip.Bytes()) || bytes.Equal(fresh["app.js.br"], inBrotli.Bytes()) {
		t.Fatal("the forms are indistinguishable")
	}
	tests := []struct {
		name     string
		content  string
		previous fstest.MapFS
		taken    bool
	}{
		{"the same content", text, fstest.MapFS{"app.js.br": {Data: inBrotli.Bytes()}, "app.js.gz": {Data: inGzip.Bytes()}}, true},
		{"another content", text + text, fstest.MapFS{"app.js.br": {Data: inBrotli.Bytes()}, "app.js.gz": {Data: inGzip.Bytes()}}, false},
		{"content that ends earlier", text[:len(text)-15], fstest.MapFS{"app.js.br": {Data: inBrotli.Bytes()}, "app.js.gz": {Data: inGzip.Bytes()}}, false},
		{"one form is missing", text, fstest.MapFS{"app.js.gz": {Data: inGzip.Bytes()}}, false},
		{"one form is corrupt", text, fstest.MapFS{"app.js.br": {Data: []byte("no brotli")}, "app.js.gz": {Data: inGzip.Bytes()}}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			packed := pack(t, site{"app.js": []byte(test.content)}, test.previous)
			taken := bytes.Equal(packed["app.js.gz"], inGzip.Bytes()) && bytes.Equal(packed["app.js.br"], inBrotli.Bytes())
			if taken != test.taken {
				t.Errorf("taken: %v", taken)
			}
			z, err := gzip.NewReader(bytes.NewReader(packed["app.js.gz"]))
			if got := unpacked(t, z, err); got != test.content {
				t.Errorf("gzip has %d bytes", len(got))
			}
			if got := unpacked(t, brotli.NewReader(bytes.NewReader(packed["app.js.br"])), nil); got != test.content {
				t.Errorf("brotli has %d bytes", len(got))
			}
		})
	}
}
