// Package bulk writes many entities in transactions, several at once, with
// progress, cancellation and a report that accounts for every row. Imports,
// clones, bulk edits and deletions of many rows are jobs of this package.
package bulk
