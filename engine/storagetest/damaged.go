package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"sandtable/engine"
	"sandtable/odata"
)

// DamagedHistories runs a history for each of n seeds in which blocks and
// records of the log are damaged, again and again, between runs that work on
// what is left: every table knows what it has, and what a run has seen the next
// one sees. The text beside the blocks is not damaged: without it nobody knows
// which Timestamps were given.
func DamagedHistories(t *testing.T, n int) {
	for seed := range Seeds(n) {
		h := damagedHistory{t: t, random: rand.New(rand.NewPCG(seed, 99)), memory: &engine.MemoryStorage{}}
		for range 3 {
			h.round()
			if t.Failed() {
				t.Fatalf("history with -seed=%d", seed)
			}
		}
	}
}

type damagedHistory struct {
	t      *testing.T
	random *rand.Rand
	memory *engine.MemoryStorage
}

// round works on the store, damages it, works on it again, and opens it once
// more.
func (h *damagedHistory) round() {
	db := h.open()
	h.work(db, 5+h.random.IntN(15))
	must(h.t, db.Close())
	h.damage()

	db = h.open()
	if h.random.IntN(2) == 0 {
		readTables(h.t, db) // so that what is lost is known
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

func (h *damagedHistory) open() *engine.DB {
	o := options()
	o.CheckpointAfter = []int{-1, 1, 4000, 40_000}[h.random.IntN(4)]
	o.IdleAfter = -1
	o.MemoryBudget = []int{1, 40 << 10, 1 << 20}[h.random.IntN(3)]
	db, err := engine.Open(h.memory, o)
	must(h.t, err)
	// The account may be what was lost.
	must(h.t, db.Update(func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: account}) }))
	return db
}

// work does transactions that take the store as they find it.
func (h *damagedHistory) work(db *engine.DB, steps int) {
	for range steps {
		must(h.t, db.Update(func(tx *engine.Tx) error {
			name := fmt.Sprint("Table", h.random.IntN(3))
			if err := tx.CreateTable(account, name); err != nil && !errors.Is(err, engine.ErrTableExists) {
				return err
			}
			if h.random.IntN(30) == 0 {
				return tx.DeleteTable(account, name)
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

func (h *damagedHistory) change(table *engine.Table) error {
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

// damage changes a bit in one of six blocks and records.
func (h *damagedHistory) damage() {
	d, err := h.memory.Load()
	must(h.t, err)
	for _, info := range d.Blocks {
		if h.random.IntN(6) == 0 {
			texts, err := h.memory.ReadBlocks([]engine.BlockID{info.ID})
			must(h.t, err)
			damaged := engine.Block{BlockInfo: info, Data: h.flip(texts[0])}
			must(h.t, h.memory.Checkpoint(engine.Checkpoint{Puts: []engine.Block{damaged}, Meta: d.Meta}))
		}
	}
	for _, record := range d.WAL {
		if h.random.IntN(6) == 0 {
			must(h.t, h.memory.Append(record.Seq, h.flip(record.Data)))
		}
	}
	must(h.t, h.memory.Close())
}

func (h *damagedHistory) flip(text []byte) []byte {
	text = bytes.Clone(text)
	text[h.random.IntN(len(text))] ^= 1 << h.random.IntN(8)
	return text
}
