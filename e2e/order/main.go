// Order checks that the files of each package can be read from the top down, each before
// those that it uses. It looks for the order in which the fewest references point up, and
// fails for packages in which more than 8 % of them do.
//
//	order FOLDER PACKAGES...
package main

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// Up to mostUp percent of a package's references may point up, or fewUp of them, which in
// a small package can be more.
const (
	mostUp = 8
	fewUp  = 3
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: order FOLDER PACKAGES...")
		os.Exit(2)
	}
	list, err := packages.Load(&packages.Config{
		Dir:  os.Args[1],
		Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports,
	}, os.Args[2:]...)
	if err != nil {
		fmt.Fprintln(os.Stderr, "order:", err)
		os.Exit(2)
	}
	bad := packages.PrintErrors(list) > 0
	for _, p := range list {
		references := referencesOf(p)
		all := 0
		for _, n := range references {
			all += n
		}
		order := ordered(references)
		up := upward(references, order)
		if up <= fewUp || up*100 <= all*mostUp {
			continue
		}
		bad = true
		fmt.Printf("%s: %d of %d references between files point up in the best order, which is %v\n", p.PkgPath, up, all, order)
		for _, r := range pairs(references) {
			if slices.Index(order, r.from) > slices.Index(order, r.to) {
				fmt.Printf("\t%d from %s to %s\n", references[r], r.from, r.to)
			}
		}
	}
	if bad {
		os.Exit(1)
	}
}

// pair is a file that refers to another one.
type pair struct{ from, to string }

// referencesOf counts the uses of functions, methods, types, constants and variables
// of the package from other files. Fields do not count: a struct is one thing.
func referencesOf(p *packages.Package) map[pair]int {
	references := map[pair]int{}
	for id, used := range p.TypesInfo.Uses {
		_, method := used.(*types.Func)
		if used.Pkg() != p.Types || !method && used.Parent() != p.Types.Scope() {
			continue
		}
		file := func(at token.Pos) string { return filepath.Base(p.Fset.Position(at).Filename) }
		if r := (pair{file(id.Pos()), file(used.Pos())}); r.from != r.to {
			references[r]++
		}
	}
	return references
}

func pairs(references map[pair]int) []pair {
	return slices.SortedFunc(maps.Keys(references), func(a, b pair) int {
		return cmp.Or(references[b]-references[a], cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
}

// ordered returns the files from the top down. It moves single files for as long as
// fewer references point up.
func ordered(references map[pair]int) (order []string) {
	for _, r := range pairs(references) {
		for _, file := range []string{r.from, r.to} {
			if !slices.Contains(order, file) {
				order = append(order, file)
			}
		}
	}
	best := upward(references, order)
	for again := true; again; {
		again = false
		for from := range order {
			for to := range order {
				moved := slices.Insert(slices.Delete(slices.Clone(order), from, from+1), to, order[from])
				if n := upward(references, moved); n < best {
					order, best, again = moved, n, true
				}
			}
		}
	}
	return order
}

// upward counts the references to files that come before.
func upward(references map[pair]int, order []string) (n int) {
	at := map[string]int{}
	for i, file := range order {
		at[file] = i
	}
	for r, count := range references {
		if at[r.from] > at[r.to] {
			n += count
		}
	}
	return n
}
