// Package nethttp lets a handler of package message answer the requests of a
// server of net/http. No worker links it.
package nethttp
