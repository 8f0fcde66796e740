// Command growth measures what grows with a store: what the engine over a file
// storage costs with ten thousand entities, a million, and more, and with
// tables of unusual shape. Costs that should be flat are printed with their
// ratio to the smallest store: make bench-growth.
package main
