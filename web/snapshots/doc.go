// Package snapshots is the page of an account's snapshots: take, compare with
// now, restore, share as a file, delete.
package snapshots
