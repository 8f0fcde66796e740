package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// weight is the size of a package's functions, in bytes.
type weight struct {
	name string
	size int
}

// What is of no package.
const (
	generated = "(made by the compiler for types)"
	assembly  = "(entry points)"
)

// weigh adds up functions package by package, the largest first. The main
// package is "main".
func weigh(functions []function, packages []string) []weight {
	known := map[string]string{"main": "main"}
	for _, path := range packages {
		known[symbolPrefix(path)] = path
	}
	sizes := map[string]int{}
	for _, f := range functions {
		sizes[packageOf(f.name, known)] += f.size
	}
	weights := make([]weight, 0, len(sizes))
	for name, size := range sizes {
		weights = append(weights, weight{name, size})
	}
	slices.SortFunc(weights, func(a, b weight) int {
		return cmp.Or(cmp.Compare(b.size, a.size), cmp.Compare(a.name, b.name))
	})
	return weights
}

// packageOf finds the package of a function by the longest path that its name
// begins with.
func packageOf(name string, known map[string]string) string {
	if strings.HasPrefix(name, "type_.") || strings.HasPrefix(name, "go_.") {
		return generated
	}
	for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], '.') {
		if path, ok := known[name[:end]]; ok {
			return path
		}
	}
	return assembly
}

// otherCharacters are those that the linker replaces in the names that it
// writes into WebAssembly.
//
// Source: cmd/link/internal/wasm, nameRegexp.
var otherCharacters = regexp.MustCompile(`[^\w.]`)

// symbolPrefix returns how the names of a package's functions begin, up to the
// dot: a dot in the last element of the path is written as %2e before.
func symbolPrefix(path string) string {
	folder, last := path[:strings.LastIndexByte(path, '/')+1], path[strings.LastIndexByte(path, '/')+1:]
	return otherCharacters.ReplaceAllString(folder+strings.ReplaceAll(last, ".", "%2e"), "_")
}
