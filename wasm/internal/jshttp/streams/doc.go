// Command streams is a service worker program with streamed answers for
// e2e/app/streams.test.mjs, which tests the worker's script, package jshttp and the
// browser together.
package main
