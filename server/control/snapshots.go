package control

import (
	"errors"
	"fmt"

	"sandtable/engine"
	"sandtable/server/message"
)

// listSnapshots lists the snapshots of an account, the oldest first.
func (c *call) listSnapshots() (int, []byte, error) {
	return c.view(func(tx *engine.Tx) ([]byte, error) {
		state, err := tx.AccountState(c.name)
		if err != nil {
			return nil, err
		}
		list, bytes := [][]byte{}, int64(0)
		for listed := range tx.Snapshots(c.name) {
			s, err := tx.Snapshot(c.name, listed.ID)
			if err != nil {
				return nil, err
			}
			list = append(list, describeSnapshot(s))
			bytes += s.Bytes
		}
		var o object
		o.string("state", stateText(state))
		o.int("bytes", int(bytes))
		o.int("limit", engine.MaxSnapshots)
		o.list("snapshots", list)
		return o.end(), nil
	})
}

// stateText is a state in a form that JavaScript does not round.
func stateText(state uint64) string { return fmt.Sprintf("%016x", state) }

func describeSnapshot(s engine.Snapshot) []byte {
	var o object
	o.string("id", s.ID)
	o.string("name", s.Name)
	o.string("kind", string(s.Kind))
	o.string("taken", s.Taken.String())
	o.int("tables", s.Tables)
	o.int("entities", s.Entities)
	o.int("bytes", int(s.Bytes))
	o.string("state", stateText(s.State))
	if s.Incomplete {
		o.bool("incomplete", true)
	}
	return o.end()
}

// takeSnapshot takes a snapshot, or begins one that is then loaded from a file.
func (c *call) takeSnapshot() (int, []byte, error) {
	m, err := c.members()
	if err != nil {
		return 0, nil, err
	}
	name := m.string("name")
	kind := engine.SnapshotKind(m.oneOf("kind", string(engine.SnapshotTaken), string(engine.SnapshotImport), string(engine.SnapshotDelete), string(engine.SnapshotFile)))
	if err := m.finish(); err != nil {
		return 0, nil, err
	}
	var s engine.Snapshot
	err = c.db.Update(func(tx *engine.Tx) (err error) {
		switch kind {
		case engine.SnapshotFile:
			s, err = tx.BeginSnapshot(c.name, name)
		case "", engine.SnapshotTaken:
			s, err = tx.TakeSnapshot(c.name, name, engine.SnapshotTaken)
		default:
			if err = makeSpace(tx, c.name, ""); err == nil {
				s, err = tx.TakeSnapshot(c.name, name, kind)
			}
		}
		return err
	})
	return message.StatusCreated, describeSnapshot(s), err
}

func (c *call) renameSnapshot() (int, []byte, error) {
	m, err := c.members()
	if err != nil {
		return 0, nil, err
	}
	name := m.string("name")
	if err := m.finish(); err != nil {
		return 0, nil, err
	}
	var s engine.Snapshot
	err = c.db.Update(func(tx *engine.Tx) (err error) {
		if err = tx.RenameSnapshot(c.name, c.query.Get("id"), name); err == nil {
			s, err = tx.Snapshot(c.name, c.query.Get("id"))
		}
		return err
	})
	return message.StatusOK, describeSnapshot(s), err
}

func (c *call) deleteSnapshot() (int, []byte, error) {
	err := c.db.Update(func(tx *engine.Tx) error { return tx.DeleteSnapshot(c.name, c.query.Get("id")) })
	return message.StatusNoContent, nil, err
}

// restoreSnapshot restores a snapshot, and in the same step takes one of the state
// before, unless that is not wanted or is the state of another snapshot.
func (c *call) restoreSnapshot() (int, []byte, error) {
	m, err := c.members()
	if err != nil {
		return 0, nil, err
	}
	id, keep := m.string("id"), m.bool("keep")
	if err := m.finish(); err != nil {
		return 0, nil, err
	}
	var restored engine.Snapshot
	var before *engine.Snapshot
	err = c.db.Update(func(tx *engine.Tx) (err error) {
		before = nil
		if restored, err = tx.Snapshot(c.name, id); err != nil {
			return err
		}
		if keep == nil || *keep {
			if before, err = keepState(tx, c.name, restored); err != nil {
				return err
			}
		}
		return tx.RestoreSnapshot(c.name, id)
	})
	if err != nil {
		return 0, nil, err
	}
	c.service.UnblockDeletedTables(c.name)
	var o object
	o.raw("restored", describeSnapshot(restored))
	if before == nil {
		o.null("before")
	} else {
		o.raw("before", describeSnapshot(*before))
	}
	return ok(o.end())
}

// keepState takes a snapshot of an account before another one is restored. It
// returns the snapshot that has this state already, if there is one.
func keepState(tx *engine.Tx, account string, next engine.Snapshot) (*engine.Snapshot, error) {
	s, err := tx.CurrentSnapshot(account)
	if !errors.Is(err, engine.ErrSnapshotNotFound) {
		return &s, err
	}
	if err := makeSpace(tx, account, next.ID); err != nil {
		return nil, err
	}
	name := []rune("before restoring " + next.Name)
	s, err = tx.TakeSnapshot(account, string(name[:min(len(name), engine.MaxSnapshotName)]), engine.SnapshotRestore)
	return &s, err
}

// makeSpace deletes the oldest automatic snapshot that is not
// the one to keep, if there is no space for another one.
func makeSpace(tx *engine.Tx, account, keep string) error {
	n, oldest := 0, ""
	for s := range tx.Snapshots(account) {
		n++
		if oldest == "" && s.ID != keep && s.Kind.Automatic() {
			oldest = s.ID
		}
	}
	if n < engine.MaxSnapshots || oldest == "" {
		return nil // TakeSnapshot says so
	}
	return tx.DeleteSnapshot(account, oldest)
}

const (
	// countedDifferences is how many differing entities are counted in all.
	countedDifferences = 20_000
	// shownDifferences and shownBytes limit how many are listed.
	shownDifferences = 1000
	shownBytes       = 1 << 20
)

// compareSnapshot reports what restoring a snapshot would change.
func (c *call) compareSnapshot() (int, []byte, error) {
	limit, err := c.queryNumber("limit", 100)
	if err != nil {
		return 0, nil, err
	}
	return c.view(func(tx *engine.Tx) ([]byte, error) {
		account, err := tx.Account(c.name)
		if err != nil {
			return nil, err
		}
		s, err := tx.Snapshot(c.name, c.query.Get("id"))
		if err != nil {
			return nil, err
		}
		tables, err := tx.CompareSnapshot(c.name, s.ID)
		if err != nil {
			return nil, err
		}
		d := differences{limit: int(min(limit, shownDifferences)), complete: true}
		for _, table := range tables {
			if err := d.table(table); err != nil {
				return nil, err
			}
		}
		return d.document(account.Properties != s.Properties), nil
	})
}

// differences counts differing entities and keeps the first of them.
type differences struct {
	limit    int
	complete bool // everything was counted
	counted  int
	total    counters
	tables   [][]byte
	first    [][]byte
	bytes    int // of first
}

// counters count the entities that restoring brings back, removes and changes.
type counters struct{ back, gone, changed int }

func (n *counters) add(d engine.Difference) {
	switch {
	case d.Before == nil:
		n.back++
	case d.After == nil:
		n.gone++
	default:
		n.changed++
	}
}

func (n counters) describe(o *object) {
	o.int("comeBack", n.back)
	o.int("go", n.gone)
	o.int("change", n.changed)
}

func (d *differences) table(t engine.TableDifference) error {
	var n counters
	for difference, err := range t.Differences {
		if err != nil {
			return err
		}
		d.keep(t.Name, difference)
		n.add(difference)
		d.counted++
		// The numbers of a table that only one of them has are known.
		if known := t.Created || t.Deleted; known && len(d.first) >= d.limit {
			break
		} else if d.counted >= countedDifferences {
			d.complete = d.complete && known
			break
		}
	}
	switch {
	case t.Created:
		n = counters{back: t.Entities}
	case t.Deleted:
		n = counters{gone: t.Entities}
	}
	if n == (counters{}) && !t.Created && !t.Deleted && !t.Policies {
		return nil // unchanged
	}
	d.total.back, d.total.gone, d.total.changed = d.total.back+n.back, d.total.gone+n.gone, d.total.changed+n.changed
	var o object
	o.string("name", t.Name)
	n.describe(&o)
	o.bool("created", t.Created)
	o.bool("deleted", t.Deleted)
	o.bool("policies", t.Policies)
	d.tables = append(d.tables, o.end())
	return nil
}

func (d *differences) keep(table string, difference engine.Difference) {
	if len(d.first) >= d.limit || d.bytes >= shownBytes {
		return
	}
	var o object
	o.string("table", table)
	o.entity("before", difference.Before)
	o.entity("after", difference.After)
	document := o.end()
	d.first, d.bytes = append(d.first, document), d.bytes+len(document)
}

func (d *differences) document(properties bool) []byte {
	var o object
	o.bool("complete", d.complete)
	d.total.describe(&o)
	o.bool("properties", properties)
	o.list("tables", d.tables)
	o.list("first", d.first)
	return o.end()
}
