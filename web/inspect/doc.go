// Package inspect decodes recorded requests for people: the [Call] behind an
// address, the operations of a batch, a filter as a tree, what each header means,
// why a request was refused and what to do about it.
//
// It only reads: it sends nothing and knows no component.
package inspect
