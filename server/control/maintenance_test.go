package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
	"sandtable/server/control"
	"sandtable/server/nethttp"
)

// storeFixture returns a fixture with a storage. Its clock advances by a step each
// time that the handler reads it.
func storeFixture(t *testing.T, storage engine.Storage, step time.Duration) *fixture {
	t.Helper()
	db, err := engine.Open(storage, engine.Options{CheckpointAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	now := time.Date(2026, 11, 20, 18, 44, 2, 0, time.UTC)
	clock := func() time.Time {
		now = now.Add(step)
		return now
	}
	return &fixture{T: t, db: db, handler: control.New(db, server.Options{Now: clock}, control.Options{})}
}

// holedStorage returns a storage with two tables of 3,000 entities in blocks; the WAL
// deletes most of the first table's.
func holedStorage(t *testing.T) *engine.MemoryStorage {
	t.Helper()
	storage := new(engine.MemoryStorage)
	db, err := engine.Open(storage, engine.Options{CheckpointAfter: 1})
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{T: t, db: db}
	f.update(func(tx *engine.Tx) error { return tx.PutAccount(engine.Account{Name: testAccount}) })
	f.fill(testAccount, "holes", 3000)
	f.fill(testAccount, "things", 3000)
	if err := db.Close(); err != nil { // waits for the checkpoint
		t.Fatal(err)
	}
	if db, err = engine.Open(storage, engine.Options{CheckpointAfter: -1}); err != nil {
		t.Fatal(err)
	}
	f.db = db
	f.update(func(tx *engine.Tx) error {
		table, err := tx.Table(testAccount, "holes")
		for i := 10; i < 3000 && err == nil; i++ {
			err = table.Delete(odata.Key{PartitionKey: fmt.Sprint("p", i/1000), RowKey: fmt.Sprintf("%06d", i)}, engine.MustExist)
		}
		return err
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return storage
}

// rotten is a storage that corrupts its blocks.
type rotten struct{ *engine.MemoryStorage }

func (r rotten) ReadBlocks(ids []engine.BlockID) ([][]byte, error) {
	texts, err := r.MemoryStorage.ReadBlocks(ids)
	for i, text := range texts {
		texts[i] = append([]byte(nil), text...)
		texts[i][len(text)/2] ^= 1
	}
	return texts, err
}

// verified is the response of verify.
type verified struct {
	Accounts, Tables, Entities, Blocks, Bytes, WALRecords, UnusedBlocks, ProblemCount int
	Problems                                                                          []string
}

func TestControlVerify(t *testing.T) {
	storage := holedStorage(t)
	var sound verified
	storeFixture(t, storage, 0).control("POST", "verify", "").wantHeader("Content-Type", "application/json").decode(&sound)
	if sound.Accounts != 1 || sound.Tables != 2 || sound.Entities != 3010 || sound.Blocks < 2 || sound.WALRecords != 1 || sound.ProblemCount != 0 || sound.Problems == nil {
		t.Errorf("a sound store: %+v", sound)
	}
	var bad verified
	storeFixture(t, rotten{storage}, 0).control("POST", "verify", "{}").decode(&bad)
	if bad.ProblemCount == 0 || bad.ProblemCount != len(bad.Problems) || !strings.Contains(strings.Join(bad.Problems, "\n"), "bad block") {
		t.Errorf("a corrupt store: %+v", bad)
	}
}

func TestControlCompact(t *testing.T) {
	storage := holedStorage(t)
	f := storeFixture(t, storage, 0)
	var sizes struct {
		Before, After struct{ Blocks, Bytes, WALRecords int }
	}
	var mergeable, left struct{ Blocks, Bytes int }
	f.control("GET", "compact", "").decode(&mergeable)
	f.control("POST", "compact", "").decode(&sizes)
	f.control("GET", "compact", "").decode(&left)
	if sizes.After.Blocks >= sizes.Before.Blocks || sizes.After.Bytes >= sizes.Before.Bytes*2/3 || sizes.Before.WALRecords != 1 || sizes.After.WALRecords != 0 {
		t.Errorf("sizes %+v", sizes)
	}
	if gain := sizes.Before.Bytes - sizes.After.Bytes; mergeable.Bytes < gain/2 || mergeable.Bytes > gain*2 || left.Blocks != 0 || left.Bytes != 0 {
		t.Errorf("mergeable before: %+v, after: %+v", mergeable, left)
	}
	var after verified
	f.control("POST", "verify", "").decode(&after)
	if after.Entities != 3010 || after.ProblemCount != 0 {
		t.Errorf("after it: %+v", after)
	}
}

func TestMaintenanceTakesNoMembers(t *testing.T) {
	f := newFixture(t)
	for action, methods := range map[string]string{"verify": "POST", "compact": "GET, POST"} {
		f.control("POST", action, `{"deep":true}`).wantControlError(400, "InvalidInput", "deep")
		f.control("POST", action, "[").wantControlError(400, "InvalidInput", "")
		f.control("DELETE", action, "").wantStatus(405).wantHeader("Allow", methods)
	}
}

// TestLongMaintenanceReportsProgress: the response consists of lines; the last one is
// the document.
func TestLongMaintenanceReportsProgress(t *testing.T) {
	for action, member := range map[string]string{"verify": "problems", "compact": "after"} {
		f := storeFixture(t, holedStorage(t), 2*time.Second)
		r := f.control("POST", action, "").wantStatus(200).wantHeader("Content-Type", "application/x-ndjson").wantHeader("X-Accel-Buffering", "no")
		lines := strings.Split(strings.TrimSuffix(r.body, "\n"), "\n")
		if len(lines) < 2 {
			t.Errorf("%s: lines %q", action, lines)
		}
		for i, line := range lines {
			var document map[string]any
			if err := json.Unmarshal([]byte(line), &document); err != nil {
				t.Fatalf("%s: %v in %s", action, err, line)
			}
			_, progress := document["progress"]
			_, result := document[member]
			if last := i == len(lines)-1; progress == last || result != last {
				t.Errorf("%s: line %d of %d is %s", action, i, len(lines), line)
			}
		}
	}
}

// leaving is a client that disconnects after the first line.
type leaving struct {
	*httptest.ResponseRecorder
	leave context.CancelFunc
}

func (l *leaving) Flush() { l.leave() }

func TestMaintenanceEndsWithItsClient(t *testing.T) {
	for _, action := range []string{"verify", "compact"} {
		f := storeFixture(t, holedStorage(t), 2*time.Second)
		ctx, leave := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, "POST", "http://localhost:8080/_sandtable/"+action, nil)
		r.Header.Set("X-Sandtable", "test")
		w := &leaving{httptest.NewRecorder(), leave}
		nethttp.Serve(f.handler, w, r)
		if body := w.Body.String(); !strings.HasSuffix(body, "\n") || !strings.Contains(body, `{"error":{"code":"ServerBusy"`) || strings.Count(body, "progress") != 1 {
			t.Errorf("%s: %s", action, body)
		}
	}
}

// TestMaintenanceThatFails: the error is the last line.
func TestMaintenanceThatFails(t *testing.T) {
	storage := &failingBlocks{MemoryStorage: holedStorage(t)}
	f := storeFixture(t, storage, 2*time.Second)
	r := f.control("POST", "verify", "").wantStatus(200)
	if !strings.Contains(r.body, `{"error":{"code":"ServerBusy"`) {
		t.Errorf("lines %s", r.body)
	}
	f.db.Close()
	f.control("POST", "verify", "").wantControlError(503, "ServerBusy", "")
	f.control("POST", "compact", "").wantControlError(503, "ServerBusy", "")
}

// TestCompactOnAFullStorage: the error is about the blocks, as nothing was to be saved.
func TestCompactOnAFullStorage(t *testing.T) {
	f := storeFixture(t, fullStorage{holedStorage(t)}, 0)
	r := f.control("POST", "compact", "")
	r.wantControlError(507, "InsufficientStorage", "")
	if !strings.Contains(r.body, "merged blocks need space") {
		t.Error(r.body)
	}
}

// fullStorage is a storage without space for a checkpoint.
type fullStorage struct{ *engine.MemoryStorage }

func (fullStorage) Checkpoint(engine.Checkpoint) error { return engine.ErrNoSpace }

// failingBlocks is a storage in which only the catalog's block can be read.
type failingBlocks struct {
	*engine.MemoryStorage
	reads int
}

func (s *failingBlocks) ReadBlocks(ids []engine.BlockID) ([][]byte, error) {
	if len(ids) > 2 { // the catalog has one
		s.reads++
	}
	if s.reads > 1 {
		return nil, errors.New("the disk is gone")
	}
	return s.MemoryStorage.ReadBlocks(ids)
}
