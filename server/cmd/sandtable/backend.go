//go:build !js

package main

import (
	"context"
	"errors"
	"io"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/message"
	"sandtable/server/metrics"
)

// backend is the storage of serve.
type backend interface {
	// prepare adds the accounts of the command line and returns all.
	prepare(ctx context.Context, stderr io.Writer) ([]engine.Account, error)
	// handler returns the handler and a function that ends endless responses.
	handler(server.Options) (h message.Handler, stop func())
	// ready returns why requests cannot be answered now.
	ready(context.Context) error
	gauges() []metrics.Gauge
	where() string
	close() error
}

// openBackend opens what the flags name.
func (f *serveFlags) openBackend(ctx context.Context, stderr io.Writer) (backend, error) {
	if f.database.url != "" {
		return f.openDatabase(ctx, stderr)
	}
	return f.openFolder(stderr)
}

// folderBackend is a store that only this process uses.
type folderBackend struct {
	*serveFlags
	db *engine.DB
}

func (f *serveFlags) openFolder(stderr io.Writer) (backend, error) {
	f.data.options.OnCorruption = func(c engine.Corruption) { logCorruption(stderr, time.Now(), c) }
	db, err := f.data.open(f.FlagSet)
	if err != nil {
		return nil, err
	}
	reportCorruption(stderr, db)
	return &folderBackend{f, db}, nil
}

// prepare fills the store with the accounts and the seed. The seed's accounts also get
// the access level of the command line.
func (b *folderBackend) prepare(ctx context.Context, stderr io.Writer) ([]engine.Account, error) {
	accounts, err := putAccounts(b.db, b.accounts, b.access())
	if err != nil {
		return nil, err
	}
	if err := b.seed.load(ctx, b.db, b.data.folder, stderr); err != nil || b.seed.path == "" {
		return accounts, err
	}
	return putAccounts(b.db, nil, b.access())
}

func (b *folderBackend) handler(options server.Options) (message.Handler, func()) {
	return b.control.handler(b.db, options, b.controlOptions())
}

// errCheckpoints means that the WAL cannot be merged into blocks, so the disk is
// probably full.
var errCheckpoints = errors.New("checkpoints are failing")

func (b *folderBackend) ready(context.Context) error {
	if b.db.Stats().Failing != nil {
		return errCheckpoints
	}
	if s := b.data.storage; s != nil && s.Failed() != nil {
		return s.Failed()
	}
	return b.db.View(func(*engine.Tx) error { return nil })
}

func (b *folderBackend) gauges() []metrics.Gauge {
	return []metrics.Gauge{
		{Name: "sandtable_store_blocks", Help: "Blocks of all tables.", Value: func() float64 { return float64(b.db.Stats().Blocks) }},
		{Name: "sandtable_store_memory_bytes", Help: "Memory of the blocks in memory.", Value: func() float64 { return float64(b.db.Stats().Memory) }},
		{Name: "sandtable_store_corruptions", Help: "Blocks and WAL records in quarantine.", Value: func() float64 { return float64(len(b.db.Corruption())) }},
	}
}

func (b *folderBackend) where() string { return b.data.where(b.FlagSet) }

func (b *folderBackend) close() error { return b.db.Close() }
