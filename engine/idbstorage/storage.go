//go:build js && wasm

package idbstorage

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"syscall/js"
	"time"

	"sandtable/engine"
	"sandtable/engine/eventloop"
)

// DefaultTimeout is how long a database may take to open, and a transaction to
// end, unless [Options] say otherwise.
const DefaultTimeout = 20 * time.Second

// Options are what a storage can be told when it is opened.
type Options struct {
	Durability engine.Durability
	// Timeout is how long opening the database, and each transaction, may
	// take; 0 is [DefaultTimeout].
	Timeout time.Duration
	// Opened gets the IDBDatabase of each connection, if it is not nil. Whoever
	// outlives this program can close them: those of one that crashed would keep
	// others from deleting the database.
	Opened func(db js.Value)
}

// Storage is a database of IndexedDB.
type Storage struct {
	name    string
	options Options

	mu         sync.Mutex // guards what follows, never held while waiting
	connection *connection
	closed     bool

	epoch  uint64   // 0 until it was loaded
	end    js.Value // endedKey of that
	loaded bool
	taken  []uint64 // numbers of records that nobody is to add
	// marked are the numbers, these among them, that had a mark in the log when it
	// was loaded. A store whose checkpoint was lost numbers anew, and comes to them.
	marked map[uint64]bool
	next   uint64 // above all that were appended
	// appended is when the transaction of the last append that succeeded began.
	appended time.Time
	claim    *claim // nil for a database that is ours

	reconnecting sync.Mutex    // held by whoever makes another connection
	lost         chan struct{} // closed once the database is known to be another
	lostOnce     sync.Once
	fenced       chan struct{} // closed once the database is known to be another worker's
	fencedOnce   sync.Once
	identity     []byte
	directory    []engine.BlockInfo // in the order of byPlace
	rebuilt      int                // entries of it that were made again
}

var _ engine.Storage = (*Storage)(nil)

// Open opens the database with this name, and makes it if it is not there.
// The error wraps [ErrUnavailable] or [ErrTimeout], or is the browser's.
func Open(name string, options Options) (*Storage, error) {
	if options.Timeout == 0 {
		options.Timeout = DefaultTimeout
	}
	c, err := connect(name, options)
	if err != nil {
		return nil, err
	}
	s := &Storage{name: name, options: options, connection: c, lost: make(chan struct{}), fenced: make(chan struct{})}
	go s.watch(c)
	return s, nil
}

// Identity returns what tells the database from all others, once it is loaded;
// one that took its place has another.
func (s *Storage) Identity() string { return hex.EncodeToString(s.identity) }

// Lost returns a channel that is closed when the database turns out to have
// been deleted, from when on everything fails with [ErrLost], or of a newer
// version by now, and then with [engine.ErrFormat].
func (s *Storage) Lost() <-chan struct{} { return s.lost }

// Fenced returns a channel that is closed when the database turns out to have
// been loaded by another worker: what is read here may be out of date from
// then on, and all that is written fails with [ErrFenced].
func (s *Storage) Fenced() <-chan struct{} { return s.fenced }

// ended returns an error of a call as it is, and tells if it is the last word.
func (s *Storage) ended(err error) error {
	if errors.Is(err, ErrFenced) {
		s.fencedOnce.Do(func() { close(s.fenced) })
	}
	return err
}

// watch looks at once for a database whose connection ended: most likely
// somebody has cleared the browser's data, and those who look at what was
// there should not have to write to find out.
func (s *Storage) watch(c *connection) {
	<-c.lost
	for range 10 { // a browser that is clearing its data may refuse for a moment
		_, err := s.connected()
		if errors.Is(err, engine.ErrFormat) {
			s.lostOnce.Do(func() { close(s.lost) }) // a newer version has made it its own
		}
		if err == nil || errors.Is(err, engine.ErrClosed) || errors.Is(err, engine.ErrFormat) {
			return // what is wrong is found again by the next call
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// SetDurability says what the transactions that begin from now on wait for.
func (s *Storage) SetDurability(d engine.Durability) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.options.Durability = d
	s.connection.durability.Store(uint32(d))
}

// Close is [engine.Storage.Close].
func (s *Storage) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.connection.close()
	return nil
}

// connected returns the connection, another one if it was lost.
func (s *Storage) connected() (*connection, error) {
	s.mu.Lock()
	c, closed := s.connection, s.closed
	s.mu.Unlock()
	switch {
	case closed:
		return nil, engine.ErrClosed
	case !c.isLost():
		return c, nil
	}
	return s.reconnect()
}

// reconnect makes another connection, one for all who need it at the time.
func (s *Storage) reconnect() (*connection, error) {
	s.reconnecting.Lock()
	defer s.reconnecting.Unlock()
	s.mu.Lock()
	c, options := s.connection, s.options
	s.mu.Unlock()
	if !c.isLost() {
		return c, nil // somebody else's, a moment ago
	}
	c, err := connect(s.name, options)
	if err != nil {
		return nil, err
	}
	if err := s.checkIdentity(c); err != nil {
		c.close()
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		c.close()
		return nil, engine.ErrClosed
	}
	s.connection.close()
	c.durability.Store(uint32(s.options.Durability)) // it may have been changed meanwhile
	s.connection = c
	go s.watch(c)
	return c, nil
}

// checkIdentity makes sure that a database is the one that was loaded.
func (s *Storage) checkIdentity(c *connection) error {
	if s.identity == nil {
		return nil // nothing was loaded from it
	}
	requests, err := c.transact(readOnly, inState, func(t *transaction) {
		t.get(t.store(stateStore), "identity")
	})
	if err != nil {
		return err
	}
	if found, err := result(requests[0]); err != nil || !bytes.Equal(found, s.identity) {
		s.lostOnce.Do(func() { close(s.lost) })
		return ErrLost
	}
	return nil
}

// transact makes a transaction, once more on another connection if the first
// one was lost. Everything that is done this way can be done twice, but for a
// claim: if it was committed and the connection lost before the answer, the
// second finds another epoch than was read, and the storage is fenced, by
// itself. It is then to be loaded again, as after any other fence.
func (s *Storage) transact(mode, stores js.Value, issue func(*transaction)) ([]js.Value, error) {
	for try := 1; ; try++ {
		c, err := s.connected()
		if err != nil {
			return nil, err
		}
		requests, err := c.transact(mode, stores, issue)
		if !errors.Is(err, errDisconnected) || try == 2 {
			return requests, err
		}
		c.close()
	}
}

// Append is [engine.Storage.Append].
func (s *Storage) Append(seq uint64, record []byte) error {
	if err := s.own(); err != nil {
		return s.ended(err)
	}
	// A number that was used before, or that was taken by loading, is there.
	isNew := seq >= s.next && !s.marked[seq]
	s.next = seq + 1
	var begun time.Time
	_, err := s.transact(readWrite, inLog, func(t *transaction) {
		log := t.store(logStore)
		// Not before: who loads the database from now on comes after this transaction.
		begun = time.Now()
		if isNew && begun.Sub(s.appended) < awake {
			t.add(log, float64(seq), record)
			isNew = false // should this be done again
			return
		}
		s.fence(log)
		t.put(log, float64(seq), record)
	})
	if err == nil {
		s.appended = begun
	}
	return s.ended(err)
}

// Checkpoint is [engine.Storage.Checkpoint].
func (s *Storage) Checkpoint(c engine.Checkpoint) error {
	if err := s.own(); err != nil {
		return s.ended(err)
	}
	directory := replaced(s.directory, c)
	text := engine.EncodeDirectory(directory)
	// That is two milliseconds for a million entities, and so is what follows.
	eventloop.Yield()
	_, err := s.transact(readWrite, inAll, func(t *transaction) {
		blocks, state := t.store(blocksStore), t.store(stateStore)
		log := t.store(logStore)
		s.fence(log)
		for _, id := range c.Deletes {
			blocks.Call("delete", float64(id))
		}
		for _, b := range c.Puts {
			t.put(blocks, float64(b.ID), b.Data)
		}
		t.put(state, "directory", text)
		t.put(state, "meta", c.Meta)
		t.put(state, droppedKey, encodeNumbers([]uint64{c.Seq}))
		s.keepTaken(log, c.Seq)
	})
	if err != nil {
		return s.ended(err)
	}
	s.directory = directory
	return nil
}

// ReadBlocks is [engine.Storage.ReadBlocks].
func (s *Storage) ReadBlocks(ids []engine.BlockID) ([][]byte, error) {
	requests, err := s.transact(readOnly, inBlocks, func(t *transaction) {
		blocks := t.store(blocksStore)
		for _, id := range ids {
			t.get(blocks, float64(id))
		}
	})
	if err != nil {
		return nil, err
	}
	texts := make([][]byte, len(ids))
	for i, request := range requests {
		if texts[i], err = result(request); err != nil || texts[i] == nil {
			return nil, s.missing(ids[i], err)
		}
	}
	return texts, nil
}

// missing returns the error of a block that is not there, or not to be read:
// nothing is damaged where another worker's checkpoint has deleted it.
func (s *Storage) missing(id engine.BlockID, cause error) error {
	now, err := s.readState()
	if err != nil {
		return fmt.Errorf("read the state: %w", err)
	}
	ours := decodeEpoch(now[atEpoch]) == s.epoch
	if c := s.claim; c != nil && c.found != nil {
		ours = c.found.equal(now)
	}
	if !ours {
		return s.ended(ErrFenced)
	}
	return errors.Join(fmt.Errorf("read block %d: %w", id, engine.ErrBlockNotFound), cause)
}

// newIdentity returns sixteen random bytes.
func newIdentity() []byte {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails, says the package
	return b
}
