// Package entities is the page of a table: the query bar, the grid with what
// the query returned, and what the query read.
package entities
