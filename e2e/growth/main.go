package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

func main() {
	sizes := flag.String("sizes", "10000,100000,1000000", "entities of each store")
	shapes := flag.Bool("shapes", true, "measure tables of unusual shape, too")
	folder := flag.String("folder", "", "where the stores are made; default: the folder for temporary files")
	flag.Parse()
	if err := run(os.Stdout, *sizes, *shapes, *folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(w io.Writer, sizes string, shapes bool, folder string) error {
	fmt.Fprintf(w, "%s/%s, %d processors; writes are synced. In parentheses: over the store of the first line.\n\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	var plan []shape
	for _, text := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1000 {
			return fmt.Errorf("-sizes: %q is not a number of at least 1,000", text)
		}
		plan = append(plan, small(n))
	}
	if shapes {
		plan = append(plan, unusual()...)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "store\tload/entity\topen, read one\tpoint read\tpage of 500\tscan/entity\tinsert, 32 at once\tupdate, 32 at once\tupdate, p99.9\twritten/changed\theap/data\tfiles/data")
	var first figures
	for i, s := range plan {
		fmt.Fprintln(os.Stderr, "measuring", s.name)
		f, err := s.measure(folder)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if i == 0 {
			first = f
		}
		f.print(table, s.name, first)
	}
	return table.Flush()
}

// figures are the results of one store.
type figures struct {
	load, open, read, page, scan, insert, update float64 // seconds; load and scan per entity
	p999                                         float64 // seconds: one update of a thousand takes longer
	written                                      float64 // bytes of all writes per byte of updated entities
	heap, files                                  float64 // bytes per byte of blocks
}

func (f figures) print(w io.Writer, name string, first figures) {
	fmt.Fprint(w, name)
	for _, t := range [][2]float64{{f.load, first.load}, {f.open, first.open}, {f.read, first.read}, {f.page, first.page}, {f.scan, first.scan}, {f.insert, first.insert}, {f.update, first.update}} {
		fmt.Fprintf(w, "\t%s (%.2f)", duration(t[0]), t[0]/t[1])
	}
	fmt.Fprintf(w, "\t%s\t%.1f\t%.2f\t%.2f\n", duration(f.p999), f.written, f.heap, f.files)
}

func duration(seconds float64) string {
	switch {
	case seconds < 1e-6:
		return fmt.Sprintf("%.0f ns", seconds*1e9)
	case seconds < 1e-3:
		return fmt.Sprintf("%.2f us", seconds*1e6)
	}
	return fmt.Sprintf("%.2f ms", seconds*1e3)
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}
