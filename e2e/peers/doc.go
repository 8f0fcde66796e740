// Command peers compares the native server with Azurite, the emulator that people
// use today: the same requests from the same client, alternating in one run on
// one machine, and what each server loses after a SIGKILL.
//
// It then measures Sandtable over a net/http server that answers the same bytes
// and stores nothing: what is left to gain. With -postgresql it measures servers on
// one PostgreSQL instead: make bench-postgresql.
//
// It is a benchmark, not a test: a missed promise is printed and does not change
// the exit status, which is 1 only if a server returns an unexpected response. It
// needs the Azurite of this folder's package-lock.json: make bench-peers.
package main
