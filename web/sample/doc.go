// Package sample generates the data sets that a new user can load. They are the same
// each time and show what partitions do: some are large, some small.
package sample
