package engine

import (
	"encoding/binary"
	"fmt"

	"sandtable/odata"
)

// blockSize is about how many bytes of entities a block holds; one that is
// larger stands alone.
const blockSize = 32 << 10

// blockWriter cuts a run of entities into blocks.
type blockWriter struct {
	table TableID
	next  BlockID
	done  []Block
	open  Block // the one being filled; without entities it has no text
}

// add appends an entity; they come in the order of their keys.
func (w *blockWriter) add(e *odata.Entity) {
	if w.open.Count == 0 {
		w.open.BlockInfo = BlockInfo{ID: w.next, Table: w.table, First: e.Key()}
		w.open.Data = append(beginFrame(make([]byte, 0, blockSize+blockSize/4)), make([]byte, blockHeader)...)
		w.next++
	}
	w.open.Data = appendEntity(w.open.Data, e)
	w.open.Count++
	if len(w.open.Data) >= blockSize {
		w.flush()
	}
}

// flush ends the block that is being filled.
func (w *blockWriter) flush() {
	if w.open.Count == 0 {
		return
	}
	header := w.open.Data[frameSize:]
	binary.LittleEndian.PutUint64(header, uint64(w.open.ID))
	binary.LittleEndian.PutUint32(header[8:], uint32(w.open.Table))
	binary.LittleEndian.PutUint32(header[12:], uint32(w.open.Count))
	sealFrame(w.open.Data, recordBlock)
	w.open.Size = len(w.open.Data)
	w.done = append(w.done, w.open)
	w.open = Block{}
}

// blockHeader opens the body of a block: its identity, its table's, and how
// many entities follow, which are in the order of their keys.
const blockHeader = 8 + 4 + 4

// decodeBlock reads a block and checks that it is the one that the directory
// describes.
func decodeBlock(text []byte, info BlockInfo) ([]*odata.Entity, error) {
	body, err := openFrame(text, recordBlock)
	if err != nil {
		return nil, err
	}
	r := reader{s: body}
	id, table, n := BlockID(r.uint64()), TableID(r.uint32()), uint64(r.uint32())
	if !r.bad && (id != info.ID || table != info.Table || n != uint64(info.Count)) {
		return nil, fmt.Errorf("%w: this is block %d of table %d with %d entities", ErrDamaged, id, table, n)
	}
	// An entity has eleven bytes at least.
	if n > uint64(len(r.s))/11 {
		r.fail()
		n = 0
	}
	entities := make([]*odata.Entity, n)
	for i := range entities {
		entities[i] = r.entity()
		if i > 0 && !r.bad && !lessEntity(entities[i-1], entities[i]) {
			return nil, fmt.Errorf("%w: entities out of order", ErrDamaged)
		}
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	if n == 0 || entities[0].Key() != info.First {
		return nil, fmt.Errorf("%w: another first key than in the directory", ErrDamaged)
	}
	return entities, nil
}
