package engine

import (
	"context"
	"fmt"
	"slices"
)

// CorruptionKind says what a [Corruption] is about.
type CorruptionKind uint8

// The kinds of damage.
const (
	// CorruptBlock is a run of entities of one table that cannot be read. The
	// storage keeps it.
	CorruptBlock CorruptionKind = iota
	// CorruptRecord is a commit of the log that cannot be read, or is missing, or
	// changed tables that are not in the catalog; what it changed there is as it
	// was before. The storage keeps the record, if there is one.
	CorruptRecord
	// CorruptMeta is the text beside the blocks. Nothing is lost with it but
	// the certainty that no Timestamp of a deleted entity is given again.
	CorruptMeta
)

// Corruption is something in the storage that was not what had been written, and
// was set aside so that the rest could be opened.
type Corruption struct {
	Kind    CorruptionKind
	Account string    // of a CorruptBlock, if it is known
	Table   string    // of a CorruptBlock, if it is known
	Block   BlockInfo // of a CorruptBlock: Count entities, from First on, are lost
	Seq     uint64    // of a CorruptRecord
	Err     error     // wraps ErrCorrupt
}

// String says what was lost and why, in one line.
func (d Corruption) String() string {
	text := "the checkpoint's text"
	switch d.Kind {
	case CorruptBlock:
		text = fmt.Sprintf("block %d with %d entities of table %q of account %q from %q on",
			d.Block.ID, d.Block.Count, d.Table, d.Account, d.Block.First)
	case CorruptRecord:
		text = fmt.Sprintf("record %d of the log", d.Seq)
	}
	if d.Err == nil {
		return text
	}
	return text + ": " + d.Err.Error()
}

// ForgetCorruption gives up what was set aside as damaged, for a store that was
// emptied on purpose: [DB.Corruption] lists nothing any more, and the storage drops
// what it kept with the checkpoint that this begins. Should that fail, or the
// program end before, the next opening lists it again. It waits for a
// checkpoint that is under way.
func (db *DB) ForgetCorruption() error {
	if err := db.leadAlone(context.Background()); err != nil {
		return err
	}
	defer db.resign(nil)
	w := &db.writer
	db.damageMu.Lock()
	w.stale = append(w.stale, w.damaged...)
	w.stale = append(w.stale, w.evidence...)
	for _, id := range db.lost {
		if !slices.Contains(w.damaged, id) {
			w.stale = append(w.stale, id)
		}
	}
	db.damage, db.lost = nil, nil
	db.damageMu.Unlock()
	w.damaged, w.evidence, w.aside = nil, nil, nil
	db.begin(0, nil)
	return nil
}
