package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// function is a function that a module defines.
type function struct {
	name string // "" if the module has none
	size int    // of its body, in bytes
}

// module is the part of a WebAssembly module that has a size.
type module struct {
	functions []function
	data      int // size of the section of data, in bytes
}

// The sections that are read.
//
// Source: WebAssembly Core Specification, "Binary Format".
const (
	sectionCustom = 0
	sectionImport = 2
	sectionCode   = 10
	sectionData   = 11

	importsFunction = 0
	namesFunctions  = 1 // the part of the section "name"
)

var magic = []byte("\x00asm\x01\x00\x00\x00")

var errModule = errors.New("not a WebAssembly module from a Go compiler")

// readModule reads a module. Errors wrap errModule.
func readModule(content []byte) (module, error) {
	rest, ok := bytes.CutPrefix(content, magic)
	if !ok {
		return module{}, errModule
	}
	var m module
	imported, names := 0, map[uint64]string{}
	in := reader{rest: rest}
	for len(in.rest) > 0 {
		id := in.byte()
		section := reader{rest: in.bytes(in.number())}
		switch id {
		case sectionImport:
			imported = section.imports()
		case sectionCode:
			for range section.count() {
				m.functions = append(m.functions, function{size: len(section.bytes(section.number()))})
			}
		case sectionData:
			m.data = len(section.rest)
		case sectionCustom:
			if string(section.bytes(section.number())) == "name" {
				section.names(names)
			}
		}
		if err := errors.Join(in.err, section.err); err != nil {
			return module{}, fmt.Errorf("%w: section %d: %w", errModule, id, err)
		}
	}
	// Functions are numbered from the first that is imported.
	for i := range m.functions {
		m.functions[i].name = names[uint64(imported+i)]
	}
	return m, nil
}

// reader reads a part of a module from its start. After an error all results are 0 or
// empty.
type reader struct {
	rest []byte
	err  error
}

var errShort = errors.New("unexpected end")

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.rest = nil
}

func (r *reader) byte() byte {
	b := r.bytes(1)
	if len(b) == 0 {
		return 0
	}
	return b[0]
}

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.fail(errShort)
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// number reads an unsigned number in LEB128.
func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 {
		r.fail(errShort)
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

// count reads the length of a list, each of whose items has a byte or more.
func (r *reader) count() uint64 {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.fail(errShort)
		return 0
	}
	return n
}

// imports returns the number of imports. Go only imports functions.
func (r *reader) imports() int {
	n := r.count()
	for range n {
		r.bytes(r.number()) // the module
		r.bytes(r.number()) // the name in it
		if kind := r.byte(); kind != importsFunction && r.err == nil {
			r.fail(fmt.Errorf("an import of kind %d", kind))
		}
		r.number() // the type
	}
	return int(n)
}

// names reads the names of functions from the section of that name.
func (r *reader) names(names map[uint64]string) {
	for len(r.rest) > 0 {
		id := r.byte()
		part := reader{rest: r.bytes(r.number())}
		if id == namesFunctions {
			for range part.count() {
				index := part.number()
				names[index] = string(part.bytes(part.number()))
			}
		}
		if part.err != nil {
			r.fail(part.err)
		}
	}
}
