// Package nethttp connects a [sandtable/server/message.Handler] to a net/http
// server, and protects it from the network: slow bodies, names of other machines
// (DNS rebinding), forged forwarding headers and too many connections.
package nethttp
