// Package eventloop gives the events of JavaScript a turn, for js/wasm.
//
// A Go program has one thread there, which is also its host's: while any
// goroutine can go on, no event is heard, whatever the others do. Only when all
// of them wait does the program return to the event loop. A timer of Go's would
// do for that, but browsers have one that follows another wait for four
// milliseconds; a message to oneself comes next.
//
// Source: "HTML Living Standard", 8.1.7 Event loops and 8.7 Timers,
// https://html.spec.whatwg.org/multipage/webappapis.html#event-loops.
package eventloop
