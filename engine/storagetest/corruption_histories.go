package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

// CorruptionHistories runs a history for each of n seeds in which blocks and WAL
// records are repeatedly corrupted between runs on the remaining data: every table
// reports its entities correctly, and each run sees what the one before saw. The
// checkpoint metadata stay intact, because without them the last Timestamp is
// unknown.
func CorruptionHistories(t *testing.T, n int) {
	for seed := range Seeds(t, n) {
		h := corruptHistory{t: t, random: rand.New(rand.NewPCG(seed, 99)), memory: &engine.MemoryStorage{}}
		for range 3 {
			if h.round(); t.Failed() {
				return
			}
		}
	}
}

type corruptHistory struct {
	t      *testing.T
	random *rand.Rand
	memory *engine.MemoryStorage
}

// round works on the store, corrupts it, works on it again and reopens it.
func (h *corruptHistory) round() {
	db := h.open()
	h.work(db, 5+h.random.IntN(15))
	must(h.t, db.Close())
	h.corrupt()

	db = h.open()
	if h.random.IntN(2) == 0 {
		readTables(h.t, db) // finds what is lost
	}
	ContentsOf(h.t, db, account)
	h.work(db, h.random.IntN(10))
	if h.random.IntN(2) == 0 {
		_, _, err := db.Compact(context.Background(), nil)
		must(h.t, err)
	}
	want := ContentsOf(h.t, db, account)
	must(h.t, db.Close())

	db = h.open()
	readTables(h.t, db)
	ContentsOf(h.t, db, account).Check(h.t, want)
	must(h.t, db.Close())
}

func (h *corruptHistory) open() *engine.DB {
	o := options()
	o.CheckpointAfter = []int{-1, 1, 4000, 40_000}[h.random.IntN(4)]
	o.IdleAfter = -1
	o.MemoryBudget = []int{1, 40 << 10, 1 << 20}[h.random.IntN(3)]
	db, err := engine.Open(h.memory, o)
	must(h.t, err)
	// The account may have been lost.
	must(h.t, db.Update(func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: account}) }))
	return db
}

// work runs transactions that accept any state of the store.
func (h *corruptHistory) work(db *engine.DB, steps int) {
	for range steps {
		must(h.t, db.Update(func(tx *engine.Tx) error {
			name := fmt.Sprint("Table", h.random.IntN(3))
			if err := tx.CreateTable(account, name); err != nil && !errors.Is(err, engine.ErrTableExists) {
				return err
			}
			switch h.random.IntN(30) {
			case 0:
				return tx.DeleteTable(account, name)
			case 1, 2, 3:
				return h.snapshot(tx)
			}
			table, err := tx.Table(account, name)
			for range 1 + h.random.IntN(20) {
				if err == nil {
					err = h.change(table)
				}
			}
			return err
		}))
	}
}

// snapshot takes a snapshot, or restores or deletes one.
func (h *corruptHistory) snapshot(tx *engine.Tx) error {
	all := slices.Collect(tx.Snapshots(account))
	if len(all) < 2 {
		_, err := tx.TakeSnapshot(account, "snapshot", engine.SnapshotTaken)
		return err
	}
	s := all[h.random.IntN(len(all))]
	if h.random.IntN(2) == 0 {
		return tx.RestoreSnapshot(account, s.ID)
	}
	return tx.DeleteSnapshot(account, s.ID)
}

func (h *corruptHistory) change(table *engine.Table) error {
	k := odata.Key{PartitionKey: string(rune('a' + h.random.IntN(2))), RowKey: fmt.Sprintf("%02d", h.random.IntN(60))}
	if h.random.IntN(3) > 0 {
		text := odata.StringValue(string(make([]byte, h.random.IntN(3000))))
		_, err := table.Merge(k, []odata.Property{{Name: "Text", Value: text}}, engine.Upsert)
		return err
	}
	if err := table.Delete(k, engine.MustExist); !errors.Is(err, engine.ErrEntityNotFound) {
		return err
	}
	return nil
}

// corrupt flips a bit in one of six blocks and records.
func (h *corruptHistory) corrupt() {
	d, err := h.memory.Load()
	must(h.t, err)
	for _, info := range d.Blocks {
		if h.random.IntN(6) == 0 {
			texts, err := h.memory.ReadBlocks([]engine.BlockID{info.ID})
			must(h.t, err)
			corrupt := engine.Block{BlockInfo: info, Data: h.flip(texts[0])}
			must(h.t, h.memory.Checkpoint(engine.Checkpoint{Puts: []engine.Block{corrupt}, Meta: d.Meta}))
		}
	}
	for _, record := range d.WAL {
		if h.random.IntN(6) == 0 {
			must(h.t, h.memory.Append(record.Seq, h.flip(record.Data)))
		}
	}
	must(h.t, h.memory.Close())
}

func (h *corruptHistory) flip(text []byte) []byte {
	text = bytes.Clone(text)
	text[h.random.IntN(len(text))] ^= 1 << h.random.IntN(8)
	return text
}
