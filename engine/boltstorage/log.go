//go:build !js

package boltstorage

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"sandtable/engine"
)

const (
	// leastRoom and mostRoom are how much a file of the log grows at once, in
	// bytes, where appends are synced: one into room that is there needs no
	// change of the file system's.
	leastRoom = 64 << 10
	mostRoom  = 1 << 20
	// keptSize is how large a file stays when it is begun anew.
	keptSize = 16 << 20
	// keptBuffer is how much memory an append leaves for the next.
	keptBuffer = 1 << 20
)

// turnAfter is how long the file that grows has to be before a checkpoint goes
// on in the other one, in bytes. Tests change it.
var turnAfter int64 = 1 << 20

// mostSize is how long a file of the log may become, in bytes: as much as is
// read into memory when the store is opened. The engine makes a checkpoint a
// thousand times before. Tests change it.
var mostSize int64 = 1 << 30

// logName returns the name of a file of the log.
func logName(slot byte) string { return fmt.Sprint(FileName, ".log-", slot) }

// recordLog is the log in its files, of which there are two at most: when all
// that is in the older one was dropped, the younger one takes turns with it.
type recordLog struct {
	folder string
	files  []*logFile // as in logState
	drops  []drop
	buffer []byte // for a frame
}

// logFile is a file of the log, open.
type logFile struct {
	logRef
	file *os.File
	size int64    // of the file, with room for more frames
	top  int64    // of the last frame, 0 if there is none
	end  int64    // of the frames
	live []uint64 // numbers of its records that are not dropped
}

func (l *recordLog) last() *logFile { return l.files[len(l.files)-1] }

func (l *recordLog) state() logState {
	s := logState{drops: l.drops}
	for _, f := range l.files {
		s.files = append(s.files, f.logRef)
	}
	return s
}

// beginFile makes a file of the log, or begins one anew that nothing refers to.
func beginFile(folder string, slot byte, start uint64, d engine.Durability) (*logFile, error) {
	file, err := os.OpenFile(filepath.Join(folder, logName(slot)), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	f := &logFile{logRef: logRef{slot, opening{start, newSalt()}}, file: file, end: firstFrame}
	if err := f.begin(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if d == engine.Relaxed {
		return f, nil
	}
	if err := errors.Join(file.Sync(), syncFolders([]string{folder})); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

func (f *logFile) begin() error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	f.size = max(firstFrame, min(info.Size(), keptSize))
	if f.size != info.Size() {
		if err := f.file.Truncate(f.size); err != nil {
			return err
		}
	}
	return f.writeOpening()
}

func (f *logFile) writeOpening() error {
	page := make([]byte, firstFrame)
	copy(page, f.opening.encode())
	_, err := f.file.WriteAt(page, 0)
	return err
}

// openLogFile opens a file of the log. One that is not there, or not the one
// that is meant, is damage.
func openLogFile(folder string, ref logRef) (*logFile, error) {
	file, err := os.OpenFile(filepath.Join(folder, logName(ref.slot)), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is missing, which has what was written since the last checkpoint", engine.ErrCorrupt, logName(ref.slot))
	}
	if err != nil {
		return nil, err
	}
	f := &logFile{logRef: ref, file: file}
	if err := f.check(); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", logName(ref.slot), err), file.Close())
	}
	return f, nil
}

func (f *logFile) check() error {
	info, err := f.file.Stat()
	if err != nil {
		return err
	}
	f.size = info.Size()
	text := make([]byte, openingSize)
	n, err := f.file.ReadAt(text, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err := sameOpening(text[:n], f.opening); err != nil {
		return err
	}
	return checkSize(f.size)
}

// checkSize refuses to read a file into memory that is larger than any that
// was written.
func checkSize(size int64) error {
	if size > mostSize {
		return fmt.Errorf("%w: it has %d bytes, and no log has more than %d", engine.ErrCorrupt, size, mostSize)
	}
	return nil
}

// read returns a file's text up to an offset, or as far as it goes.
func (f *logFile) read(end int64) ([]byte, error) {
	text := make([]byte, min(end, f.size))
	n, err := f.file.ReadAt(text, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return text[:n], err
}

// readLog opens the log's files and finds their ends. The last append may be
// torn: it is not there then.
func readLog(folder string, state logState) (*recordLog, error) {
	l := &recordLog{folder: folder, drops: state.drops}
	for _, ref := range state.files {
		f, err := openLogFile(folder, ref)
		if err != nil {
			return nil, errors.Join(err, l.close())
		}
		l.files = append(l.files, f)
	}
	for i, f := range l.files {
		f.end = f.size
		if i+1 < len(l.files) {
			f.end = int64(l.files[i+1].start - f.start)
		}
		if err := l.find(f, i+1 == len(l.files)); err != nil {
			return nil, errors.Join(err, l.close())
		}
	}
	return l, nil
}

// find finds the records of a file.
func (l *recordLog) find(f *logFile, last bool) error {
	text, err := f.read(f.end)
	if err != nil {
		return err
	}
	frames := f.scan(text)
	if last {
		frames, f.end = cutTorn(frames)
	}
	state := l.state()
	for _, fr := range frames {
		f.top = fr.offset
		if !state.dropped(f.start+uint64(fr.offset), fr.number) {
			f.live = append(f.live, fr.number)
		}
	}
	return nil
}

// settle has the disk know of the log. The last frame is written again for that:
// nobody knows whether its sync was waited for, or failed, and what could not
// be synced looks afterwards as if it had been.
func (l *recordLog) settle() error {
	if err := l.last().writeTopAgain(); err != nil {
		return err
	}
	for _, f := range l.files {
		if err := syncData(f.file); err != nil {
			return fmt.Errorf("sync the log: %v", err) // and not a full disk alone
		}
	}
	return syncFolders([]string{l.folder})
}

func (f *logFile) writeTopAgain() error {
	if f.top == 0 {
		return nil
	}
	frame := make([]byte, f.end-f.top)
	n, err := f.file.ReadAt(frame, f.top)
	if err != nil && !errors.Is(err, io.EOF) { // which may lack zeros at its end
		return err
	}
	_, err = f.file.WriteAt(frame[:n], f.top)
	return err
}

// records reads what is not dropped. The last record of a number counts.
func (l *recordLog) records() ([]engine.WALRecord, error) {
	state, found := l.state(), make(map[uint64]engine.WALRecord)
	add := func(position, number uint64, record []byte) {
		if !state.dropped(position, number) {
			found[number] = engine.WALRecord{Seq: number, Data: bytes.Clone(record)}
		}
	}
	for _, f := range l.files {
		text, err := f.read(f.end)
		if err != nil {
			return nil, err
		}
		offset, highest := int64(firstFrame), uint64(0)
		for _, fr := range f.scan(text) {
			add(f.start+uint64(fr.offset), fr.number, fr.record)
			offset, highest = fr.end(), max(highest, fr.number)
		}
		if offset < f.end {
			// Something was there, and no number tells that it is missing if
			// nothing comes behind it.
			position := f.start + uint64(offset)
			add(position, max(highest, state.droppedUpTo(position))+1, text[min(offset, int64(len(text))):])
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b engine.WALRecord) int { return cmp.Compare(a.Seq, b.Seq) }), nil
}

// append adds a record. What it could not write is not there, and leaves the
// file as it was; a sync that failed leaves open what is there.
func (l *recordLog) append(number uint64, record []byte, d engine.Durability) error {
	f := l.last()
	b := f.appendFrame(l.buffer[:0], f.end, number, record)
	if l.buffer = b; cap(b) > keptBuffer {
		l.buffer = nil
	}
	if err := f.write(b, d); err != nil {
		return err
	}
	if d == engine.Strict {
		if err := syncData(f.file); err != nil {
			// It says no more than that: a disk that is full only now has lost
			// what it had taken.
			return fmt.Errorf("sync the log: %v", err)
		}
	}
	f.top = f.end
	f.end += int64(len(b))
	f.live = append(f.live, number)
	return nil
}

// write writes a frame at the end.
func (f *logFile) write(b []byte, d engine.Durability) error {
	need := f.end + int64(len(b))
	if need > mostSize {
		return fmt.Errorf("the log has %d bytes and waits for a checkpoint: %w", f.end, syscall.EFBIG)
	}
	if d == engine.Strict && need > f.size {
		if err := f.grow(need); err != nil {
			return err
		}
	}
	if _, err := f.file.WriteAt(b, f.end); err != nil {
		return f.shrink(err)
	}
	f.size = max(f.size, need)
	return nil
}

// grow makes room for a frame and for more, or at least for the frame. The
// room is written, since file systems would otherwise have to note at every
// append which part of it is in use.
func (f *logFile) grow(need int64) (err error) {
	least := need - f.size
	for _, n := range []int64{max(least, min(max(f.size, leastRoom), mostRoom, mostSize-f.size)), least} {
		if _, err = f.file.WriteAt(make([]byte, n), f.size); err == nil {
			f.size += n
			return nil
		}
		if err = f.shrink(err); !isFull(err) {
			return err
		}
	}
	return err
}

// shrink gives room back that a write has taken which failed.
func (f *logFile) shrink(cause error) error {
	if err := f.file.Truncate(f.size); err != nil {
		return fmt.Errorf("cut the log after %v: %v", cause, err) // and not a full disk alone
	}
	return cause
}

// cut is what a checkpoint makes of the log, if it comes to its end.
type cut struct {
	seq   uint64
	files []*logFile
	drops []drop
	begun *logFile // one of files, or nil
}

// plan says what a checkpoint makes of the log, which goes on as it is until
// that is adopted: the file that the log may go on in is one that nothing
// refers to.
func (l *recordLog) plan(seq uint64, d engine.Durability) cut {
	c := cut{seq: seq}
	f := l.last()
	end := f.start + uint64(f.end)
	if len(l.files) == 1 && f.end >= turnAfter {
		// Where it cannot be begun, perhaps for want of room, the log goes on
		// where it is, and the next checkpoint tries again.
		c.begun, _ = beginFile(l.folder, 3-f.slot, end, d)
	}
	for _, f := range l.files {
		if f.has(seq) || f == l.last() && c.begun == nil {
			c.files = append(c.files, f)
		}
	}
	if c.begun != nil {
		c.files = append(c.files, c.begun)
	}
	state := c.state(l.drops)
	state.drop(drop{before: end, upTo: seq})
	c.drops = state.drops
	return c
}

func (c cut) state(drops []drop) logState {
	return (&recordLog{files: c.files, drops: drops}).state()
}

// has reports whether the file has records with numbers above one.
func (f *logFile) has(seq uint64) bool {
	return slices.ContainsFunc(f.live, func(n uint64) bool { return n > seq })
}

// adopt does what was planned.
func (l *recordLog) adopt(c cut) {
	for _, f := range l.files {
		if !slices.Contains(c.files, f) {
			_ = f.file.Close() // nothing in it counts any more
		}
		f.live = slices.DeleteFunc(f.live, func(n uint64) bool { return n <= c.seq })
	}
	l.files, l.drops = c.files, c.drops
}

// forget gives up what was planned.
func (c cut) forget() {
	if c.begun != nil {
		_ = c.begun.file.Close() // nothing is in it
	}
}

// sync has the disk know of all that was written.
func (l *recordLog) sync() error {
	for _, f := range l.files {
		if err := f.file.Sync(); err != nil {
			return err
		}
	}
	return syncFolders([]string{l.folder})
}

// close ends the use of the files.
func (l *recordLog) close() error {
	var errs []error
	for _, f := range l.files {
		errs = append(errs, f.file.Close())
	}
	return errors.Join(errs...)
}

// trim gives back the room in the log's files, and those that are not in use.
func (l *recordLog) trim() error {
	used := l.state().uses
	for _, f := range l.files {
		if err := f.file.Truncate(f.end); err != nil {
			return err
		}
		f.size = f.end
	}
	for slot := byte(1); slot <= 2; slot++ {
		if used(slot) {
			continue
		}
		if err := removeIfThere(filepath.Join(l.folder, logName(slot))); err != nil {
			return err
		}
	}
	return nil
}
