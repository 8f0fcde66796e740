package filestorage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"sandtable/engine"
)

// problems are the problems of the files when the store was opened. The engine finds
// corrupt records and blocks itself.
type problems struct {
	lost   []error
	kept   []string
	unread fileID // a WAL segment too long to read, until it is quarantined
}

func (p *problems) lose(format string, args ...any) {
	p.lost = append(p.lost, fmt.Errorf(format, args...))
}

// Quarantined returns one error for each problem of the files when the store was
// opened, and the paths under which corrupt ones were kept. The engine finds and
// reports missing data itself.
func (s *Storage) Quarantined() (lost []error, kept []string) {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.lost, s.kept
}

// read reads the current WAL segment.
func (s *Storage) read(l listing) error {
	s.id = newStoreID()
	if len(l.wals) == 0 && len(l.blocks) == 0 {
		return nil // a new store
	}
	if len(l.wals) == 0 {
		return s.readWithoutWAL(l)
	}
	id := l.wals[len(l.wals)-1]
	data, whole, err := s.readWAL(id.name(walName))
	if errors.Is(err, engine.ErrCorrupt) && s.options.Quarantine {
		s.lose("%s: %w", id.name(walName), err)
		s.unread = id
		return s.readWithoutWAL(l)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", id.name(walName), err)
	}
	s.corrupt = !whole
	return s.replay(l, id, data)
}

// replay reads a WAL segment, and opens it for reading its records.
func (s *Storage) replay(l listing, id fileID, data []byte) error {
	header, err := parseFileHeader(data, walMagic)
	if errors.Is(err, engine.ErrFormat) {
		return err
	}
	if err != nil {
		s.lose("%s: %w", id.name(walName), err)
		header.id = s.findID(l)
	}
	s.id = header.id
	r := replay{
		contents: newContents(), file: id, framer: newFramer(s.id, id), base: header.base, data: data,
		find: s.finder(l.blocks), corrupt: s.corrupt || err != nil,
	}
	if err := r.run(); err != nil {
		return err
	}
	if !r.started {
		s.lose("%w: %s does not list the blocks", engine.ErrCorrupt, id.name(walName))
		if err := r.withoutSnapshot(); err != nil {
			return err
		}
	} else if last := s.lastCommit(l, &r.contents); last > r.commits+1 {
		if err := r.lose(last); err != nil {
			return err
		}
		r.meta = lostMeta
	}
	s.contents, s.corrupt = r.contents, r.corrupt
	file, err := os.OpenFile(filepath.Join(s.folder, id.name(walName)), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	size := int64(len(data))
	s.wal = &wal{id: id, file: file, framer: r.framer, base: header.base, last: r.last, end: r.end, size: size}
	s.wal.torn = len(bytes.Trim(data[min(r.end, size):], "\x00")) > 0
	return nil
}

// lastCommit returns the number of the last commit that wrote blocks after those that are
// in use: in the newest segment, and 0 if it has none. The next commit after those of the
// WAL may have been interrupted, but no later one was begun without it.
func (s *Storage) lastCommit(l listing, c *contents) (commits uint64) {
	if len(l.blocks) == 0 {
		return 0
	}
	id, at := l.blocks[len(l.blocks)-1], int64(headerSize)
	for _, b := range c.blocks {
		if b.place.file == id {
			at = max(at, aligned(b.place.offset+int64(b.place.length)))
		}
	}
	file, err := os.Open(filepath.Join(s.folder, id.name(blocksName)))
	if err != nil {
		return 0 // reported if the segment is in use
	}
	defer file.Close()
	f, header := newFramer(s.id, id), make([]byte, headerSize)
	for {
		if _, err := file.ReadAt(header, at); err != nil {
			return commits
		}
		h, ok := f.parse(header)
		if !ok {
			return commits
		}
		commits = max(commits, h.commits)
		at = aligned(at + headerSize + int64(h.length))
	}
}

// readWithoutWAL takes all blocks in the folder.
func (s *Storage) readWithoutWAL(l listing) error {
	if len(s.lost) == 0 {
		s.lose("%w: the WAL is missing", engine.ErrCorrupt)
	}
	s.id = s.findID(l)
	r := replay{contents: newContents(), find: s.finder(l.blocks)}
	err := r.withoutSnapshot()
	s.contents = r.contents
	return err
}

// findID returns the store's identity from the first block segment with a valid
// header.
func (s *Storage) findID(l listing) storeID {
	for _, id := range l.blocks {
		file, err := os.Open(filepath.Join(s.folder, id.name(blocksName)))
		if err != nil {
			continue
		}
		b := make([]byte, headerSize)
		_, err = file.ReadAt(b, 0)
		h, headerErr := parseFileHeader(b, blocksMagic)
		if errors.Join(err, headerErr, file.Close()) == nil {
			return h.id
		}
	}
	return newStoreID()
}

// readAt reads a part of a file. Tests let it fail.
var readAt = (*os.File).ReadAt

// page is how many bytes are read at once where the disk refuses to read more.
const page = 4 << 10

// readPart fills data from a file. With Options.Quarantine, pages that the disk refuses to
// read become zeros. It reports whether there were none.
func (s *Storage) readPart(file *os.File, data []byte, offset int64) (whole bool, err error) {
	n, err := readAt(file, data, offset)
	switch {
	case err == nil, errors.Is(err, io.EOF) && n == len(data):
		return true, nil
	case !isUnreadable(err):
		return false, err
	case !s.options.Quarantine:
		return false, fmt.Errorf("%w: %w", engine.ErrCorrupt, err)
	}
	for whole = true; len(data) > 0; {
		part := data[:min(len(data), page-int(offset%page))]
		if _, err := readAt(file, part, offset); isUnreadable(err) {
			clear(part)
			whole = false
		} else if err != nil {
			return false, err
		}
		data, offset = data[len(part):], offset+int64(len(part))
	}
	return whole, nil
}

// readFile reads a file of the store as readPart does, and notes what it lacks.
func (s *Storage) readFile(name string) (data []byte, whole bool, err error) {
	file, err := os.Open(filepath.Join(s.folder, name))
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, false, err
	}
	data = make([]byte, info.Size())
	if whole, err = s.readPart(file, data, 0); err == nil && !whole {
		s.lose("%w: %s: the disk refuses to read some of it", engine.ErrCorrupt, name)
	}
	return data, whole, err
}

// loseUnreadable marks the blocks that the disk refuses to read as lost. Each is tried
// twice, since such an error may pass.
func (s *Storage) loseUnreadable() {
	for id, b := range s.blocks {
		if b.place.file == 0 {
			continue
		}
		_, err := s.readBlock(id)
		if isUnreadable(err) {
			_, err = s.readBlock(id)
		}
		if isUnreadable(err) {
			s.lose("%w: block %d: %w", engine.ErrCorrupt, id, err)
			b.place = place{}
			s.blocks[id] = b
		}
	}
}
