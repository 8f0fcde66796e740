// Command browsertest runs a Go test compiled for js/wasm in a headless
// Chromium. It is made for the -exec flag of go test:
//
//	go build -o bin/browsertest ./wasm/browsertest
//	GOOS=js GOARCH=wasm go test -exec "$PWD/bin/browsertest" ./engine/...
//
// It serves the test and a page on a free port of the loopback interface,
// opens the page in a browser with a profile of its own, prints what the test
// prints and exits with its code. The flags of the test (-test.run and so on)
// pass through. The browser is the one that CHROME names, or the first of
// chromium, chromium-browser and google-chrome that is installed.
//
// A test in the browser has no files: what it needs it embeds.
package main
