// Command streams is a program of a service worker whose answers are streamed,
// for e2e/app/streams.test.mjs alone: it shows in a real browser what the
// worker's script, package jshttp and the browser do together.
package main
