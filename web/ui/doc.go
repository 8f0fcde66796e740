// Package ui holds the pieces that pages are made of: buttons, notes, empty
// states, the grid, fields. Each is a function from what it shows to elements;
// none fetches anything, and only [Rows] has a state of its own, for speed. The
// gallery shows them all.
//
// Two traps of go-app decide how handlers are given to them. An element keeps
// the handler it had as long as the new one is the same function, whatever that
// function has captured: so handlers capture nothing that changes and learn
// what they are about from the event (see [Data]). And an input whose value
// becomes "" keeps the old text: so inputs that the program empties stand in a
// [Keyed] with a new key.
package ui
