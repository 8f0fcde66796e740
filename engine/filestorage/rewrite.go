package filestorage

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// rewriteName is the file that takes the store's place. One that is left from a
// crash is written over.
const rewriteName = FileName + ".new"

// rewrite writes a file of what counts and puts it in place of the old one.
func (s *Storage) rewrite() error {
	path := filepath.Join(s.folder, rewriteName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	c, err := s.copyTo(file)
	if err == nil {
		err = s.sync(file)
	}
	if err == nil {
		err = os.Rename(path, s.path())
	}
	if err != nil {
		return errors.Join(err, file.Close(), os.Remove(path))
	}
	old := s.file
	s.file, s.contents = file, c
	if err := s.syncFolders(); err != nil {
		s.failed = true // a power failure could bring the old file back
		return errors.Join(err, old.Close())
	}
	return old.Close()
}

// copyTo writes a checkpoint of all blocks and the log behind it.
func (s *Storage) copyTo(file *os.File) (contents, error) {
	c := newContents(opening{salt: newSalt()})
	all := commit{meta: s.meta}
	for _, id := range slices.Sorted(maps.Keys(s.blocks)) {
		b := s.blocks[id]
		all.puts = append(all.puts, b.info)
		p, err := s.copyFrame(file, &c, blockFrame, uint64(id), b.place)
		if err != nil {
			return c, err
		}
		c.addBlock(b.info, p)
	}
	frame := c.salt.appendFrame(nil, commitFrame, 0, 0, all.encode())
	if _, err := file.WriteAt(frame, c.end); err != nil {
		return c, err
	}
	c.end += int64(len(frame))
	c.commits = 1
	c.setMeta(s.meta)
	for _, seq := range slices.Sorted(maps.Keys(s.log)) {
		p, err := s.copyFrame(file, &c, recordFrame, seq, s.log[seq])
		if err != nil {
			return c, err
		}
		c.addRecord(seq, p)
	}
	c.base = c.end
	_, err := file.WriteAt(c.opening.encode(), 0)
	return c, err
}

// copyFrame copies a frame to the end of a file. A block whose frame is damaged
// has none there either.
func (s *Storage) copyFrame(file *os.File, c *contents, k kind, number uint64, from place) (place, error) {
	if from.offset == 0 {
		return place{}, nil
	}
	payload := make([]byte, from.length)
	if _, err := s.file.ReadAt(payload, from.offset); err != nil {
		return place{}, err
	}
	frame := c.salt.appendFrame(nil, k, number, c.commits, payload)
	if _, err := file.WriteAt(frame, c.end); err != nil {
		return place{}, err
	}
	p := place{c.end + headerSize, from.length}
	c.end += int64(len(frame))
	return p, nil
}
