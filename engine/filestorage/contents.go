package filestorage

import (
	"errors"
	"io"
	"maps"
	"os"
	"slices"

	"sandtable/engine"
)

// contents is what counts of a file, and where it lies.
type contents struct {
	opening
	end     int64  // of the last whole frame
	commits uint64 // in the file
	live    int64  // bytes of the frames that count, about
	blocks  map[engine.BlockID]block
	log     map[uint64]place
	meta    []byte
}

// block is a block of the directory. Its place is zero if its frame is damaged.
type block struct {
	info  engine.BlockInfo
	place place
}

func newContents(o opening) contents {
	return contents{
		opening: o, end: beginning,
		blocks: make(map[engine.BlockID]block), log: make(map[uint64]place),
	}
}

// garbage is how many bytes of the file no longer count.
func (c *contents) garbage() int64 { return c.end - c.live }

func (c *contents) addRecord(seq uint64, p place) {
	if old, ok := c.log[seq]; ok {
		c.live -= headerSize + int64(old.length)
	}
	c.live += headerSize + int64(p.length)
	c.log[seq] = p
}

func (c *contents) dropLog(seq uint64) {
	maps.DeleteFunc(c.log, func(n uint64, p place) bool {
		if n > seq {
			return false
		}
		c.live -= headerSize + int64(p.length)
		return true
	})
}

func (c *contents) addBlock(info engine.BlockInfo, p place) {
	c.dropBlock(info.ID)
	c.live += headerSize + int64(p.length)
	c.blocks[info.ID] = block{info, p}
}

func (c *contents) dropBlock(id engine.BlockID) {
	if b, ok := c.blocks[id]; ok {
		c.live -= headerSize + int64(b.place.length)
		delete(c.blocks, id)
	}
}

func (c *contents) setMeta(meta []byte) {
	c.live += int64(len(meta) - len(c.meta))
	c.meta = slices.Clone(meta)
}

// directory is what Load returns.
func (c *contents) directory(file *os.File) (engine.Directory, error) {
	d := engine.Directory{Meta: slices.Clone(c.meta)}
	for _, b := range c.blocks {
		d.Blocks = append(d.Blocks, b.info)
	}
	for _, seq := range slices.Sorted(maps.Keys(c.log)) {
		record, err := readPayload(file, c.log[seq])
		if err != nil {
			return engine.Directory{}, err
		}
		d.WAL = append(d.WAL, engine.WALRecord{Seq: seq, Data: record})
	}
	return d, nil
}

func readPayload(file *os.File, p place) ([]byte, error) {
	payload := make([]byte, p.length)
	_, err := file.ReadAt(payload, p.offset)
	if errors.Is(err, io.EOF) && p.length == 0 {
		err = nil
	}
	return payload, err
}
