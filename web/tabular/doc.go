// Package tabular reads entities from files that people have, and writes such
// files: CSV as Azure Storage Explorer writes it in all its variants, JSON and
// JSON Lines.
//
// The files are those of package rowfile, which copies them row by row. Here the
// whole file is in memory, so that it can be looked at before anything is written.
// [Open] reads a file into a [Source] of columns and rows. [Source.Plan] turns
// the rows into entities, by the types and the targets chosen for the columns,
// without writing anything: every row that cannot become an entity is a [Problem]
// that names its line. A [rowfile.Writer] does the reverse.
//
// # CSV
//
// A column X may be followed by X@type with the type of each cell, "Edm.Int32"
// or "Int32"; an empty type stands for the last one above it. An empty cell means that the
// entity lacks the property. A cell that is quoted and empty, or has the type String,
// is an empty string.
package tabular
