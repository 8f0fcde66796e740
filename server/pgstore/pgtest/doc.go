// Package pgtest starts PostgreSQL for tests, from the programs that Debian's
// package postgresql installs. Where they are missing, a test that needs them is
// skipped, or fails if $SANDTABLE_POSTGRESQL is "required", as in make test.
package pgtest
