// Package samples contains a store in the current format and its entities. Tests open
// it; TestWriteSample in package engine creates it. Every released format will keep its
// sample for ever.
package samples
