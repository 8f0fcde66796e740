package assets

import "embed"

// Files holds css, js and img, which a program serves below /web/.
//
//go:embed css js img
var Files embed.FS
