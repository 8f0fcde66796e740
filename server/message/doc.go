// Package message has what a handler needs of HTTP and no more: a request, its
// header, and where the answer is written. The names are those of net/http,
// which is not imported: a worker that links it downloads a third more
// (docs/decisions/0009).
package message
