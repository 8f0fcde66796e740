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

// State is what a folder holds after a failure: the contents of files by path,
// and folders, whose paths end in a slash.
type State map[string][]byte

var hashSeed = maphash.MakeSeed()

// Sum is a hash that tells states apart, within one process.
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

// Write creates a folder and writes the state into it.
func (s State) Write(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(s)) { // a folder sorts before its contents
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

// state builds the state of the disk from the view that show returns of each node.
func (d *Disk) state(show func(node) shown) State {
	s := make(State)
	s.add("", d.root, show)
	return s
}

// add adds the contents of a folder.
func (s State) add(path string, f *folder, show func(node) shown) {
	for name, n := range show(f).names {
		if inner, isFolder := n.(*folder); isFolder {
			s[path+name+"/"] = nil
			s.add(path+name+"/", inner, show)
		} else {
			s[path+name] = show(n).bytes
		}
	}
}

// randomStates is how many random states Failures returns.
const randomStates = 24

// Failures returns states that a power failure may leave now, some of them more
// than once. The first holds only what was synced. The random source determines
// the random ones.
func (d *Disk) Failures(random *rand.Rand) iter.Seq[State] {
	return func(yield func(State) bool) {
		for with, others := range choices(d.unsynced(), random) {
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

// choices returns states of the unsynced nodes: a map with the views of some of
// them, and a function that returns the view of any other.
func choices(nodes []node, random *rand.Rand) iter.Seq2[map[node]shown, func(node) shown] {
	return func(yield func(map[node]shown, func(node) shown) bool) {
		if !yield(nil, node.onDisk) || len(nodes) == 0 || !yield(nil, node.current) {
			return
		}
		all := combinations(nodes)
		for _, with := range all {
			if !yield(with, node.onDisk) {
				return
			}
		}
		for _, n := range nodes {
			if all != nil {
				break
			}
			for v := range variants(n) {
				with := map[node]shown{n: v}
				if !yield(with, node.onDisk) || len(nodes) > 1 && !yield(with, node.current) {
					return
				}
			}
		}
		for range randomStates {
			with := make(map[node]shown)
			for _, n := range nodes {
				with[n] = randomVariant(n, random)
			}
			if !yield(with, node.onDisk) {
				return
			}
		}
	}
}

// unsynced returns all nodes with unsynced changes, always in the same order.
func (d *Disk) unsynced() (nodes []node) {
	seen := make(map[node]bool)
	var visit func(n node)
	visit = func(n node) {
		if seen[n] {
			return
		}
		seen[n] = true
		if n.unsynced() {
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

// fewStates is up to how many combinations Failures tries all of them.
const fewStates = 64

// combinations returns all combinations of the variants of nodes, or nil if there
// are more than fewStates.
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

// variants returns a selection of what a disk may have of a node.
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
	seen := make(map[uint64]bool)
	once := func(b []byte) bool {
		sum := maphash.Bytes(hashSeed, b)
		if seen[sum] {
			return true
		}
		seen[sum] = true
		return yield(shown{bytes: b})
	}
	for kept := range selections(len(f.changes)) {
		b := f.with(func(i int, b []byte) []byte {
			if !kept[i] {
				return b
			}
			return f.changes[i].apply(b)
		})
		if !once(b) {
			return
		}
	}
	f.torn(once)
}

// with returns the names in a folder after the changes that are kept.
func (d *folder) with(kept []bool) map[string]node {
	names := maps.Clone(d.disk)
	for i, c := range d.changes {
		if kept[i] {
			names = c.apply(names)
		}
	}
	return names
}

// with returns the contents of a file after apply has applied each change, or
// part of it.
func (f *file) with(apply func(i int, b []byte) []byte) []byte {
	b := slices.Clone(f.disk)
	for i := range f.changes {
		b = apply(i, b)
	}
	return b
}

// fewChanges is up to how many changes selections returns all subsets.
const fewChanges = 5

// selections returns which of n changes are kept: each alone, all but one, and
// each prefix; of few changes, all subsets.
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

// manyPlaces is up to how many places are all tried, and how many of more.
const manyPlaces = 24

// some returns the numbers below n, or about manyPlaces of them.
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

// sectors splits a write at sector boundaries: each part may reach the disk alone.
func (c change) sectors() (parts []change) {
	for offset, b := c.offset, c.bytes; len(b) > 0; {
		n := min(int64(len(b)), sectorSize-offset%sectorSize)
		parts = append(parts, change{offset: offset, bytes: b[:n]})
		offset, b = offset+n, b[n:]
	}
	return parts
}

// torn yields torn variants of the last write, with and without the changes before
// it.
func (f *file) torn(yield func([]byte) bool) {
	last := len(f.changes) - 1
	if last < 0 || f.changes[last].resizes {
		return
	}
	c := f.changes[last]
	parts := c.sectors()
	for _, before := range []bool{true, false} {
		try := func(sized bool, kept func(part int) bool) bool {
			return yield(f.with(func(i int, b []byte) []byte {
				switch {
				case i < last && before:
					return f.changes[i].apply(b)
				case i < last:
					return b
				case sized:
					b = c.resize(b)
				}
				for part := range parts {
					if kept(part) {
						b = parts[part].apply(b)
					}
				}
				return b
			}))
		}
		for _, at := range some(len(parts)) {
			for _, sized := range []bool{false, true} {
				if !try(sized, func(i int) bool { return i < at }) || !try(sized, func(i int) bool { return i >= at }) ||
					!try(sized, func(i int) bool { return i == at }) || !try(sized, func(i int) bool { return i != at }) {
					return
				}
			}
		}
		if last == 0 {
			return
		}
	}
}

// randomVariant keeps random changes, and random sectors of writes.
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
	return shown{bytes: f.with(func(i int, b []byte) []byte {
		c := f.changes[i]
		switch {
		case random.IntN(2) == 0: // all of it or nothing
			if keep() {
				return c.apply(b)
			}
			return b
		case c.resizes:
			return b
		}
		if keep() {
			b = c.resize(b)
		}
		for _, part := range c.sectors() {
			if keep() {
				b = part.apply(b)
			}
		}
		return b
	})}
}
