//go:build js && wasm

package idbstorage

import (
	"context"
	"fmt"
	"sync"
	"syscall/js"
	"time"

	"github.com/hack-pad/go-indexeddb/idb"
)

// schemaVersion is IndexedDB's version of the database.
const schemaVersion = 1

// connection is an open database, until it is closed or lost.
type connection struct {
	db         js.Value
	durability Durability
	timeout    time.Duration
	lost       chan struct{} // closed when it is
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

// connect opens the database, and makes it if it is not there.
func connect(name string, options Options) (c *connection, err error) {
	defer catch(&err)
	f, err := factory()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), options.Timeout)
	defer cancel()
	var upgradeErr error
	request, err := f.Open(ctx, name, schemaVersion, func(db *idb.Database, _, _ uint) error {
		// An error returned from here would end the program.
		upgradeErr = createStores(db)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", name, err)
	}
	_, err = request.Await(ctx)
	switch {
	case ctx.Err() != nil:
		// Await gives no error of its own here. Should the database open later
		// on, go-indexeddb closes it when another context asks for that.
		return nil, fmt.Errorf("open %q: %w", name, ErrTimeout)
	case err != nil:
		return nil, fmt.Errorf("open %q: %w", name, err)
	case upgradeErr != nil:
		return nil, fmt.Errorf("create %q: %w", name, upgradeErr)
	}
	db, err := request.Request.Result() // the JavaScript value, unlike that of OpenDBRequest
	if err != nil {
		return nil, fmt.Errorf("open %q: %w", name, err)
	}
	c = &connection{db: db, durability: options.Durability, timeout: options.Timeout, lost: make(chan struct{})}
	c.listen()
	return c, nil
}

func createStores(db *idb.Database) error {
	for _, name := range []string{logStore, blocksStore, stateStore} {
		if _, err := db.CreateObjectStore(name, idb.ObjectStoreOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// listen ends the connection when the browser closed it (the store was
// cleared, its process died), and when another context wants to delete or
// upgrade the database, which waits for us.
func (c *connection) listen() {
	c.ended = js.FuncOf(func(js.Value, []js.Value) any {
		c.close()
		return nil
	})
	c.db.Set("onclose", c.ended)
	c.db.Set("onversionchange", c.ended)
}

// close ends the connection. IndexedDB finishes the transactions under way.
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

// Delete removes a database, whatever state it is in, without opening it. It
// fails with [ErrTimeout] when another context holds it and does not let go; it
// is then removed as soon as that one does.
func Delete(name string, timeout time.Duration) (err error) {
	defer catch(&err)
	f, err := factory()
	if err != nil {
		return err
	}
	request, err := f.DeleteDatabase(name)
	if err != nil {
		return fmt.Errorf("delete %q: %w", name, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	err = request.Await(ctx)
	if ctx.Err() != nil {
		err = ErrTimeout
	}
	if err != nil {
		return fmt.Errorf("delete %q: %w", name, err)
	}
	return nil
}
