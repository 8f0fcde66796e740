package main

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web"
)

func main() {
	web.Routes()
	app.RunWhenOnBrowser()
}
