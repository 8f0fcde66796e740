// Package linear checks that the native server is linearizable: that every
// answer to concurrent inserts, conditional updates, deletes, reads and entity
// group transactions fits one order of all operations, also while the server is
// killed and restarted. The checker is porcupine. "go test ./linear -for 10m
// -kills 100" runs longer than "make test" does.
package linear
