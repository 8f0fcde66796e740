package filestorage

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"sandtable/engine"
)

// FileName is the name of the store's file in its folder.
const FileName = "sandtable.log"

// rewriteAfter is how many bytes that no longer count the file may hold at
// least before it is written anew: a small store is not worth it.
const rewriteAfter = 4 << 20

// ErrFailed is a storage whose disk refused a write in a way that leaves open
// what is on it. Nothing more is written until the store is opened again.
var ErrFailed = errors.New("an earlier write failed: open the store again")

// ErrFull is a write that the disk has no room for. Nothing of it was written,
// and the next may find room again. It wraps [engine.ErrNoSpace].
var ErrFull = fmt.Errorf("%w on the disk", engine.ErrNoSpace)

// isFull reports whether a write failed for want of room.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// Options are what a storage can be told when it is opened. The zero value is
// the careful one.
type Options struct {
	Durability engine.Durability
}

// Storage is a store in one file.
type Storage struct {
	folder  string
	options Options

	// mu is held for reading while blocks are read: a rewrite waits for that,
	// and everything else is one call at a time.
	mu     sync.RWMutex
	file   *os.File // nil when it is closed
	failed bool
	// rewriteAt is how much must no longer count before a rewrite is tried
	// again that has failed.
	rewriteAt int64
	contents
}

// place is where a payload lies in the file.
type place struct {
	offset int64
	length uint32
}

var _ engine.Storage = (*Storage)(nil)

// Open opens the store in a folder, and makes both if they are not there. The
// error names the folder and wraps [engine.ErrFormat], [engine.ErrCorrupt] or
// that of the operating system. Nothing else may have the folder open.
func Open(folder string, options Options) (*Storage, error) {
	s := &Storage{folder: folder, options: options}
	if err := s.open(); err != nil {
		return nil, fmt.Errorf("open store %s: %w", folder, err)
	}
	return s, nil
}

func (s *Storage) path() string { return filepath.Join(s.folder, FileName) }

func (s *Storage) open() error {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(s.path(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	var found opening
	if err = s.syncFolders(); err == nil {
		found, err = s.begin(file)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	s.file, s.failed, s.contents = file, false, contents{opening: found}
	return nil
}

// begin reads the opening of a file, and gives a new one ours.
func (s *Storage) begin(file *os.File) (opening, error) {
	text := make([]byte, beginning)
	n, err := file.ReadAt(text, 0)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return opening{}, err
	case n < beginning && strings.HasPrefix(magic, string(text[:min(n, len(magic))])): // new, or torn when it was
		fresh := opening{salt: newSalt()}
		_, err := file.WriteAt(fresh.encode(), 0)
		return fresh, errors.Join(err, s.sync(file))
	}
	return parseOpening(text[:n])
}

func (s *Storage) sync(file *os.File) error {
	if s.options.Durability == engine.Relaxed {
		return nil
	}
	return file.Sync()
}

// SetDurability says what later writes wait for. When it becomes [engine.Strict], what
// was written before is synced first. It waits for the call under way.
func (s *Storage) SetDurability(d engine.Durability) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return engine.ErrClosed
	}
	s.options.Durability = d
	if err := errors.Join(s.sync(s.file), s.syncFolders()); err != nil {
		s.failed = true
		return err
	}
	return nil
}

// Load is [engine.Storage.Load]. It opens a closed storage again.
func (s *Storage) Load() (engine.Directory, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.load()
	if err != nil {
		return engine.Directory{}, fmt.Errorf("load store %s: %w", s.folder, err)
	}
	return d, nil
}

func (s *Storage) load() (engine.Directory, error) {
	if s.file == nil {
		if err := s.open(); err != nil {
			return engine.Directory{}, err
		}
	}
	if s.log == nil { // else it was loaded before, and writing may go on
		c, err := scan(s.file, s.opening)
		if err != nil {
			return engine.Directory{}, err
		}
		// What is behind the last whole frame was never acknowledged.
		if err := s.file.Truncate(c.end); err != nil {
			return engine.Directory{}, err
		}
		s.contents = c
	}
	return s.directory(s.file)
}

// Append is [engine.Storage.Append].
func (s *Storage) Append(seq uint64, record []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	frame := s.salt.appendFrame(make([]byte, 0, headerSize+len(record)), recordFrame, seq, s.commits, record)
	start := s.end
	if err := s.write(frame); err != nil {
		return err
	}
	s.addRecord(seq, place{start + headerSize, uint32(len(record))})
	return nil
}

// Checkpoint is [engine.Storage.Checkpoint].
func (s *Storage) Checkpoint(c engine.Checkpoint) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	frames, places := s.encodeCheckpoint(c)
	start := s.end
	if err := s.write(frames); err != nil {
		return err
	}
	for _, id := range c.Deletes {
		s.dropBlock(id)
	}
	for i, b := range c.Puts {
		s.addBlock(b.BlockInfo, place{start + places[i].offset, places[i].length})
	}
	s.dropLog(c.Seq)
	s.setMeta(c.Meta)
	s.commits++
	s.tidy()
	return nil
}

// tidy writes the file anew if most of it no longer counts. What was
// acknowledged is in the old one, whatever becomes of that. Where it fails, for
// want of room perhaps, it is tried again when the file has grown as much again.
func (s *Storage) tidy() {
	if s.garbage() <= max(rewriteAfter, s.live, s.rewriteAt) {
		return
	}
	s.rewriteAt = 0
	if err := s.rewrite(); err != nil {
		s.rewriteAt = s.garbage() + max(rewriteAfter, s.live)
	}
}

// encodeCheckpoint returns the frames of a checkpoint, and where in them the
// texts of its blocks lie.
func (s *Storage) encodeCheckpoint(c engine.Checkpoint) (frames []byte, places []place) {
	size := 0
	for _, b := range c.Puts {
		size += headerSize + len(b.Data)
	}
	frames = make([]byte, 0, size+headerSize+len(c.Meta)+64*len(c.Puts))
	done := commit{deletes: c.Deletes, meta: c.Meta}
	for _, b := range c.Puts {
		places = append(places, place{int64(len(frames)) + headerSize, uint32(len(b.Data))})
		frames = s.salt.appendFrame(frames, blockFrame, uint64(b.ID), s.commits, b.Data)
		done.puts = append(done.puts, b.BlockInfo)
	}
	return s.salt.appendFrame(frames, commitFrame, c.Seq, s.commits, done.encode()), places
}

// write adds frames at the end of the file, whole or not at all.
func (s *Storage) write(frames []byte) error {
	switch {
	case s.file == nil || s.log == nil: // closed, or not yet loaded
		return engine.ErrClosed
	case s.failed:
		return ErrFailed
	}
	if _, err := s.file.WriteAt(frames, s.end); err != nil {
		// A full disk is no harm: what it took is cut off, and a later write may find room.
		s.failed = s.file.Truncate(s.end) != nil
		if !s.failed && isFull(err) {
			return fmt.Errorf("%w: %w", ErrFull, err)
		}
		return err
	}
	if err := s.sync(s.file); err != nil {
		s.failed = true // what could not be synced may be gone although a later sync succeeds
		return err
	}
	s.end += int64(len(frames))
	return nil
}

// ReadBlocks is [engine.Storage.ReadBlocks].
func (s *Storage) ReadBlocks(ids []engine.BlockID) ([][]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.file == nil {
		return nil, engine.ErrClosed
	}
	texts := make([][]byte, len(ids))
	for i, id := range ids {
		b, ok := s.blocks[id]
		if !ok || b.place.offset == 0 {
			return nil, fmt.Errorf("read block %d: %w", id, engine.ErrBlockNotFound)
		}
		texts[i] = make([]byte, b.place.length)
		if _, err := s.file.ReadAt(texts[i], b.place.offset); err != nil {
			return nil, fmt.Errorf("read block %d: %w", id, err)
		}
	}
	return texts, nil
}

// Close is [engine.Storage.Close].
func (s *Storage) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	file := s.file
	s.file, s.contents = nil, contents{}
	return file.Close()
}
