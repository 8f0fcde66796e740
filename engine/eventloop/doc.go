// Package eventloop lets pending JavaScript events run, for js/wasm.
//
// A Go program shares its only thread with the JavaScript event loop and returns
// to it only when every goroutine is blocked. A Go timer would achieve that, but
// browsers delay nested timers by four milliseconds. A message that the program
// posts to itself is delivered without delay.
//
// Source: "HTML Living Standard", 8.1.7 Event loops and 8.7 Timers,
// https://html.spec.whatwg.org/multipage/webappapis.html#event-loops.
package eventloop
