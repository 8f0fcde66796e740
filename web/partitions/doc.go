// Package partitions is the page of a table's partitions: their sizes and their
// traffic in key order, what another partition key would change, and what the table
// costs a month.
package partitions
