package main

import (
	"runtime"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web"
)

// ballastSize is how far the heap may grow beyond twice its live size before a
// collection, each of which holds up a frame: the page keeps a few MiB. The ballast is
// never written, so it takes addresses and no memory. A memory limit instead (the page
// had one of 96 MiB) made the import of a large file three times slower.
const ballastSize = 32 << 20

func main() {
	ballast := make([]byte, ballastSize)
	web.Routes()
	app.RunWhenOnBrowser()
	runtime.KeepAlive(ballast)
}
