//go:build !js

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"sandtable/engine"
	"sandtable/engine/filestorage"
	"sandtable/server"
)

// storeFlags are the flags of a command that opens a store.
type storeFlags struct {
	folder     string // "" is memory
	durability engine.Durability
	noDefault  error // the reason why there is no default folder
	options    engine.Options
	storage    *filestorage.Storage // nil before open, and in memory
}

// register registers the flags, -data with its usage.
func (f *storeFlags) register(flags *flag.FlagSet, folder string) {
	f.registerFolder(flags, folder)
	flags.Func("durability", "when a write is acknowledged: `strict` (once the disk has it, so it survives a power failure)\nor relaxed (once the operating system has it, so it survives the end of the process;\na power failure can destroy the whole store) (default strict)", f.setDurability)
}

// registerFolder registers only -data.
func (f *storeFlags) registerFolder(flags *flag.FlagSet, usage string) {
	f.folder, f.noDefault = dataFolder()
	flags.StringVar(&f.folder, "data", f.folder, usage)
}

func (f *storeFlags) setDurability(name string) (err error) {
	f.durability, err = engine.ParseDurability(name)
	return err
}

// given reports whether a flag is on the command line.
func given(flags *flag.FlagSet, name string) (is bool) {
	flags.Visit(func(f *flag.Flag) { is = is || f.Name == name })
	return is
}

// open opens the store after the flags were parsed.
func (f *storeFlags) open(flags *flag.FlagSet) (*engine.DB, error) {
	switch {
	case isDatabase(f.folder):
		return nil, errNotFolder
	case f.folder != "":
	case !given(flags, "data"):
		return nil, fmt.Errorf("no data folder: set -data: %w", f.noDefault)
	default:
		return engine.Open(new(engine.MemoryStorage), engine.Options{})
	}
	storage, err := filestorage.Open(f.folder, filestorage.Options{Durability: f.durability})
	if errors.Is(err, engine.ErrCorrupt) {
		return nil, fmt.Errorf("%w\n\"sandtable salvage -data %s\" opens it with what can be read, and keeps corrupt files", err, f.folder)
	}
	if err != nil {
		return nil, err
	}
	db, err := engine.Open(storage, f.options)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", f.folder, err), storage.Close())
	}
	f.storage = storage
	return db, nil
}

// authorityFolder is the folder of the certificate authority: the data folder, or the
// default one for data in memory.
func (f *storeFlags) authorityFolder() string {
	if f.folder != "" {
		return f.folder
	}
	folder, err := dataFolder()
	if err != nil {
		return "."
	}
	return folder
}

// changeDurability changes the open store's durability, which the start line prints.
// The handler changes one setting at a time.
func (f *storeFlags) changeDurability(durability engine.Durability) error {
	if err := f.storage.SetDurability(durability); err != nil {
		return err
	}
	f.durability = durability
	return nil
}

// kind returns the storage's name in the control API, and its durability.
func (f *storeFlags) kind() (store string, durability engine.Durability) {
	if f.folder == "" {
		return "memory", engine.Relaxed
	}
	return "file", f.durability
}

// where describes the location of the data.
func (f *storeFlags) where(flags *flag.FlagSet) string {
	if f.folder == "" {
		return "data in memory"
	}
	text := "data in " + f.folder
	if !given(flags, "data") {
		text += `, the default; -data "" keeps it in memory`
	}
	if f.durability == engine.Relaxed {
		text += ", not safe from power failures"
	}
	return text
}

// reportCorruption prints the corruption found when the store was opened.
func reportCorruption(w io.Writer, db *engine.DB) {
	corruption := db.Corruption()
	for _, c := range corruption {
		fmt.Fprintln(w, "corruption:", oneLine(c.String()))
	}
	if len(corruption) > 0 {
		fmt.Fprintln(w, "Corrupt data is quarantined; everything else is available.")
	}
}

// dataFolder returns the default data folder, in the operating system's place for the
// user's data.
//
// Source: "XDG Base Directory Specification",
// https://specifications.freedesktop.org/basedir/latest/.
func dataFolder() (string, error) {
	folder := ""
	switch runtime.GOOS {
	case "windows":
		folder = os.Getenv("LocalAppData")
	case "darwin", "ios": // the fallback is right there
	default:
		folder = os.Getenv("XDG_DATA_HOME")
		if home, err := os.UserHomeDir(); err == nil && !filepath.IsAbs(folder) {
			folder = filepath.Join(home, ".local", "share")
		}
	}
	if !filepath.IsAbs(folder) {
		var err error
		if folder, err = os.UserConfigDir(); err != nil {
			return "", err
		}
	}
	return filepath.Join(folder, "sandtable"), nil
}

// putAccounts ensures that the store has the given accounts with their keys, and at
// least one account. It keeps everything else, including a given account's tables,
// second key and service properties. All accounts get the access level of this
// command line. It returns all accounts.
func putAccounts(db *engine.DB, given []engine.Account, access engine.Access) (all []engine.Account, err error) {
	err = db.Update(func(tx *engine.Tx) error {
		all = withAccounts(slices.Collect(tx.Accounts()), given, access)
		for _, account := range all {
			if err := tx.PutAccount(account); err != nil {
				return err
			}
		}
		return nil
	})
	return all, err
}

// withAccounts returns the stored accounts, in their order, with what putAccounts
// changes and adds.
func withAccounts(stored, given []engine.Account, access engine.Access) []engine.Account {
	all := slices.Clone(stored)
	if len(stored)+len(given) == 0 {
		given = []engine.Account{server.WellKnown(engine.StrictAccess)}
	}
	for _, account := range given {
		all = withAccount(all, account)
	}
	for i := range all {
		all[i].Access = access
	}
	return all
}

// withAccount adds an account or replaces the keys of an existing one.
func withAccount(accounts []engine.Account, given engine.Account) []engine.Account {
	for i, account := range accounts {
		if account.Name == given.Name {
			accounts[i].Keys[0] = given.Keys[0]
			if given.Keys[1] != nil {
				accounts[i].Keys[1] = given.Keys[1]
			}
			return accounts
		}
	}
	return append(accounts, given)
}
