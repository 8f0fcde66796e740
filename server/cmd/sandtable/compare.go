//go:build !js

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"sandtable/server/scenario"
)

// errDiffer means that a comparison found differences.
var errDiffer = errors.New("the endpoints differ")

// runCompare sends the same requests to two endpoints and prints the differences
// between the responses. It creates and deletes its own tables with random names and
// uses no others. It changes service properties only with -properties, because an
// account has only one set of them.
func runCompare(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sandtable compare", flag.ContinueOnError)
	flags.SetOutput(stderr)
	a := flags.String("a", "UseDevelopmentStorage=true", "`connection string` of the first endpoint")
	b := flags.String("b", "", "`connection string` of the second endpoint, such as a real account")
	only := flags.String("run", "", "play only scenarios whose title contains this `text`, ignoring case")
	properties := flags.Bool("properties", false, "also play scenarios that overwrite the account's service properties and do not restore them")
	if err := parse(flags, args); err != nil {
		return err
	}
	first, err := scenario.Connect(*a)
	if err != nil {
		return fmt.Errorf("-a: %w", err)
	}
	second, err := scenario.Connect(*b)
	if err != nil {
		return fmt.Errorf("-b: %w", err)
	}
	all, err := scenario.All()
	if err != nil {
		return err
	}
	played, exchanges, differences := 0, 0, 0
	for _, s := range all {
		if !strings.Contains(strings.ToLower(s.Title), strings.ToLower(*only)) || s.ChangesProperties() && !*properties {
			continue
		}
		found, err := scenario.Compare(ctx, first, second, s)
		if err != nil {
			return err
		}
		for _, d := range found {
			fmt.Fprintln(stdout, harmless(d.String()))
		}
		played++
		exchanges += len(s.Exchanges)
		differences += len(found)
	}
	if played == 0 {
		return fmt.Errorf("-run: no scenario has %q in its title, of those that leave service properties alone; -properties plays all", *only)
	}
	fmt.Fprintf(stdout, "%d of %d exchanges are the same\n", exchanges-differences, exchanges)
	if differences > 0 {
		return errDiffer
	}
	return nil
}
