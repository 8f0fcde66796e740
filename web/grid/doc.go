// Package grid says how entities are shown in rows and columns: which columns
// there are, how wide, what a cell says, and which rows have to be drawn for a
// part of a long list. It draws nothing itself.
package grid
