//go:build !js

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/andybalholm/brotli"
)

// The suffixes of a packed file's names.
const (
	brotliSuffix = ".br"
	gzipSuffix   = ".gz"
)

// The qualities of brotli: the fast one takes a second or two for all files, the
// best one a minute, for an eighth less.
const (
	fastBrotli = 6
	bestBrotli = brotli.BestCompression
)

// compressible are the extensions of text and programs.
var compressible = map[string]bool{
	".css": true, ".html": true, ".js": true, ".json": true, ".md": true, ".mjs": true,
	".svg": true, ".txt": true, ".wasm": true, ".webmanifest": true,
}

// pack returns the site as bin/sandtable embeds it. A file that gets smaller is
// stored in brotli and in gzip only: a client that accepts neither gets the gzip
// form unpacked. Files that previous, the result of an earlier build, already
// contains are taken from there.
func (s site) pack(previous fs.FS, quality int) (site, error) {
	packed := site{}
	for name, content := range s {
		if !compressible[path.Ext(name)] {
			packed[name] = content
			continue
		}
		inBrotli, inGzip, ok := packedBefore(previous, name, content)
		if !ok {
			var err error
			if inBrotli, inGzip, err = compress(content, quality); err != nil {
				return nil, fmt.Errorf("pack %s: %w", name, err)
			}
		}
		if len(inGzip) >= len(content) || len(inBrotli) >= len(content) {
			packed[name] = content
			continue
		}
		packed[name+brotliSuffix], packed[name+gzipSuffix] = inBrotli, inGzip
	}
	return packed, nil
}

func compress(content []byte, quality int) (inBrotli, inGzip []byte, err error) {
	var b, g bytes.Buffer
	w := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: quality, LGWin: 24})
	if _, err = w.Write(content); err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, nil, err
	}
	z := gzip.NewWriter(&g)
	if _, err = z.Write(content); err == nil {
		err = z.Close()
	}
	return b.Bytes(), g.Bytes(), err
}

// packedBefore returns the packed forms of an earlier build if they have the same
// content. Unpacking both to compare takes a hundredth of the time of packing.
func packedBefore(previous fs.FS, name string, content []byte) (inBrotli, inGzip []byte, ok bool) {
	inBrotli, err := fs.ReadFile(previous, name+brotliSuffix)
	if err != nil {
		return nil, nil, false
	}
	if inGzip, err = fs.ReadFile(previous, name+gzipSuffix); err != nil {
		return nil, nil, false
	}
	z, err := gzip.NewReader(bytes.NewReader(inGzip))
	if err != nil || !unpacksTo(content, z) || !unpacksTo(content, brotli.NewReader(bytes.NewReader(inBrotli))) {
		return nil, nil, false
	}
	return inBrotli, inGzip, true
}

func unpacksTo(content []byte, r io.Reader) bool {
	unpacked, err := io.ReadAll(io.LimitReader(r, int64(len(content))+1))
	return err == nil && bytes.Equal(unpacked, content)
}
