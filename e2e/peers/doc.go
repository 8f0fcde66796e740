// Command peers measures the native server beside Azurite, the emulator that
// people use today: the same machine, the same run, the same requests from
// the same client, in turns; and what each has lost after a SIGKILL.
//
// It is a measurement and no test: a missed promise is printed, and the exit
// status is 0. It is 1 if a server answers something else than asked for. It
// needs Azurite of this folder's package-lock.json: make bench-peers.
package main
