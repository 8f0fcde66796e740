// Package message contains what a handler needs of HTTP: a request, its header,
// and a writer for the answer. The names are those of net/http, which is not
// imported because it would make a worker's download a third larger
// (docs/decisions/0009).
package message
