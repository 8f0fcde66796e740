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
)

// DefaultTimeout limits opening a database and each transaction, unless
// [Options] set another limit.
const DefaultTimeout = 20 * time.Second

// Options configure a storage.
type Options struct {
	Durability engine.Durability
	// Timeout limits opening the database and each transaction; 0 is
	// [DefaultTimeout].
	Timeout time.Duration
	// Opened, if not nil, is called with the IDBDatabase of each connection. A
	// script that outlives this program can close it: the connection of a
	// crashed program would keep others from deleting the database.
	Opened func(db js.Value)

	packRecords uint64 // for tests; 0 is the constant
}

// Storage is a database of IndexedDB.
type Storage struct {
	name    string
	options Options

	mu         sync.Mutex // guards what follows, never held while waiting
	connection *connection
	closed     bool

	epoch    uint64   // 0 before the database is acquired
	fence    js.Value // key of the epoch's fence
	reserved []uint64 // sequence numbers that no owner may add
	// markers are all numbers with a marker in the WAL, reserved or not. A store
	// that lost its checkpoint restarts its numbering and reaches them again.
	markers  map[uint64]bool
	next     uint64    // above all numbers appended
	pack     pack      // the records appended last
	large    []uint64  // numbers of the WAL's records that are in files (files.go)
	appended time.Time // start of the last successful append
	claim    *claim    // a deferred acquisition, or nil

	reconnecting sync.Mutex    // held while a connection is replaced
	lost         chan struct{} // closed when the database turns out to be another one
	lostOnce     sync.Once
	fenced       chan struct{} // closed when another worker turns out to own the database
	fencedOnce   sync.Once
	identity     []byte
	directory    []engine.BlockInfo // sorted by comparePosition; as it is stored, after Load without deleted
	deleted      []engine.BlockID   // which the stored directory still has
	unstored     bool               // directory was rebuilt, and the stored one is of no use
	rebuilt      int                // entries of directory that were recovered from blocks
	missing      int                // entries that were not, since their blocks are gone
	reserveMu    sync.Mutex         // held while the reserve is made or dropped
}

var _ engine.Storage = (*Storage)(nil)

// Open opens the database with this name, creating it if needed. The error
// wraps [ErrUnavailable] or [ErrTimeout], or is the browser's.
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

// Identity returns the id of the database once it is loaded. A database that was
// deleted and created again has another one.
func (s *Storage) Identity() string { return hex.EncodeToString(s.identity) }

// Lost returns a channel that is closed when the database turns out to be
// deleted, after which everything fails with [ErrLost], or upgraded by a newer
// version, after which everything fails with [engine.ErrFormat].
func (s *Storage) Lost() <-chan struct{} { return s.lost }

// Fenced returns a channel that is closed when another worker turns out to have
// acquired the database. Reads may be stale from then on, and all writes fail
// with [ErrFenced].
func (s *Storage) Fenced() <-chan struct{} { return s.fenced }

// noteFenced returns err and closes the channel of Fenced if it is ErrFenced.
func (s *Storage) noteFenced(err error) error {
	if errors.Is(err, ErrFenced) {
		s.fencedOnce.Do(func() { close(s.fenced) })
	}
	return err
}

// watch reconnects as soon as a connection is lost: most likely the browser's
// data was cleared, and a page that only reads should learn about it, too.
func (s *Storage) watch(c *connection) {
	<-c.lost
	for range 10 { // while clearing its data, the browser may refuse
		_, err := s.connected()
		if errors.Is(err, engine.ErrFormat) {
			s.lostOnce.Do(func() { close(s.lost) }) // upgraded by a newer version
		}
		if err == nil || errors.Is(err, engine.ErrClosed) || errors.Is(err, engine.ErrFormat) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// SetDurability sets the durability of the transactions that follow.
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

// connected returns the connection, a new one if it was lost.
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

// reconnect replaces the connection, once for all concurrent callers.
func (s *Storage) reconnect() (*connection, error) {
	s.reconnecting.Lock()
	defer s.reconnecting.Unlock()
	s.mu.Lock()
	c, options := s.connection, s.options
	s.mu.Unlock()
	if !c.isLost() {
		return c, nil // another caller was first
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
	c.durability.Store(uint32(s.options.Durability)) // it may have changed since connect
	s.connection = c
	go s.watch(c)
	return c, nil
}

// checkIdentity returns ErrLost if a database is not the one that was loaded.
func (s *Storage) checkIdentity(c *connection) error {
	if s.identity == nil {
		return nil // nothing was loaded yet
	}
	requests, err := c.transact(readOnly, inState, func(t *transaction) {
		t.get(t.store(stateStore), identityKey)
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

// transact runs a transaction, and retries it once if the connection was lost.
// All transactions are idempotent except one that starts an epoch: if it was
// committed and the connection lost before the answer, the retry of a claim
// finds the storage fenced, by itself. It then has to be loaded again, as after
// any other fence.
func (s *Storage) transact(m mode, stores js.Value, issue func(*transaction)) ([]js.Value, error) {
	requests, err := s.transactOnce(m, stores, issue)
	if !errors.Is(err, errDisconnected) {
		return requests, err
	}
	requests, again := s.transactOnce(m, stores, issue)
	if errors.Is(again, engine.ErrNoSpace) {
		// It would say that nothing was written, but the first try may have been committed.
		return nil, fmt.Errorf("%w; the retry failed: %v", err, again)
	}
	return requests, again
}

func (s *Storage) transactOnce(m mode, stores js.Value, issue func(*transaction)) ([]js.Value, error) {
	c, err := s.connected()
	if err != nil {
		return nil, err
	}
	requests, err := c.transact(m, stores, issue)
	if errors.Is(err, errDisconnected) {
		c.close()
	}
	return requests, err
}

func newIdentity() []byte {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // documented never to fail
	return b
}
