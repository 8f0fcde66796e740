//go:build unix

// Command browsertest runs a Go test compiled for js/wasm in a headless browser, as
// the -exec flag of go test:
//
//	go build -o bin/browsertest ./wasm/browsertest
//	GOOS=js GOARCH=wasm go test -exec "$PWD/bin/browsertest" ./engine/...
//
// It serves the test and a page on a free port of the loopback interface,
// opens the page in a browser with a new profile, prints the test's output and exits
// with its code. The test's flags (-test.run and so on) pass through. BROWSER selects
// the browser: chromium (the default), firefox or webkit, which is WebKitGTK's
// MiniBrowser on a screen of Xvfb. CHROME and FIREFOX may contain the path of a
// browser that is not where Debian installs it.
//
// A test in the browser has no files: what it needs it embeds.
package main
