//go:build !js

package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"sandtable/engine"
	"sandtable/engine/filestorage"
	"sandtable/odata"
	"sandtable/server"
)

// slowWriter takes longer for its first write than an idle store waits before it makes a
// checkpoint.
type slowWriter struct{ slept bool }

func (w *slowWriter) Write(p []byte) (int, error) {
	if !w.slept {
		w.slept = true
		time.Sleep(10 * engine.DefaultIdleAfter)
	}
	return len(p), nil
}

// TestReadersMakeNoCheckpoint: dump and copy leave the store that they read as it is,
// however long they take, because a checkpoint would hide problems in its WAL.
func TestReadersMakeNoCheckpoint(t *testing.T) {
	for _, test := range []struct {
		name string
		read func(t *testing.T, folder string)
	}{
		{"dump", func(t *testing.T, folder string) {
			if code := run(t.Context(), []string{"dump", "-data", folder}, &slowWriter{}, io.Discard); code != exitSuccess {
				t.Errorf("exit code %d", code)
			}
		}},
		{"copy", func(t *testing.T, folder string) {
			from, err := openSource(context.Background(), folder, "", "", io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * engine.DefaultIdleAfter)
			if err := from.close(); err != nil {
				t.Error(err)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := storeWithLongWAL(t)
			synctest.Test(t, func(t *testing.T) { test.read(t, folder) })
			if made, err := filepath.Glob(filepath.Join(folder, "blocks-*")); err != nil || len(made) > 0 {
				t.Errorf("it made %q, %v", made, err)
			}
		})
	}
}

// storeWithLongWAL makes a store without blocks, whose WAL is long enough for a
// checkpoint when the store is idle.
func storeWithLongWAL(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	s, err := filestorage.Open(folder, filestorage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db, err := engine.Open(s, engine.Options{CheckpointAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *engine.Tx) error {
		if err := errors.Join(tx.PutAccount(server.WellKnown(engine.StrictAccess)), tx.CreateTable(server.WellKnownAccount, "Orders")); err != nil {
			return err
		}
		table, err := tx.Table(server.WellKnownAccount, "Orders")
		if err != nil {
			return err
		}
		_, err = table.Insert(odata.Key{PartitionKey: "p", RowKey: "1"}, []odata.Property{
			{Name: "A", Value: odata.BinaryValue(make([]byte, 60_000))}, {Name: "B", Value: odata.BinaryValue(make([]byte, 60_000))},
		})
		return err
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	return folder
}
