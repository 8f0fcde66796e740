//go:build !js

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sandtable/engine"
	"sandtable/engine/archive"
	"sandtable/odata/connection"
	"sandtable/server"
	"sandtable/server/auth"
	"sandtable/server/nethttp"
	"sandtable/server/pgstore"
	"sandtable/server/transfer"
)

// place is where copy reads or writes: an endpoint, a store of this process
// behind a handler, or a file with the entities of one table.
type place struct {
	name     string           // "" for an endpoint
	version  string           // of a file that is read
	client   *transfer.Client // nil for a file of entities
	file     *transfer.File   // nil for all others
	source   transfer.Source
	target   transfer.Target
	expected func(selected func(table string) bool) int // entities, 0 if unknown
	// corruption is that of a store of this process which affects these tables.
	corruption func(selected func(table string) bool) []engine.Corruption
	// finish does what is left to do after a copy that lacks this many blocks and records.
	finish func(ctx context.Context, missing int, stderr io.Writer) error
	close  func() error
}

// String names the place, without secrets.
func (p *place) String() string {
	if p.name == "" {
		return p.client.URL
	}
	if p.client == nil {
		return p.name
	}
	return p.name + " account " + p.client.Account
}

// localURL is the endpoint of this process's stores, which only their own client can
// reach.
const localURL = "http://127.0.0.1/"

// purpose is what a place is opened for. Only toWrite may change it.
type purpose int

const (
	toRead   purpose = iota // an account must exist
	toDryRun                // an account that is missing is not created
	toWrite
)

// openSource opens an existing place.
func openSource(ctx context.Context, text, account, table string, stderr io.Writer) (*place, error) {
	switch {
	case isDatabase(text):
		return openShared(ctx, text, account, toRead, stderr)
	case !isPath(text):
		return openEndpoint(text, account)
	}
	info, err := os.Stat(text)
	switch {
	case err != nil:
		return nil, err
	case info.Mode().IsRegular():
		return openFile(ctx, text, account, table, stderr)
	}
	data := storeFlags{folder: text}
	if err := data.mustExist(); err != nil {
		return nil, err
	}
	return openStore(ctx, text, account, toRead)
}

// openFile opens an archive, or a file with the entities of one table.
func openFile(ctx context.Context, path, account, table string, stderr io.Writer) (*place, error) {
	format, isTable, err := sniff(path)
	switch {
	case err != nil:
		return nil, err
	case !isTable:
		return openArchive(ctx, path, account, stderr)
	case account != "":
		return nil, usageError{fmt.Errorf("%s has no account: leave its name out", path)}
	}
	return openTableFile(path, table, format, stderr)
}

// openTarget opens a place and creates it if necessary, except for a dry run.
func openTarget(ctx context.Context, text, account, table string, dryRun bool, stderr io.Writer) (*place, error) {
	switch {
	case isDatabase(text) && dryRun:
		return openShared(ctx, text, account, toDryRun, stderr)
	case isDatabase(text):
		return openShared(ctx, text, account, toWrite, stderr)
	case !isPath(text):
		return openEndpoint(text, account)
	case isTableFile(text, table) && account != "":
		return nil, usageError{fmt.Errorf("%s has no account: leave its name out", text)}
	case isTableFile(text, table):
		return newTableFile(text, table)
	case strings.EqualFold(filepath.Ext(text), ".json") && !isFolder(text):
		return nil, usageError{fmt.Errorf("%s would be a folder: an archive ends in .jsonl, a file of one table in .ndjson or .csv", text)}
	case isArchive(text):
		return newArchive(ctx, text, account, stderr) // which a dry run does not finish
	case dryRun:
		return inMemory(ctx, text, account)
	}
	return openStore(ctx, text, account, toWrite)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// isArchive reports whether a target is the file of an archive.
func isArchive(text string) bool {
	return strings.EqualFold(filepath.Ext(text), ".jsonl") && isPath(text)
}

// isPath reports whether a place is a file or a folder.
func isPath(text string) bool { return !connection.Is(text) && !isDatabase(text) }

// isDatabase reports whether a place is the URL of a database, also of one that cannot
// be opened: as the path of a folder it would have its password in the folder's name.
func isDatabase(text string) bool { return strings.Contains(text, "://") && !connection.Is(text) }

func openEndpoint(text, account string) (*place, error) {
	if account != "" {
		return nil, errors.New("an endpoint has one account: leave its name out")
	}
	endpoint, err := connection.Parse(text)
	if err != nil {
		return nil, err
	}
	client := &http.Client{
		Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 64},
		Timeout:   time.Minute,
		// A redirected write would become a read, and the other host would learn the signature.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return newPlace("", &transfer.Client{Endpoint: endpoint, HTTP: client}), nil
}

func newPlace(name string, client *transfer.Client) *place {
	p := &place{name: name, client: client, finish: func(context.Context, int, io.Writer) error { return nil }, close: func() error { return nil },
		expected: func(func(string) bool) int { return 0 }, corruption: func(func(string) bool) []engine.Corruption { return nil }}
	if client != nil {
		p.source, p.target = client, client
	}
	return p
}

// openStore opens a data folder. A place to read makes no checkpoint, which would hide
// problems in the WAL.
func openStore(ctx context.Context, folder, account string, purpose purpose) (*place, error) {
	data := storeFlags{folder: folder}
	if purpose == toRead {
		data.options.CheckpointAfter = -1
	}
	db, err := data.open(nil)
	if err != nil {
		return nil, err
	}
	return placeIn(ctx, absolute(folder), db, account, purpose)
}

// inMemory returns a place that is gone when it is closed.
func inMemory(ctx context.Context, name, account string) (*place, error) {
	db, err := engine.Open(new(engine.MemoryStorage), engine.Options{})
	if err != nil {
		return nil, err
	}
	return placeIn(ctx, absolute(name), db, account, toWrite)
}

// placeIn returns the place of an account in a store of this process, which it closes
// if it fails.
func placeIn(ctx context.Context, name string, db *engine.DB, account string, purpose purpose) (p *place, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	var all []engine.Account
	err = db.View(func(tx *engine.Tx) error {
		all = slices.Collect(tx.Accounts())
		return nil
	})
	if err != nil {
		return nil, err
	}
	if p, err = placeOver(ctx, name, server.OverEngine(db), all, account, purpose); err != nil {
		return nil, err
	}
	p.close = db.Close
	p.corruption = func(selected func(string) bool) []engine.Corruption {
		return slices.DeleteFunc(db.Corruption(), func(c engine.Corruption) bool {
			return c.Account != "" && (c.Account != p.client.Account || !selected(c.Table)) // without a name it may affect any table
		})
	}
	p.expected = func(selected func(string) bool) (n int) {
		_ = db.View(func(tx *engine.Tx) error { // fails only if the callback fails
			for table := range tx.Tables(p.client.Account, "") {
				if selected(table.Name) {
					n += table.Entities
				}
			}
			return nil
		})
		return n
	}
	return p, nil
}

// openShared opens a database that servers share.
func openShared(ctx context.Context, url, account string, purpose purpose, stderr io.Writer) (*place, error) {
	if !strings.HasPrefix(url, "postgres://") && !strings.HasPrefix(url, "postgresql://") {
		return nil, usageError{errors.New("the URL of a database begins with postgres://, that of an endpoint with https:// or http://")}
	}
	var found corruptions
	store, err := pgstore.Open(ctx, url, pgstore.Options{ReadOnly: purpose != toWrite, OnCorruption: found.add})
	if err != nil {
		return nil, err
	}
	var p *place
	all, err := store.Accounts(ctx)
	if err == nil {
		p, err = placeOver(ctx, store.String(), store, all, account, purpose, &reasons{w: stderr})
	}
	if err != nil {
		store.Close()
		return nil, err
	}
	p.corruption = func(func(string) bool) []engine.Corruption { return found.list() }
	p.close = func() error {
		store.Close()
		return nil
	}
	return p, nil
}

// placeOver returns the place of one of the accounts of a store. Tables are created in
// the store itself, because the endpoint refuses Cosmos DB's names for new ones.
func placeOver(ctx context.Context, name string, store server.Store, all []engine.Account, account string, purpose purpose, observers ...server.Observer) (*place, error) {
	chosen, add, err := chooseAccount(all, account, purpose)
	if err == nil && add {
		err = store.Update(ctx, &server.Scope{Account: chosen.Name}, func(tx server.Tx) error { return tx.PutAccount(chosen) })
	}
	if err != nil {
		return nil, err
	}
	return newPlace(name, &transfer.Client{
		Endpoint: connection.Endpoint{URL: localURL + chosen.Name, Account: chosen.Name, Key: chosen.Keys[0]},
		HTTP:     transfer.OverHandler(nethttp.Handler(server.NewOver(store, server.Options{Observers: observers}))),
		Create: func(ctx context.Context, table string) error {
			err := store.Update(ctx, &server.Scope{Account: chosen.Name, Table: table}, func(tx server.Tx) error { return tx.CreateTable(table) })
			if errors.Is(err, engine.ErrTableExists) {
				return nil
			}
			return err
		},
	}), nil
}

var errSeveralAccounts = errors.New("the store has several accounts")

// chooseAccount returns the account with a name, or the only one. Unless the place is
// to be read, it returns a new account for a missing one, by default the emulator's,
// and reports whether that is to be added.
func chooseAccount(all []engine.Account, name string, purpose purpose) (chosen engine.Account, add bool, err error) {
	switch {
	case name == "" && len(all) == 1:
		return all[0], false, nil
	case name == "" && len(all) > 1:
		return chosen, false, errSeveralAccounts
	}
	for _, account := range all {
		if account.Name == name {
			return account, false, nil
		}
	}
	if purpose == toRead {
		return chosen, false, fmt.Errorf("%w: %q", engine.ErrAccountNotFound, name)
	}
	if chosen = server.WellKnown(engine.StrictAccess); name != "" && name != chosen.Name {
		chosen = engine.Account{Name: name, Keys: [2][]byte{auth.NewKey(), auth.NewKey()}}
	}
	return chosen, purpose == toWrite, nil
}

// openArchive loads an archive into memory.
func openArchive(ctx context.Context, path, account string, stderr io.Writer) (*place, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	db, _, err := readArchive(ctx, path, stderr)
	if err != nil {
		return nil, err
	}
	p, err := placeIn(ctx, absolute(path), db, account, toRead)
	if err != nil {
		return nil, err
	}
	p.version = versionOf(info)
	return p, nil
}

// readArchive loads a file into memory and reports whether it has its accounts' keys.
// Accounts without them get others.
func readArchive(ctx context.Context, path string, stderr io.Writer) (db *engine.DB, keys bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	if db, err = engine.Open(new(engine.MemoryStorage), engine.Options{}); err != nil {
		return nil, false, err
	}
	keys = true
	options := archive.LoadOptions{Keys: func(account string) [2][]byte {
		keys = false
		return wellKnownKeys(account)
	}}
	source := readUntilDone(ctx, file)
	defer source.Close()
	if err := loadFrom(db, source, options, stderr); err != nil {
		return nil, false, errors.Join(fmt.Errorf("%s: %w", path, err), db.Close())
	}
	return db, keys, nil
}

// versionOf tells the states of a file apart.
func versionOf(info os.FileInfo) string {
	return fmt.Sprintf(" (%d bytes, changed %s)", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano))
}

// newArchive collects an archive's content in memory, after that of an existing one.
func newArchive(ctx context.Context, path, account string, stderr io.Writer) (*place, error) {
	db, keys, err := readArchive(ctx, path, stderr)
	if errors.Is(err, fs.ErrNotExist) {
		db, err = engine.Open(new(engine.MemoryStorage), engine.Options{})
	}
	if err != nil {
		return nil, err
	}
	p, err := placeIn(ctx, absolute(path), db, account, toWrite)
	if err != nil {
		return nil, err
	}
	p.finish = func(ctx context.Context, missing int, stderr io.Writer) error {
		return dumpTo(ctx, db, path, archive.DumpOptions{Keys: keys, Missing: missing}, io.Discard, stderr)
	}
	return p, nil
}
