package filestorage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"sandtable/engine"
)

// Storage is a store in a folder.
type Storage struct {
	folder  string
	options Options

	// writing is held by all calls that write, and by Load and Close.
	writing sync.Mutex
	files   uint32 // how many this epoch has made
	buffer  []byte // for a frame
	active  *segment
	victim  *victim
	reserve bool // there is one
	// spare is the path of the previous WAL segment, which the next one overwrites; ""
	// for none. After a crash, opening the store removes it.
	spare string
	problems
	corrupt bool // the WAL segment could not be read as a whole
	// pending means that the store was opened but its WAL segment is still the one
	// that an earlier owner left. Nothing is written to it before [Storage.begin].
	pending bool

	// mu is held for reading while blocks are read, so that their files stay, and
	// for writing while the fields below change. An append does not need it: only
	// holders of writing read what an append changes.
	mu     sync.RWMutex
	owner  *owner // nil while the storage is closed
	failed error  // why nothing is written any more
	id     storeID
	wal    *wal
	contents
	segments segments
}

var (
	_ engine.Storage  = (*Storage)(nil)
	_ engine.Reserver = (*Storage)(nil)
)

// Open opens the store in a folder, and creates both if they do not exist. The
// error names the folder and wraps [ErrInUse], [engine.ErrFormat],
// [engine.ErrCorrupt] or an error of the operating system.
func Open(folder string, options Options) (*Storage, error) {
	s := &Storage{folder: folder, options: options}
	if err := s.open(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Storage) open() error {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return fmt.Errorf("open store: %w", err) // which names the folder
	}
	o, err := acquire(s.folder, s.options.Timeout)
	if isFull(err) && (s.giveUpReserve(int64(reserveSize)/4) || s.giveUpReserve(0)) {
		o, err = acquire(s.folder, s.options.Timeout)
	}
	if err != nil {
		return fmt.Errorf("open store %s: %w", s.folder, err)
	}
	s.mu.Lock()
	s.owner, s.failed, s.files, s.active, s.victim = o, nil, 0, nil, nil
	s.contents, s.segments, s.wal = newContents(), make(segments), nil
	s.problems, s.corrupt, s.reserve = problems{}, false, false
	s.mu.Unlock()
	if err := s.recover(); err != nil {
		return errors.Join(fmt.Errorf("open store %s: %w", s.folder, err), s.closeFiles())
	}
	return nil
}

// recover reads the store, syncs what an earlier process may not have synced, and
// begins a WAL segment of this owner.
func (s *Storage) recover() error {
	l, err := list(s.folder)
	if err != nil {
		return err
	}
	if err := s.read(l); err != nil {
		return err
	}
	if err := s.openSegments(); err != nil {
		return err
	}
	if len(s.lost) > 0 && (!s.options.Quarantine || len(s.blocks)+len(s.records) == 0) {
		return errors.Join(s.lost...)
	}
	if s.strict() {
		if err := s.syncSegments(); err != nil {
			return err
		}
		if err := syncFolders(s.folder); err != nil {
			return err
		}
	}
	// A full disk must not prevent reading: then the first write tries again.
	s.pending = true
	if err := s.begin(); err != nil && !(isFull(err) && s.wal != nil) {
		return full(err)
	}
	return nil
}

// begin begins a WAL segment of this owner, unless there is one. If there is no
// space for it, this owner continues the previous owner's segment.
func (s *Storage) begin() error {
	if !s.pending {
		return nil
	}
	err := s.rotate()
	if isFull(err) && s.wal != nil {
		err = s.adopt()
	}
	if err != nil {
		return err
	}
	l, err := list(s.folder)
	if err != nil {
		return err
	}
	return s.tidy(l)
}

// tidy removes the files that earlier owners left and that are not part of the
// store.
func (s *Storage) tidy(l listing) error {
	for _, id := range l.wals {
		if id >= s.wal.id {
			continue
		}
		if err := removeIfThere(filepath.Join(s.folder, id.name(walName))); err != nil {
			return err
		}
	}
	for _, id := range l.blocks {
		if s.segments[id] != nil {
			continue
		}
		if err := removeIfThere(filepath.Join(s.folder, id.name(blocksName))); err != nil {
			return err
		}
	}
	for _, name := range l.temps {
		if err := removeIfThere(filepath.Join(s.folder, name)); err != nil {
			return err
		}
	}
	_ = s.keepReserve() // the next write tries again
	return nil
}

// openSegments opens the segments of the blocks.
func (s *Storage) openSegments() error {
	ends := make(map[fileID]int64)
	for _, b := range s.blocks {
		if b.place.file != 0 {
			ends[b.place.file] = max(ends[b.place.file], b.place.offset+int64(b.place.length))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(ends)) {
		path := filepath.Join(s.folder, id.name(blocksName))
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if errors.Is(err, os.ErrNotExist) {
			s.loseBlocks(id, 0)
			if !bytes.Equal(s.meta, lostMeta) { // else a lost commit may have deleted its blocks
				s.lose("%w: %s is missing", engine.ErrCorrupt, id.name(blocksName))
			}
			continue
		}
		if err != nil {
			return err
		}
		info, err := file.Stat()
		if err != nil {
			return errors.Join(err, file.Close())
		}
		if info.Size() < ends[id] {
			s.loseBlocks(id, info.Size())
			s.lose("%w: %s has %d bytes, and %d are in use", engine.ErrCorrupt, id.name(blocksName), info.Size(), ends[id])
		}
		s.segments[id] = &segment{id: id, file: file, size: aligned(info.Size())}
	}
	if s.options.Quarantine {
		s.loseUnreadable()
	}
	for _, b := range s.blocks {
		s.segments.add(b.place, 1)
	}
	return nil
}

// loseBlocks marks the blocks of a segment that end after an offset as lost.
func (s *Storage) loseBlocks(id fileID, end int64) {
	for _, b := range s.blocks {
		if b.place.file == id && b.place.offset+int64(b.place.length) > end {
			b.place = place{}
			s.blocks[b.info.ID] = b
		}
	}
}

func (s *Storage) strict() bool { return s.options.Durability == engine.Strict }

// sync waits until a file's contents are on the disk, if the store is strict. Tests
// replace [syncData].
func (s *Storage) sync(file *os.File) error {
	if !s.strict() {
		return nil
	}
	return syncData(file)
}

var syncData = fdatasync

// nextFile returns the number of a new file.
func (s *Storage) nextFile() fileID {
	s.files++
	return newFileID(s.owner.epoch, s.files)
}

func (s *Storage) syncSegments() error {
	for _, id := range slices.Sorted(maps.Keys(s.segments)) {
		if err := syncData(s.segments[id].file); err != nil {
			return hideErrno("sync "+id.name(blocksName), err)
		}
	}
	return nil
}

// SetDurability sets what later writes wait for. A change to [engine.Strict] first
// syncs all earlier writes.
func (s *Storage) SetDurability(d engine.Durability) error {
	return s.write(func() error {
		was := s.options.Durability
		s.options.Durability = d
		if d == engine.Relaxed || was == d {
			return nil
		}
		if err := s.syncSegments(); err != nil {
			return err
		}
		if err := hideErrno("sync the WAL", syncData(s.wal.file)); err != nil {
			return err
		}
		return syncFolders(s.folder)
	})
}

// Load is [engine.Storage.Load]. It opens a closed storage again.
func (s *Storage) Load() (engine.Directory, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.owner == nil {
		if err := s.open(); err != nil {
			return engine.Directory{}, err
		}
	}
	d := engine.Directory{Meta: slices.Clone(s.meta)}
	if len(s.blocks) > 0 {
		d.Blocks = make([]engine.BlockInfo, 0, len(s.blocks))
	}
	for _, b := range s.blocks {
		d.Blocks = append(d.Blocks, b.info)
	}
	var err error
	if d.WAL, err = s.readRecords(); err != nil {
		return engine.Directory{}, fmt.Errorf("load store %s: %w", s.folder, err)
	}
	return d, nil
}

// write calls do, unless an earlier write has failed: what could not be synced may
// be gone although a later sync succeeds.
func (s *Storage) write(do func() error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	switch {
	case s.owner == nil:
		return engine.ErrClosed
	case s.failed != nil:
		return s.failed
	}
	err := s.begin()
	if err == nil {
		err = do()
	}
	if isFull(err) && s.dropSpare() {
		if err = s.begin(); err == nil {
			err = do()
		}
	}
	switch {
	case errors.Is(err, ErrFenced):
		s.fail(ErrFenced)
	case err != nil && !isFull(err):
		s.fail(ErrFailed)
	}
	return full(err)
}

// Append is [engine.Storage.Append].
func (s *Storage) Append(seq uint64, record []byte) error {
	return s.write(func() error {
		if err := s.keepReserve(); isFull(err) {
			return err
		}
		return s.appendRecord(seq, record)
	})
}

func (s *Storage) appendRecord(seq uint64, record []byte) error {
	at, err := s.append(recordFrame, seq, record)
	if err == nil {
		s.records[seq] = at
	}
	return err
}

// ReadBlocks is [engine.Storage.ReadBlocks].
func (s *Storage) ReadBlocks(ids []engine.BlockID) ([][]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.owner == nil {
		return nil, engine.ErrClosed
	}
	blocks := make([][]byte, len(ids))
	for i, id := range ids {
		var err error
		if blocks[i], err = s.readBlock(id); err != nil {
			return nil, fmt.Errorf("read block %d: %w", id, err)
		}
	}
	return blocks, nil
}

func (s *Storage) readBlock(id engine.BlockID) ([]byte, error) {
	b, ok := s.blocks[id]
	if !ok || b.place.file == 0 {
		return nil, engine.ErrBlockNotFound
	}
	data := make([]byte, b.place.length)
	n, err := readAt(s.segments[b.place.file].file, data, b.place.offset)
	if errors.Is(err, io.EOF) && n == len(data) {
		err = nil
	}
	return data, err
}

// OwnerFile is the path of the file that names the owner of the store, "" while it
// is closed. A process that knows for sure that this storage is dead may remove it.
func (s *Storage) OwnerFile() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.owner == nil {
		return ""
	}
	return s.owner.path
}

// Close is [engine.Storage.Close]. It waits for running calls.
func (s *Storage) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if s.owner == nil {
		return nil
	}
	return s.closeFiles()
}

func (s *Storage) closeFiles() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seg := range s.segments {
		err = errors.Join(err, seg.file.Close())
	}
	if s.wal != nil {
		err = errors.Join(err, s.wal.file.Close())
	}
	s.dropSpare()
	err = errors.Join(err, s.owner.release())
	s.owner, s.contents, s.segments, s.wal, s.pending = nil, contents{}, nil, nil, false
	return err
}
