// Package lesson has the lessons of the classroom: a text, code to complete, and
// checks that say what is still missing.
//
// A check looks at a [Run], which is what really happened: the requests that the
// program sent and the tables afterwards. It never sees the code, so each way
// to a right answer passes. Runs start with the lesson's data and nothing else,
// which makes checks deterministic.
package lesson
