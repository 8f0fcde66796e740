// Package samples has stores as programs of the past wrote them, one for each
// version of the format. They are opened by tests for ever, and never written
// again; see TestWriteSample of the engine for how one is made.
package samples

import "embed"

// Files are the samples, "format-1.json" and so on: the directory of a store
// and its blocks, as encoding/json writes the engine's types.
//
//go:embed format-*.json
var Files embed.FS
