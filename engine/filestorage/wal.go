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
	// minGrowth and maxGrowth bound by how much a WAL segment grows at once
	// where appends are synced: an append within the file changes only its contents,
	// which makes its sync cheaper.
	minGrowth = 64 << 10
	maxGrowth = 1 << 20
	// keptBuffer is how much memory an append keeps for the next.
	keptBuffer = 1 << 20
	// maxRotation is after how many appended bytes the WAL is rotated at the latest,
	// however many of its records are live.
	maxRotation = 64 << 20
)

// minRotation is after how many appended bytes the WAL is rotated at the earliest.
// Tests change it.
var minRotation int64 = 1 << 20

// maxWAL is how long a WAL segment may become: opening the store reads it into
// memory. The engine makes a checkpoint long before. The last sixteenth is for
// checkpoints, which make it shorter. Tests change it.
var maxWAL int64 = 1 << 30

// maxSpare is up to which length a WAL segment is kept for the next one to
// overwrite: twice as long as the engine lets a WAL become.
const maxSpare = 16 << 20

// wal is the current WAL segment.
type wal struct {
	id     fileID
	file   *os.File
	framer framer
	base   int64 // where the frames end that the segment started with
	last   int64 // where the last frame of an earlier owner begins
	end    int64 // of the last frame
	size   int64 // of the file, with zeros that appends overwrite
	torn   bool  // there may be a torn frame after the end
}

// readWAL reads a whole segment. It reports whether all of it could be read.
func (s *Storage) readWAL(name string) (data []byte, whole bool, err error) {
	info, err := os.Stat(filepath.Join(s.folder, name))
	if err != nil {
		return nil, false, err
	}
	if info.Size() > maxWAL {
		return nil, false, fmt.Errorf("%w: %d bytes, and no WAL has more than %d", engine.ErrCorrupt, info.Size(), maxWAL)
	}
	return s.readFile(name)
}

// append adds a frame: one write and, if strict, one sync. After a full disk the
// segment is as it was.
func (s *Storage) append(k kind, number uint64, payload []byte) (at place, err error) {
	w := s.wal
	b := w.framer.append(s.buffer[:0], k, number, s.commits, payload)
	if s.buffer = b; cap(b) > keptBuffer {
		s.buffer = nil
	}
	need, most := w.end+int64(len(b)), maxWAL
	if k == recordFrame {
		most -= maxWAL / 16
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

// grow writes zeros after the end, for this append and, if there is space, for
// later ones. Allocating space is not enough: file systems record at every sync
// how much of it is in use.
func (w *wal) grow(need int64) (err error) {
	least := need - w.size
	more := min(max(w.size, minGrowth), maxGrowth, maxWAL-w.size)
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

// shrink frees the space of a failed write.
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

// readRecords returns the live records, in order.
func (s *Storage) readRecords() ([]engine.WALRecord, error) {
	if len(s.records) == 0 {
		return nil, nil
	}
	first, end := s.wal.end, int64(0)
	for _, p := range s.records {
		first, end = min(first, p.offset), max(end, p.offset+int64(p.length))
	}
	data := make([]byte, end-first) // in one read: a call takes long in Node.js
	if _, err := s.readPart(s.wal.file, data, first); err != nil {
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

// rotationDue reports whether enough of the WAL segment is garbage to rotate it.
func (s *Storage) rotationDue() bool {
	appended := s.wal.end - s.wal.base
	return appended >= max(minRotation, 2*s.wal.base) && (appended >= maxRotation || s.recordBytes() <= appended/4)
}

// rotate begins a WAL segment with a snapshot and the live records. It replaces the
// current one at the moment of its rename; an error that [isFull] leaves everything
// unchanged.
func (s *Storage) rotate() error {
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
		return s.recycle(s.unread)
	}
	if err := old.file.Close(); err != nil {
		return err
	}
	return s.recycle(old.id)
}

// adopt continues the WAL segment of an earlier owner, on a full disk without space
// for another. It writes the last frame again: it may never have been synced, and
// after a failed sync the operating system may take it for clean.
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

// recycle keeps the previous WAL segment for the next one to overwrite, or removes
// it. If something in it could not be read, it is quarantined.
func (s *Storage) recycle(id fileID) error {
	path := filepath.Join(s.folder, id.name(walName))
	if !s.corrupt {
		info, err := os.Stat(path)
		if err != nil || !s.strict() || info.Size() > maxSpare || s.spare != "" || os.Rename(path, path+tempSuffix) != nil {
			return removeIfThere(path)
		}
		s.spare = path + tempSuffix
		return nil
	}
	kept := filepath.Join(s.folder, quarantinePrefix+id.name(walName))
	s.kept, s.corrupt = append(s.kept, kept), false
	return os.Rename(path, kept)
}

// putFile creates a file that gets its name when its contents are synced, and
// returns its length. It overwrites the spare segment, if there is one: appends then
// change only the contents of the file, without writing zeros first. Older frames
// left in it have another file's number in their checksums.
func (s *Storage) putFile(name string, b []byte) (file *os.File, length int64, err error) {
	path := filepath.Join(s.folder, name)
	temp := path + tempSuffix
	if s.spare != "" {
		_ = os.Rename(s.spare, temp) // if that fails, the file is a new one
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
	// The next opening reads this segment: no error below may be taken for a full disk.
	if s.strict() {
		if err := syncFolder(s.folder); err != nil {
			return nil, 0, err
		}
	}
	if file, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		return nil, 0, hideErrno("open "+name, err)
	}
	info, err := statFile(file)
	if err != nil {
		return nil, 0, hideErrno("look at "+name, errors.Join(err, file.Close()))
	}
	return file, info.Size(), nil
}

// statFile looks at a file. Tests let it fail.
var statFile = (*os.File).Stat

// dropSpare removes the spare segment, if there is one, to free its space.
func (s *Storage) dropSpare() bool {
	path := s.spare
	s.spare = ""
	return path != "" && os.Remove(path) == nil
}
