// Package samples contains a store in the current format and its entities. Tests open
// it; TestWriteSample in package engine creates it. The sample of every released format
// is kept forever.
package samples
