//go:build unix

// Command browsertest runs a Go test compiled for js/wasm in a browser that
// nobody sees. It is made for the -exec flag of go test:
//
//	go build -o bin/browsertest ./wasm/browsertest
//	GOOS=js GOARCH=wasm go test -exec "$PWD/bin/browsertest" ./engine/...
//
// It serves the test and a page on a free port of the loopback interface,
// opens the page in a browser with a profile of its own, prints what the test
// prints and exits with its code. The flags of the test (-test.run and so on)
// pass through. BROWSER says in which browser: chromium (the default), firefox
// or webkit, which is MiniBrowser of WebKitGTK on a screen of Xvfb. CHROME and
// FIREFOX may have the path of one that is not where Debian has it.
//
// A test in the browser has no files: what it needs it embeds.
package main
