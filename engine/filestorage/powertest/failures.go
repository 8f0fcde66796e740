package powertest

import (
	"hash/maphash"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// State is what a folder has after a failure: the texts of files by their
// paths, and folders, whose paths end in a slash.
type State map[string][]byte

var hashSeed = maphash.MakeSeed()

// Sum tells states apart, in one process.
func (s State) Sum() uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	for _, path := range slices.Sorted(maps.Keys(s)) {
		maphash.WriteComparable(&h, path)
		maphash.WriteComparable(&h, len(s[path]))
		_, _ = h.Write(s[path])
	}
	return h.Sum64()
}

// Write makes the state in a folder, which is made for it.
func (s State) Write(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(s)) { // a folder is before what is in it
		var err error
		if full := filepath.Join(folder, path); path[len(path)-1] == '/' {
			err = os.Mkdir(full, 0o700)
		} else {
			err = os.WriteFile(full, s[path], 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// state returns what there is on a disk of whose nodes this is shown.
func (d *Disk) state(show func(node) shown) State {
	s := make(State)
	s.add("", d.root, show)
	return s
}

// add adds what is in a folder.
func (s State) add(path string, f *folder, show func(node) shown) {
	for name, n := range show(f).names {
		if inner, isFolder := n.(*folder); isFolder {
			s[path+name+"/"] = nil
			s.add(path+name+"/", inner, show)
		} else {
			s[path+name] = show(n).text
		}
	}
}

// randomStates is how many states Failures makes at random.
const randomStates = 24

// Failures makes states that the power may leave if it fails now, some of them
// more than once. Those at random follow from the source. In the first nothing
// is there but what was synced.
func (d *Disk) Failures(random *rand.Rand) iter.Seq[State] {
	return func(yield func(State) bool) {
		for with, others := range choices(d.waiting(), random) {
			s := d.state(func(n node) shown {
				if v, is := with[n]; is {
					return v
				}
				return others(n)
			})
			if !yield(s) {
				return
			}
		}
	}
}

// choices returns what the disk may have of nodes of which something is not
// synced: of some of them that, and of the others what the function says.
func choices(nodes []node, random *rand.Rand) iter.Seq2[map[node]shown, func(node) shown] {
	return func(yield func(map[node]shown, func(node) shown) bool) {
		if !yield(nil, node.synced) || len(nodes) == 0 || !yield(nil, node.current) {
			return
		}
		all := combinations(nodes)
		for _, with := range all {
			if !yield(with, node.synced) {
				return
			}
		}
		for _, n := range nodes {
			if all != nil {
				break
			}
			for v := range variants(n) {
				with := map[node]shown{n: v}
				if !yield(with, node.synced) || len(nodes) > 1 && !yield(with, node.current) {
					return
				}
			}
		}
		for range randomStates {
			with := make(map[node]shown)
			for _, n := range nodes {
				with[n] = randomVariant(n, random)
			}
			if !yield(with, node.synced) {
				return
			}
		}
	}
}

// waiting returns all nodes of which something is not synced, in an order that
// is always the same.
func (d *Disk) waiting() (nodes []node) {
	seen := make(map[node]bool)
	var visit func(n node)
	visit = func(n node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if n.waits() {
			nodes = append(nodes, n)
		}
		f, ok := n.(*folder)
		if !ok {
			return
		}
		for _, names := range []map[string]node{f.disk, f.system} {
			for _, name := range slices.Sorted(maps.Keys(names)) {
				visit(names[name])
			}
		}
		for _, c := range f.changes {
			if c.target != nil {
				visit(c.target)
			}
		}
	}
	visit(d.root)
	return nodes
}

// fewStates is of how many states all are tried.
const fewStates = 64

// combinations returns all combinations of what a disk may have of nodes, nil if
// they are many.
func combinations(nodes []node) []map[node]shown {
	all := []map[node]shown{{}}
	for _, n := range nodes {
		var longer []map[node]shown
		for v := range variants(n) {
			if len(longer)+len(all) > fewStates {
				return nil
			}
			for _, with := range all {
				with = maps.Clone(with)
				with[n] = v
				longer = append(longer, with)
			}
		}
		all = longer
	}
	return all
}

// variants returns what a disk may have of a node, a selection.
func variants(n node) iter.Seq[shown] {
	if d, isFolder := n.(*folder); isFolder {
		return d.variants
	}
	return n.(*file).variants
}

func (d *folder) variants(yield func(shown) bool) {
	for kept := range selections(len(d.changes)) {
		if !yield(shown{names: d.with(kept)}) {
			return
		}
	}
}

func (f *file) variants(yield func(shown) bool) {
	given := make(map[uint64]bool)
	once := func(text []byte) bool {
		sum := maphash.Bytes(hashSeed, text)
		if given[sum] {
			return true
		}
		given[sum] = true
		return yield(shown{text: text})
	}
	for kept := range selections(len(f.changes)) {
		text := f.with(func(i int, text []byte) []byte {
			if !kept[i] {
				return text
			}
			return f.changes[i].on(text)
		})
		if !once(text) {
			return
		}
	}
	f.torn(once)
}

// with returns the names that a folder has with some of its changes.
func (d *folder) with(kept []bool) map[string]node {
	names := maps.Clone(d.disk)
	for i, c := range d.changes {
		if kept[i] {
			names = c.on(names)
		}
	}
	return names
}

// with returns the text that a file has if a function makes its changes.
func (f *file) with(make func(i int, text []byte) []byte) []byte {
	text := slices.Clone(f.disk)
	for i := range f.changes {
		text = make(i, text)
	}
	return text
}

// fewChanges is of how many changes all selections are tried.
const fewChanges = 5

// selections returns which of n changes are kept: each alone, each missing, all up
// to each. If they are few, all selections.
func selections(n int) iter.Seq[[]bool] {
	return func(yield func([]bool) bool) {
		kept := make([]bool, n)
		fill := func(f func(i int) bool) bool {
			for i := range kept {
				kept[i] = f(i)
			}
			return yield(kept)
		}
		if n <= fewChanges {
			for bits := range 1 << n {
				if !fill(func(i int) bool { return bits>>i&1 == 1 }) {
					return
				}
			}
			return
		}
		for _, at := range some(n) {
			if !fill(func(i int) bool { return i < at }) || !fill(func(i int) bool { return i == at }) || !fill(func(i int) bool { return i != at }) {
				return
			}
		}
	}
}

// manyPlaces is how many of many places are tried.
const manyPlaces = 24

// some returns the numbers below n, or so many of them.
func some(n int) (numbers []int) {
	if n <= manyPlaces {
		for i := range n {
			numbers = append(numbers, i)
		}
		return numbers
	}
	for i := range manyPlaces {
		numbers = append(numbers, i*(n-1)/(manyPlaces-1))
	}
	return append(numbers, 1, n-2)
}

const sectorSize = 512

// sectors are the parts of a write that a disk may have one without another.
func (c change) sectors() (parts []change) {
	for offset, text := c.offset, c.text; len(text) > 0; {
		n := min(int64(len(text)), sectorSize-offset%sectorSize)
		parts = append(parts, change{offset: offset, text: text[:n]})
		offset, text = offset+n, text[n:]
	}
	return parts
}

// torn tears the last write in all ways that are tried, with what was before it
// and without.
func (f *file) torn(yield func([]byte) bool) {
	last := len(f.changes) - 1
	if last < 0 || f.changes[last].resizes {
		return
	}
	c := f.changes[last]
	parts := c.sectors()
	for _, before := range []bool{true, false} {
		give := func(sized bool, kept func(part int) bool) bool {
			return yield(f.with(func(i int, text []byte) []byte {
				switch {
				case i < last && before:
					return f.changes[i].on(text)
				case i < last:
					return text
				case sized:
					text = c.sized(text)
				}
				for part := range parts {
					if kept(part) {
						text = parts[part].on(text)
					}
				}
				return text
			}))
		}
		for _, at := range some(len(parts)) {
			for _, sized := range []bool{false, true} {
				if !give(sized, func(i int) bool { return i < at }) || !give(sized, func(i int) bool { return i >= at }) ||
					!give(sized, func(i int) bool { return i == at }) || !give(sized, func(i int) bool { return i != at }) {
					return
				}
			}
		}
		if last == 0 {
			return
		}
	}
}

// randomVariant keeps any of the changes, and any sectors of any writes.
func randomVariant(n node, random *rand.Rand) shown {
	share := random.Float64()
	keep := func() bool { return random.Float64() < share }
	if d, ok := n.(*folder); ok {
		kept := make([]bool, len(d.changes))
		for i := range kept {
			kept[i] = keep()
		}
		return shown{names: d.with(kept)}
	}
	f := n.(*file)
	return shown{text: f.with(func(i int, text []byte) []byte {
		c := f.changes[i]
		switch {
		case random.IntN(2) == 0: // all of it or nothing
			if keep() {
				return c.on(text)
			}
			return text
		case c.resizes:
			return text
		}
		if keep() {
			text = c.sized(text)
		}
		for _, part := range c.sectors() {
			if keep() {
				text = part.on(text)
			}
		}
		return text
	})}
}
