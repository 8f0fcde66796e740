//go:build !js

package boltstorage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"

	"sandtable/engine"
)

// What follows is bbolt's file format, version 2, as far as it takes to walk
// all pages in use. Numbers are in the machine's byte order.
//
// Source: https://github.com/etcd-io/bbolt/tree/v1.4.3/internal/common.
const (
	pageHeaderSize = 16
	elementSize    = 16
	metaSize       = 64
	bucketSize     = 16

	branchPage = 1
	leafPage   = 2

	bucketFlag = 1

	fileMagic   = 0xED0CDAED
	fileVersion = 2

	maxDepth = 64 // of a tree; one of a million blocks has four levels
)

var order = binary.NativeEndian

// pageError is a page that is not what bbolt wrote.
func pageError(id uint64, format string, args ...any) error {
	return fmt.Errorf("%w: page %d: %s", engine.ErrCorrupt, id, fmt.Sprintf(format, args...))
}

// fileMeta is a root of the file. It has two, which are written in turn.
type fileMeta struct {
	offset                    int64 // where it is in the file
	pageSize, root, limit, tx uint64
}

// readMeta reads the root at an offset; ok is false if it is not whole.
func readMeta(file io.ReaderAt, offset int64) (m fileMeta, ok bool) {
	page := make([]byte, pageHeaderSize+metaSize)
	if _, err := file.ReadAt(page, offset); err != nil {
		return fileMeta{}, false
	}
	b := page[pageHeaderSize:]
	sum := fnv.New64a()
	_, _ = sum.Write(b[:metaSize-8]) // never fails
	if order.Uint32(b) != fileMagic || order.Uint32(b[4:]) != fileVersion || order.Uint64(b[56:]) != sum.Sum64() {
		return fileMeta{}, false
	}
	m = fileMeta{
		offset: offset, pageSize: uint64(order.Uint32(b[8:])), root: order.Uint64(b[16:]),
		limit: order.Uint64(b[40:]), tx: order.Uint64(b[48:]),
	}
	return m, m.pageSize >= 1024 && m.pageSize&(m.pageSize-1) == 0
}

// currentMeta returns the root that bbolt will use.
func currentMeta(file io.ReaderAt, pageSize int) (fileMeta, error) {
	a, okA := readMeta(file, 0)
	if okA {
		pageSize = int(a.pageSize)
	}
	b, okB := readMeta(file, int64(pageSize))
	switch {
	case okA && (!okB || a.tx >= b.tx):
		return a, nil
	case okB:
		return b, nil
	}
	return fileMeta{}, fmt.Errorf("%w: neither of the file's roots is whole", engine.ErrCorrupt)
}

// checkPages walks all pages in use and returns an error about the first that
// bbolt could not follow. It reads no value. The error wraps
// [engine.ErrCorrupt] or is the file's.
func checkPages(file io.ReaderAt, size int64, pageSize int) error {
	m, err := currentMeta(file, pageSize)
	if err != nil {
		return err
	}
	if m.limit > uint64(size)/m.pageSize {
		return shortError(m, size)
	}
	w := walker{file: file, meta: m, seen: make([]bool, m.limit)}
	return w.walk(m.root, bounds{}, 0, true)
}

func shortError(m fileMeta, size int64) error {
	return fmt.Errorf("%w: the file has %d pages, and should have %d", engine.ErrCorrupt, uint64(size)/m.pageSize, m.limit)
}

// readPages walks all pages in use that can be read, and calls visit with what
// is in the buckets. It returns why it passed over others.
func readPages(file io.ReaderAt, size int64, pageSize int, visit func(bucket string, key, value []byte) error) (lost []error, err error) {
	m, err := currentMeta(file, pageSize)
	if err != nil {
		return nil, err
	}
	w := walker{file: file, meta: m, visit: visit}
	if pages := uint64(size) / m.pageSize; m.limit > pages {
		w.lost = append(w.lost, shortError(m, size))
		w.meta.limit = pages
	}
	w.seen = make([]bool, w.meta.limit)
	err = w.tolerate(w.walk(m.root, bounds{}, 0, true))
	return w.lost, err
}

// walker visits pages.
type walker struct {
	file io.ReaderAt
	meta fileMeta
	seen []bool // pages that have been visited

	// Without visit, the first bad page ends the walk. With it, the walk goes
	// on beside what is bad, and calls visit with what it finds.
	visit  func(bucket string, key, value []byte) error
	bucket string
	lost   []error // why something was passed over
}

// tolerate passes over what is damaged if that is wanted.
func (w *walker) tolerate(err error) error {
	if w.visit == nil || !errors.Is(err, engine.ErrCorrupt) {
		return err
	}
	w.lost = append(w.lost, err)
	return nil
}

// bounds are what the keys of a page may be: from the first on, and less than
// the other; nil is no bound.
type bounds struct{ from, to []byte }

// walk visits the page and all below it. Those of the file's root tree hold
// buckets, those of a bucket's tree hold none.
func (w *walker) walk(id uint64, b bounds, depth int, root bool) error {
	if id < 2 || id >= w.meta.limit || depth > maxDepth {
		return pageError(id, "nothing can be there")
	}
	header := make([]byte, pageHeaderSize)
	start := int64(id * w.meta.pageSize)
	if _, err := w.file.ReadAt(header, start); err != nil {
		return pageError(id, "%v", err)
	}
	pages := uint64(order.Uint32(header[12:])) + 1
	if order.Uint64(header) != id || pages > w.meta.limit-id {
		return pageError(id, "it says that it is page %d, of %d", order.Uint64(header), pages)
	}
	for i := range w.seen[id : id+pages] {
		if w.seen[id+uint64(i)] {
			return pageError(id+uint64(i), "it is used twice")
		}
		w.seen[id+uint64(i)] = true
	}
	size := int64(pages * w.meta.pageSize)
	return w.walkPage(page{id: id, text: io.NewSectionReader(w.file, start, size), size: size, header: header}, b, depth, root)
}

func (w *walker) walkPage(p page, b bounds, depth int, root bool) error {
	elements, err := p.elements(b)
	if err != nil {
		return err
	}
	for i, e := range elements {
		switch {
		case p.kind() == branchPage:
			below := bounds{from: e.key, to: b.to}
			if i+1 < len(elements) {
				below.to = elements[i+1].key
			}
			err = w.walk(e.child, below, depth+1, root)
		case (e.flags&bucketFlag != 0) != root:
			err = pageError(p.id, "a bucket is where a value belongs, or the other way round")
		case root:
			err = w.walkBucket(p, e)
		case w.visit != nil:
			err = w.visitValue(p, e)
		}
		if err := w.tolerate(err); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) visitValue(p page, e element) error {
	value := make([]byte, e.size)
	if _, err := p.text.ReadAt(value, e.value); err != nil && e.size > 0 {
		return pageError(p.id, "%v", err)
	}
	return w.visit(w.bucket, e.key, value)
}

// walkBucket visits a bucket's tree. A small one is in the value itself.
func (w *walker) walkBucket(p page, e element) error {
	if e.size < bucketSize || e.size > 1<<16 {
		return pageError(p.id, "bucket %q has %d bytes", e.key, e.size)
	}
	value := make([]byte, e.size)
	if _, err := p.text.ReadAt(value, e.value); err != nil {
		return pageError(p.id, "%v", err)
	}
	w.bucket = string(e.key)
	if root := order.Uint64(value); root != 0 {
		return w.walk(root, bounds{}, 1, false)
	}
	inline := value[bucketSize:]
	if len(inline) < pageHeaderSize || order.Uint16(inline[8:]) != leafPage {
		return pageError(p.id, "bucket %q has no page", e.key)
	}
	return w.walkPage(page{
		id: p.id, text: bytes.NewReader(inline), size: int64(len(inline)), header: inline[:pageHeaderSize],
	}, bounds{}, 1, false)
}

// page is a page with those that it flows over into.
type page struct {
	id     uint64
	text   io.ReaderAt
	size   int64
	header []byte
}

func (p page) kind() uint16 { return order.Uint16(p.header[8:]) }

// element is an entry of a page: a page below, or where a value is.
type element struct {
	key   []byte
	child uint64 // of a branch
	flags uint32 // of a leaf
	value int64  // where it is in the page
	size  int64  // of the value
}

// elements reads the entries and their keys, which must ascend within bounds.
func (p page) elements(b bounds) ([]element, error) {
	kind, count := p.kind(), int64(order.Uint16(p.header[10:]))
	if kind != branchPage && kind != leafPage || kind == branchPage && count == 0 {
		return nil, pageError(p.id, "it is neither branch nor leaf")
	}
	if pageHeaderSize+count*elementSize > p.size {
		return nil, pageError(p.id, "it says that it has %d entries", count)
	}
	table := make([]byte, count*elementSize)
	if _, err := p.text.ReadAt(table, pageHeaderSize); err != nil && count > 0 {
		return nil, pageError(p.id, "%v", err)
	}
	elements := make([]element, count)
	for i := range elements {
		e, err := p.element(kind, table, int64(i))
		if err != nil {
			return nil, err
		}
		if b.from != nil && bytes.Compare(e.key, b.from) < 0 || b.to != nil && bytes.Compare(e.key, b.to) >= 0 {
			return nil, pageError(p.id, "its keys are out of order")
		}
		elements[i] = e
		b.from = append(e.key[:len(e.key):len(e.key)], 0) // the smallest that is greater
	}
	return elements, nil
}

func (p page) element(kind uint16, table []byte, i int64) (element, error) {
	start, t := pageHeaderSize+i*elementSize, table[i*elementSize:]
	var e element
	var key, length int64
	if kind == branchPage {
		key, length, e.child = start+int64(order.Uint32(t)), int64(order.Uint32(t[4:])), order.Uint64(t[8:])
	} else {
		e.flags = order.Uint32(t)
		key, length, e.size = start+int64(order.Uint32(t[4:])), int64(order.Uint32(t[8:])), int64(order.Uint32(t[12:]))
	}
	e.value = key + length
	if length > maxKey || e.value+e.size > p.size {
		return element{}, pageError(p.id, "entry %d goes over its end", i)
	}
	e.key = make([]byte, length)
	if _, err := p.text.ReadAt(e.key, key); err != nil && length > 0 {
		return element{}, pageError(p.id, "%v", err)
	}
	return e, nil
}

// maxKey is more than any key here has.
const maxKey = 64
