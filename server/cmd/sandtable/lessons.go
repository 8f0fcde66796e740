//go:build !js

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"

	"sandtable/web/lesson"
)

const lessonsUsage = `usage: sandtable lessons check DIR
       sandtable lessons pack DIR FILE

check reads the lesson in a folder, or those in the folders in it, and prints one
line per problem. pack joins them into the one file that the page of lessons
fetches: ?page=lessons&from=URL
`

// runLessons checks or packs lessons. It runs no code: that needs a browser.
func runLessons(_ context.Context, args []string, stdout, stderr io.Writer) error {
	switch {
	case len(args) == 1 && isHelp(args[0]):
		fmt.Fprint(stderr, lessonsUsage)
		return flag.ErrHelp
	case len(args) == 2 && args[0] == "check":
		return checkLessons(args[1], stdout)
	case len(args) == 3 && args[0] == "pack":
		text, err := lesson.Pack(os.DirFS(args[1]))
		if err != nil {
			return fmt.Errorf("pack lessons %s: %w", args[1], err)
		}
		return os.WriteFile(args[2], text, 0o644)
	}
	return usageError{errors.New("usage: check DIR, or pack DIR FILE")}
}

func checkLessons(folder string, stdout io.Writer) error {
	fsys := os.DirFS(folder)
	names, err := lesson.Folders(fsys)
	if err != nil {
		return fmt.Errorf("check lessons %s: %w", folder, err)
	}
	found := 0
	for _, name := range names {
		files, err := lesson.Files(fsys, name)
		if err != nil {
			return fmt.Errorf("check lesson %s: %w", name, err)
		}
		whole, err := filepath.Abs(filepath.Join(folder, name))
		if err != nil {
			return fmt.Errorf("check lesson %s: %w", name, err)
		}
		for _, problem := range lesson.Validate(filepath.Base(whole), files) {
			problem.File = path.Join(filepath.ToSlash(folder), name, problem.File)
			fmt.Fprintln(stdout, oneLine(problem.String()))
			found++
		}
	}
	if found > 0 {
		return fmt.Errorf("problems found in lessons: %d", found)
	}
	fmt.Fprintf(stdout, "no problems found: lessons: %d\n", len(names))
	return nil
}
