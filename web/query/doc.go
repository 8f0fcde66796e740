// Package query is what the query bar knows about $filter: its words for
// highlighting and completion, the clauses of the builder and how they are
// written, what is wrong with a text and what was probably meant, and why a
// query returned nothing. The filter itself is parsed by odata/filter.
package query
