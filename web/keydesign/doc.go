// Package keydesign computes what a choice of partition keys means: the traffic of
// each partition, what another key would change, and what a table costs a month. It
// draws nothing.
package keydesign
