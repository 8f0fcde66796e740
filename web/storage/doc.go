// Package storage is the page about the store: where the data is, how safe it
// is there, and whether it is intact.
package storage
