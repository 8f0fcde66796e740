//go:build !js

package main

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// patterns returns the names and patterns of -tables.
func (f *copyFlags) patterns() (all []string) {
	if f.tables == "" {
		return nil
	}
	for pattern := range strings.SplitSeq(f.tables, ",") {
		all = append(all, strings.TrimSpace(pattern))
	}
	return all
}

// matches reports whether a table has a name, or one of a pattern, ignoring case.
func matches(pattern, name string) bool {
	ok, _ := path.Match(strings.ToLower(pattern), strings.ToLower(name))
	return ok
}

// selected reports whether -tables names a table. The exact name of one selects no other
// that differs in case.
func (f *copyFlags) selected(name string) bool {
	return f.tables == "" || slices.ContainsFunc(f.patterns(), func(pattern string) bool {
		return pattern == name || matches(pattern, name) && !slices.Contains(f.listed, pattern)
	})
}

// checkTables refuses names and patterns of -tables that match nothing, which are
// probably misspelled. A new file gets the table that they select, unless -table names
// one.
func (f *copyFlags) checkTables(ctx context.Context, from *place, to string) error {
	if f.tables == "" {
		return nil
	}
	names, err := from.source.Tables(ctx)
	if err != nil {
		return err
	}
	f.listed = names
	var missing []string
	for _, pattern := range f.patterns() {
		if !slices.ContainsFunc(names, func(name string) bool { return matches(pattern, name) }) {
			missing = append(missing, strconv.Quote(pattern))
		}
	}
	if missing != nil {
		return fmt.Errorf("-tables: no table in FROM matches %s", strings.Join(missing, ", "))
	}
	if f.table != "" || !isTableFile(to, "") {
		return nil
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !f.selected(name) })
	if len(names) > 1 {
		return usageError{fmt.Errorf("-tables selects %d tables, and a CSV or JSON Lines file has one: name it with -table", len(names))}
	}
	f.table = names[0]
	return nil
}

// takesPart reports whether a table is copied.
func (f *copyFlags) takesPart(to *place) func(string) bool {
	if to.file == nil {
		return f.selected
	}
	return func(name string) bool { return f.selected(name) && strings.EqualFold(name, to.file.Table) }
}
