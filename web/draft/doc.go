// Package draft holds an entity while it is being edited: its properties as
// texts with types, what is wrong with them, and the entity that they make.
//
// A property whose text was not touched keeps the very value that was loaded:
// a field on a page cannot hold every string (it loses carriage returns), and
// saving one property must not change another.
package draft
