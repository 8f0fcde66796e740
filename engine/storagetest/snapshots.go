package storagetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sandtable/engine"
	"sandtable/odata"
)

func snapshotPath(id string) string { return "@" + id + "/" }

func isOfSnapshot(path string, _ *odata.Entity) bool { return strings.HasPrefix(path, "@") }

// addSnapshot adds the contents of a snapshot.
func (c Contents) addSnapshot(id string, own Contents) {
	c[snapshotPath(id)] = nil
	for path, e := range own {
		c[snapshotPath(id)+path] = e
	}
}

// snapshots returns the identities of the snapshots, in order.
func (c Contents) snapshots() (ids []string) {
	for path := range c {
		if id, ok := strings.CutPrefix(path, "@"); ok && strings.Count(id, "/") == 1 && strings.HasSuffix(id, "/") {
			ids = append(ids, strings.TrimSuffix(id, "/"))
		}
	}
	slices.Sort(ids)
	return ids
}

// restore replaces everything but the snapshots by the contents of one.
func (c Contents) restore(id string) {
	prefix := snapshotPath(id)
	own := make(Contents)
	for path, e := range c {
		if rest, ok := strings.CutPrefix(path, prefix); ok && rest != "" {
			own[rest] = e
		}
	}
	maps.DeleteFunc(c, func(path string, e *odata.Entity) bool { return !isOfSnapshot(path, e) })
	maps.Copy(c, own)
}

// snapshotOperation takes, restores or deletes a snapshot.
func (w *worker) snapshotOperation(tx *engine.Tx) error {
	ids := w.pending.snapshots()
	if len(ids) == 0 || len(ids) < 4 && w.random.IntN(2) == 0 {
		s, err := tx.TakeSnapshot(w.account, fmt.Sprint("snapshot ", len(ids)), engine.SnapshotTaken)
		if err != nil {
			return fmt.Errorf("take a snapshot: %w", err)
		}
		own := maps.Clone(w.pending)
		maps.DeleteFunc(own, isOfSnapshot)
		w.pending.addSnapshot(s.ID, own)
		return nil
	}
	id := ids[w.random.IntN(len(ids))]
	if len(ids) < 4 && w.random.IntN(3) > 0 {
		w.pending.restore(id)
		return tx.RestoreSnapshot(w.account, id)
	}
	maps.DeleteFunc(w.pending, func(path string, _ *odata.Entity) bool { return strings.HasPrefix(path, snapshotPath(id)) })
	if err := tx.DeleteSnapshot(w.account, id); err != nil {
		return fmt.Errorf("delete a snapshot: %w", err)
	}
	if err := tx.RestoreSnapshot(w.account, id); !errors.Is(err, engine.ErrSnapshotNotFound) {
		return fmt.Errorf("restore a deleted snapshot: %v", err)
	}
	return nil
}
