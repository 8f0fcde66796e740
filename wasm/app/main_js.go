package main

import (
	"runtime/debug"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web"
)

func main() {
	// A collection holds up the frame in which it happens. The page keeps a few MiB, so
	// collecting a quarter as often costs 20 MiB at most; where it keeps more, the
	// limit makes up for that.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(96 << 20)
	web.Routes()
	app.RunWhenOnBrowser()
}
