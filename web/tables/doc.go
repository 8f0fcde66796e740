// Package tables is the page of an account: its tables.
package tables
