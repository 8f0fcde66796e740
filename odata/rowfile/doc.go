// Package rowfile reads and writes files of entities, one row at a time: CSV as
// Azure Storage Explorer writes it in all its variants, and JSON Lines. It holds one
// row in memory, whatever the size of the file.
//
// [Survey] reads a CSV file once to find the types of its columns; a [Reader] reads
// it again and turns each row into an entity. A row that cannot become one is a
// [RowError], which has its line, and the next row can still be read. A [Writer] does the reverse.
//
// # CSV
//
// A column X may be followed by X@type with the type of each cell, "Edm.Int32"
// or "Int32"; an empty type stands for the last one above it. An empty cell means that the
// entity lacks the property. A cell that is quoted and empty, or has the type String,
// is an empty string.
package rowfile
