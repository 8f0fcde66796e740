// Package pagetest runs a page without a browser: with a session that notes
// what the page asks of the shell, and an endpoint in memory.
package pagetest
