package server

import (
	"iter"
	"slices"
	"sync"

	"sandtable/odata"
	"sandtable/odata/payload"
)

// encoder writes entities and tables in one representation.
type encoder interface {
	AppendEntity(b []byte, table string, e *odata.Entity) []byte
	AppendEntities(b []byte, table string, es iter.Seq[*odata.Entity]) []byte
	AppendTable(b []byte, name string) []byte
	AppendTables(b []byte, names []string) []byte
}

// encoder returns the encoder for the answer, with the time that Atom shows.
func (r *request) encoder(s selection, now odata.DateTime) encoder {
	if r.format == formatAtom {
		return &payload.Atom{
			Old: r.old(), Spatial: r.dataService == 3, Base: r.base, Account: r.account, Updated: now,
			HasSelect: s.given, Select: s.names,
		}
	}
	c := payload.Context{
		Base: r.base, Account: r.account, Level: r.level, WithoutETag: r.version < versionETags,
		HasSelect: s.given, SelectText: s.text, Select: s.names,
	}
	if r.cosmos {
		return &payload.Cosmos{Context: c, AnyLevel: r.anyLevel}
	}
	return &c
}

// etag returns the ETag of what was written at a time.
func (r *request) etag(timestamp odata.DateTime) string {
	if r.cosmos {
		return odata.CosmosETag(timestamp)
	}
	return odata.ETag(timestamp)
}

// location returns the address of an entity of the request's table.
func (r *request) location(key odata.Key) string {
	var buffer [256]byte
	return string(r.appendAddress(buffer[:0], odata.Path{Resource: odata.EntityResource, Table: r.path.Table, Key: key}))
}

// tableLocation returns the address of a table.
func (r *request) tableLocation(name string) string {
	return string(r.appendAddress(nil, odata.Path{Resource: odata.TableResource, Table: name}))
}

func (r *request) appendAddress(b []byte, path odata.Path) []byte {
	b = append(b, r.base...)
	if r.cosmos {
		return path.AppendUnescaped(b)
	}
	return path.AppendText(b)
}

// grow makes room for the representation of an entity. Growing step by step costs
// more than guessing the size: what the service counts for names and values, plus
// type names and the metadata of a level.
func grow(b []byte, e *odata.Entity) []byte {
	return slices.Grow(b, 512+e.Size()+32*len(e.Properties))
}

// pages keeps the buffers of answers that would take much new memory: entities that
// were read, and the responses of batches.
var pages = sync.Pool{New: func() any { return new([]byte) }}

// keptPage is the largest buffer that is kept, in bytes.
const keptPage = 1 << 20

// writePage writes the body into a buffer of pages, until release.
func (r *reply) writePage(appendTo func([]byte) []byte) {
	r.page = pages.Get().(*[]byte)
	r.body = appendTo((*r.page)[:0])
	if cap(r.body) > keptPage {
		r.page = nil
	}
}

// release allows another page to overwrite the body.
func (r *reply) release() {
	if r.page != nil {
		*r.page = r.body
		pages.Put(r.page)
		r.page, r.body = nil, nil
	}
}
