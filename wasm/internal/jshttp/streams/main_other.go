//go:build !js

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "this program is for browsers: build it with GOOS=js GOARCH=wasm")
	os.Exit(2)
}
