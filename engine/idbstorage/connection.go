//go:build js && wasm

package idbstorage

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall/js"
	"time"

	"github.com/hack-pad/go-indexeddb/idb"

	"sandtable/engine"
)

// schemaVersion is IndexedDB's version of the database.
const schemaVersion = 1

// connection is an open database.
type connection struct {
	db         js.Value
	durability atomic.Uint32 // an engine.Durability
	timeout    time.Duration
	lost       chan struct{} // closed with the connection
	closeOnce  sync.Once
	ended      js.Func
}

// factory returns the browser's IndexedDB. [idb.Global] panics without one.
func factory() (*idb.Factory, error) {
	if !js.Global().Get("indexedDB").Truthy() {
		return nil, ErrUnavailable
	}
	return idb.Global(), nil
}

// connect opens the database, creating it if needed.
func connect(name string, options Options) (c *connection, err error) {
	defer catch(&err)
	f, err := factory()
	if err != nil {
		return nil, err
	}
	db, err := open(f, name, options.Timeout)
	var thrown js.Error // by open itself: go-indexeddb does not convert these
	switch {
	case errors.Is(err, idb.NewDOMException("VersionError")):
		err = fmt.Errorf("%w: %w", engine.ErrFormat, err)
	case errors.As(err, &thrown) && stringField(thrown.Value, "name") == "SecurityError":
		err = fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", name, err)
	}
	c = &connection{db: db, timeout: options.Timeout, lost: make(chan struct{})}
	c.durability.Store(uint32(options.Durability))
	c.listen()
	if options.Opened != nil {
		options.Opened(db)
	}
	return c, nil
}

// open returns the IDBDatabase.
func open(f *idb.Factory, name string, limit time.Duration) (js.Value, error) {
	// The context must outlive a late request: go-indexeddb creates no object
	// stores after it has ended, and would leave a database without any.
	ctx, cancel := context.WithCancel(context.Background())
	var upgradeErr error
	request, err := f.Open(ctx, name, schemaVersion, func(db *idb.Database, _, _ uint) error {
		// go-indexeddb panics if this returns an error.
		upgradeErr = createStores(db)
		return nil
	})
	if err != nil {
		cancel()
		return js.Value{}, err
	}
	opened := make(chan error, 1)
	go func() {
		defer cancel()
		_, err := request.Await(ctx)
		opened <- err
	}()
	timeout := time.NewTimer(limit)
	defer timeout.Stop()
	select {
	case err = <-opened:
	case <-timeout.C:
		go closeLate(request, opened)
		return js.Value{}, ErrTimeout
	}
	if err == nil && upgradeErr != nil {
		opened <- nil
		closeLate(request, opened)
		err = upgradeErr
	}
	if err != nil {
		return js.Value{}, err
	}
	return request.Request.Result() // the JavaScript value, unlike the result of OpenDBRequest
}

// closeLate closes a database that opened after the timeout.
func closeLate(request *idb.OpenDBRequest, opened chan error) {
	if <-opened != nil {
		return
	}
	if db, err := request.Result(); err == nil {
		_ = db.Close()
	}
}

func createStores(db *idb.Database) error {
	for _, name := range []string{walStore, blocksStore, stateStore} {
		if _, err := db.CreateObjectStore(name, idb.ObjectStoreOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// listen closes the connection when the browser closed the database (its data
// was cleared, its process died), and when another context wants to delete or
// upgrade the database, which waits for us to close it.
func (c *connection) listen() {
	c.ended = js.FuncOf(func(js.Value, []js.Value) any {
		c.close()
		return nil
	})
	c.db.Set("onclose", c.ended)
	c.db.Set("onversionchange", c.ended)
}

// close closes the connection. IndexedDB completes transactions in progress.
func (c *connection) close() {
	c.closeOnce.Do(func() {
		c.db.Set("onclose", js.Null())
		c.db.Set("onversionchange", js.Null())
		c.db.Call("close")
		c.ended.Release()
		close(c.lost)
	})
}

func (c *connection) isLost() bool {
	select {
	case <-c.lost:
		return true
	default:
		return false
	}
}

// transact makes the requests of issue in one transaction and waits until what it
// writes is committed, or everything is read. Issue must not block. If the outcome is
// unknown, the error wraps errDisconnected or ErrTimeout.
func (c *connection) transact(m mode, stores js.Value, issue func(*transaction)) (requests []js.Value, err error) {
	t, err := c.begin(m, stores)
	if err != nil {
		return nil, err
	}
	defer t.release()
	if err := t.issue(issue); err != nil {
		t.abort()
		return nil, err
	}
	timeout := time.NewTimer(c.timeout)
	defer timeout.Stop()
	select {
	case err := <-t.outcome:
		return t.requests, err
	case <-c.lost:
		// The specification fires the abort event first; do not rely on it.
		t.detach()
		return nil, errDisconnected
	case <-timeout.C:
		t.abort()
		return nil, fmt.Errorf("transaction: %w", ErrTimeout)
	}
}

// begin opens a transaction.
func (c *connection) begin(m mode, stores js.Value) (t *transaction, err error) {
	defer catch(&err)
	t = &transaction{reads: m == readOnly, outcome: make(chan error, 1)}
	durability := engine.Durability(c.durability.Load())
	switch m {
	case readOnly:
		t.value = c.db.Call("transaction", stores, modes[m])
	case readWriteStrict:
		durability = engine.Strict
		fallthrough
	case readWrite:
		t.value, t.commit = c.db.Call("transaction", stores, modes[m], writeOptions[durability]), canCommit
	}
	t.end = js.FuncOf(func(_ js.Value, events []js.Value) any {
		var err error
		switch stringField(events[0], "type") {
		case "complete":
		case "success": // nothing is left that could be aborted
			t.value.Set("onabort", js.Null())
		default:
			if err = t.checkErr; err == nil {
				err = errorOf(t.value.Get("error"))
			}
		}
		t.outcome <- err // never blocks: a transaction ends once
		return nil
	})
	t.value.Set("onabort", t.end)
	return t, nil
}
