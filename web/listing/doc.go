// Package listing holds the rows that a query has returned, page by page. A
// table can have a million rows, so pages that were not used for long are
// forgotten, and read again by their continuation token when they come into
// view. It reads nothing itself.
package listing
