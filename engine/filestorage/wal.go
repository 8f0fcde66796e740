package filestorage

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"sandtable/engine"
)

const (
	// leastGrowth and mostGrowth bound by how much a WAL segment grows at once
	// where appends are synced: an append within it changes nothing about the
	// file but its contents, which makes its sync cheaper.
	leastGrowth = 64 << 10
	mostGrowth  = 1 << 20
	// keptBuffer is how much memory an append leaves for the next.
	keptBuffer = 1 << 20
	// mostTurn is how many bytes are appended to a segment, at most, before the
	// next one begins, however many of its records still count.
	mostTurn = 64 << 20
)

// leastTurn is how many bytes are appended to a WAL segment before the next one
// begins. Tests change it.
var leastTurn int64 = 1 << 20

// mostWAL is how long a WAL segment may become: it is read into memory when the
// store is opened. The engine makes a checkpoint long before. The last sixteenth is
// for checkpoints, which make it shorter. Tests change it.
var mostWAL int64 = 1 << 30

// mostSpare is how long a WAL segment may be that is kept for the next one to
// overwrite, twice what the engine lets a WAL become.
const mostSpare = 16 << 20

// wal is the WAL segment that counts.
type wal struct {
	id     fileID
	file   *os.File
	framer framer
	base   int64 // where the frames end that were there from the start
	last   int64 // where the last frame begins that an earlier owner left
	end    int64 // of the last frame
	size   int64 // of the file, with zeros that are to be written over
	torn   bool  // what is behind the end may be a frame that was torn
}

// readWAL reads a whole segment.
func readWAL(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > mostWAL {
		return nil, fmt.Errorf("%w: %d bytes, and no WAL has more than %d", engine.ErrCorrupt, info.Size(), mostWAL)
	}
	return os.ReadFile(path)
}

// append adds a frame: one write and, if strict, one sync. After a full disk the
// segment is as it was.
func (s *Storage) append(k kind, number uint64, payload []byte) (at place, err error) {
	w := s.wal
	b := w.framer.append(s.buffer[:0], k, number, s.commits, payload)
	if s.buffer = b; cap(b) > keptBuffer {
		s.buffer = nil
	}
	need, most := w.end+int64(len(b)), mostWAL
	if k == recordFrame {
		most -= mostWAL / 16
	}
	if need > most {
		return at, fmt.Errorf("the WAL has %d bytes and waits for a checkpoint: %w", w.end, syscall.EFBIG)
	}
	if s.strict() && need > w.size {
		if err := w.grow(need); err != nil {
			return at, err
		}
	}
	if err := writeAt(w.file, b, w.end); err != nil {
		return at, w.shrink(err)
	}
	w.size = max(w.size, need)
	if err := s.sync(w.file); err != nil {
		return at, hideErrno("sync the WAL", err)
	}
	if err := s.owner.check(); err != nil {
		return at, err
	}
	at = place{w.id, w.end + headerSize, uint32(len(payload))}
	w.end = need
	return at, nil
}

// grow writes zeros behind the end, for this append and, if there is space, for
// others. Space that is merely allocated would not do: file systems note at every
// sync how much of it is in use.
func (w *wal) grow(need int64) (err error) {
	least := need - w.size
	more := min(max(w.size, leastGrowth), mostGrowth, mostWAL-w.size)
	for _, n := range []int64{max(least, more), least} {
		if err = writeAt(w.file, make([]byte, n), w.size); err == nil {
			w.size += n
			return nil
		}
		if err = w.shrink(err); !isFull(err) {
			return err
		}
	}
	return err
}

// shrink gives back what a write took that failed.
func (w *wal) shrink(cause error) error {
	if err := w.file.Truncate(w.size); err != nil {
		return fmt.Errorf("truncate the WAL after %v: %v", cause, err) // more than a full disk
	}
	return cause
}

// writeAt writes all of b. Tests let it run out of space.
var writeAt = func(file *os.File, b []byte, offset int64) error {
	_, err := file.WriteAt(b, offset)
	return err
}

// readRecords returns the records that count, in order.
func (s *Storage) readRecords() ([]engine.WALRecord, error) {
	if len(s.records) == 0 {
		return nil, nil
	}
	first, end := s.wal.end, int64(0)
	for _, p := range s.records {
		first, end = min(first, p.offset), max(end, p.offset+int64(p.length))
	}
	data := make([]byte, end-first) // in one read: a call takes long in Node.js
	if n, err := s.wal.file.ReadAt(data, first); err != nil && !(errors.Is(err, io.EOF) && n == len(data)) {
		return nil, fmt.Errorf("read the WAL: %w", err)
	}
	records := make([]engine.WALRecord, 0, len(s.records))
	for seq, p := range s.records {
		from := p.offset - first
		records = append(records, engine.WALRecord{Seq: seq, Data: data[from : from+int64(p.length) : from+int64(p.length)]})
	}
	slices.SortFunc(records, func(a, b engine.WALRecord) int { return cmp.Compare(a.Seq, b.Seq) })
	return records, nil
}

// isTurnDue reports whether most of the WAL no longer counts.
func (s *Storage) isTurnDue() bool {
	appended := s.wal.end - s.wal.base
	return appended >= max(leastTurn, 2*s.wal.base) && (appended >= mostTurn || s.recordBytes() <= appended/4)
}

// turn begins a WAL segment: a snapshot and the records that count. It replaces
// the segment before at the moment at which it gets its name; an error that
// [isFull] leaves everything as it was.
func (s *Storage) turn() error {
	id := s.nextFile()
	f := newFramer(s.id, id)
	records, err := s.readRecords()
	if err != nil {
		return err
	}
	snapshot := s.all().encode()
	size := headerSize + frameSize(len(snapshot))
	for _, r := range records {
		size += frameSize(len(r.Data))
	}
	b := make([]byte, headerSize, size)
	b = f.append(b, snapshotFrame, s.dropped, s.commits, snapshot)
	places := make(map[uint64]place, len(records))
	for _, r := range records {
		places[r.Seq] = place{id, int64(len(b)) + headerSize, uint32(len(r.Data))}
		b = f.append(b, recordFrame, r.Seq, s.commits, r.Data)
	}
	base := int64(len(b))
	copy(b, fileHeader{s.id, base}.encode(walMagic))
	file, length, err := s.putFile(id.name(walName), b)
	if err != nil {
		return err
	}
	if err := s.owner.check(); err != nil {
		return errors.Join(err, file.Close())
	}
	s.mu.Lock()
	old := s.wal
	s.wal = &wal{id: id, file: file, framer: f, base: base, end: base, size: length}
	maps.Copy(s.records, places)
	s.pending = false
	s.mu.Unlock()
	if old == nil && s.unread == 0 {
		return nil
	}
	if old == nil {
		s.corrupt = true
		return s.retire(s.unread)
	}
	if err := old.file.Close(); err != nil {
		return err
	}
	return s.retire(old.id)
}

// adopt goes on with the WAL segment of an earlier owner, for a full disk that has
// no space for another. Its last frame is written again: nobody knows whether it
// was synced, and after a sync that failed it would look as if it had been.
func (s *Storage) adopt() error {
	w := s.wal
	if w.torn || w.size < w.end {
		if err := w.file.Truncate(w.end); err != nil {
			return err
		}
		w.size, w.torn = w.end, false
	}
	if w.last > 0 {
		b := make([]byte, w.end-w.last)
		n, err := w.file.ReadAt(b, w.last)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err := writeAt(w.file, b[:n], w.last); err != nil {
			return err
		}
	}
	if err := hideErrno("sync the WAL", s.sync(w.file)); err != nil {
		return err
	}
	s.pending = false
	return nil
}

// retire keeps a WAL segment that no longer counts for the next one to overwrite, or
// removes it. If something in it could not be read, it is kept under another name.
func (s *Storage) retire(id fileID) error {
	path := filepath.Join(s.folder, id.name(walName))
	if !s.corrupt {
		info, err := os.Stat(path)
		if err != nil || !s.strict() || info.Size() > mostSpare || s.spare != "" || os.Rename(path, path+tempSuffix) != nil {
			return removeIfThere(path)
		}
		s.spare = path + tempSuffix
		return nil
	}
	kept := filepath.Join(s.folder, setAside+id.name(walName))
	s.kept, s.corrupt = append(s.kept, kept), false
	return os.Rename(path, kept)
}

// putFile makes a file that has its name only when the disk has its contents, and
// returns its length. It overwrites the spare segment, if there is one: appends then
// change nothing about the file but its contents, and need no zeros written before
// them. Older frames left in it have another file's number in their checksums.
func (s *Storage) putFile(name string, b []byte) (file *os.File, length int64, err error) {
	path := filepath.Join(s.folder, name)
	temp := path + tempSuffix
	if s.spare != "" {
		_ = os.Rename(s.spare, temp) // without it the file is a new one
		s.spare = ""
	}
	if file, err = os.OpenFile(temp, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, 0, err
	}
	if err = writeAt(file, b, 0); err == nil && s.strict() {
		err = hideErrno("sync "+name, file.Sync())
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, 0, errors.Join(err, removeIfThere(temp))
	}
	if err := os.Rename(temp, path); err != nil {
		return nil, 0, errors.Join(err, removeIfThere(temp))
	}
	if s.strict() {
		if err := syncFolder(s.folder); err != nil {
			return nil, 0, err
		}
	}
	if file, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		return nil, 0, hideErrno("open "+name, err)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

// dropSpare gives back the space of the spare segment, if there is one.
func (s *Storage) dropSpare() bool {
	path := s.spare
	s.spare = ""
	return path != "" && os.Remove(path) == nil
}
