package engine

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"sandtable/engine/internal/encoding"
	"sandtable/engine/samples"
	"sandtable/odata"
)

// -sample writes a sample store in the current format if there is none.
var writeSample = flag.Bool("sample", false, "write the sample of the current format if there is none")

// storedSample is a directory and its blocks as JSON.
type storedSample struct {
	Directory Directory
	Blocks    []Block
}

// makeSample fills a store: one table in blocks, one in the WAL, and a deleted one.
func makeSample(t *testing.T) *MemoryStorage {
	m := &MemoryStorage{}
	clock := func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }
	for i, name := range []string{"InBlocks", "InTheLog"} {
		db, err := Open(m, Options{Now: clock, CheckpointAfter: 1 - 2*i})
		if err != nil {
			t.Fatal(err)
		}
		err = db.Update(func(tx *Tx) error {
			_ = tx.PutAccount(Account{Name: "sample", Keys: [2][]byte{{1}, {2, 3}}, Access: OpenAccess})
			_ = tx.CreateTable("sample", "Gone")
			if err := tx.CreateTable("sample", name); err != nil {
				return err
			}
			table, err := tx.Table("sample", name)
			for _, e := range samples.Entities() {
				if err == nil {
					_, err = table.Insert(e.Key(), e.Properties)
				}
			}
			return err
		})
		if err == nil {
			err = db.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	db, err := Open(m, Options{Now: clock, CheckpointAfter: -1})
	if err == nil {
		err = db.Update(func(tx *Tx) error { return tx.DeleteTable("sample", "gone") })
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestWriteSample(t *testing.T) {
	if !*writeSample {
		t.Skip("writes a file into the source tree; needs -sample")
	}
	name := fmt.Sprintf("samples/format-%d.json", encoding.Version)
	if _, err := os.Stat(name); err == nil {
		t.Fatalf("%s already exists", name)
	}
	m := makeSample(t)
	s := storedSample{}
	s.Directory, _ = m.Load()
	for _, info := range s.Directory.Blocks {
		s.Blocks = append(s.Blocks, m.blocks[info.ID])
	}
	text, err := json.MarshalIndent(s, "", " ")
	if err == nil {
		err = os.WriteFile(name, append(text, '\n'), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestSamples opens a store of every released format.
func TestSamples(t *testing.T) {
	files, err := samples.Files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(file.Name(), func(t *testing.T) {
			text, err := samples.Files.ReadFile(file.Name())
			if err != nil {
				t.Fatal(err)
			}
			var s storedSample
			if err := json.Unmarshal(text, &s); err != nil {
				t.Fatal(err)
			}
			m := &MemoryStorage{}
			if err := m.Checkpoint(Checkpoint{Puts: s.Blocks, Meta: s.Directory.Meta}); err != nil {
				t.Fatal(err)
			}
			for _, r := range s.Directory.WAL {
				if err := m.Append(r.Seq, r.Data); err != nil {
					t.Fatal(err)
				}
			}
			checkSample(t, m)
		})
	}
	if len(files) != encoding.Version {
		t.Errorf("%d samples for %d versions of the format", len(files), encoding.Version)
	}
}

// TestPresentFormat checks that the current sample equals what is written now.
func TestPresentFormat(t *testing.T) { checkSample(t, makeSample(t)) }

func checkSample(t *testing.T, m *MemoryStorage) {
	t.Helper()
	db, err := Open(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if d := db.Corruption(); len(d) > 0 {
		t.Errorf("corruption: %v", d)
	}
	err = db.View(func(tx *Tx) error {
		a, err := tx.Account("sample")
		if err != nil || !bytes.Equal(a.Keys[1], []byte{2, 3}) || a.Access != OpenAccess {
			t.Errorf("account is %+v, %v", a, err)
		}
		names := []string{}
		for info := range tx.Tables("sample", "") {
			names = append(names, info.Name)
			table, err := tx.Table("sample", info.Name)
			if err != nil {
				return err
			}
			checkSampleTable(t, table)
		}
		if !reflect.DeepEqual(names, []string{"InBlocks", "InTheLog"}) {
			t.Errorf("tables are %q", names)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func checkSampleTable(t *testing.T, table *Table) {
	t.Helper()
	page, err := table.Query(Query{}).Page()
	if err != nil || len(page.Entities) != len(samples.Entities()) {
		t.Fatalf("%d entities, %v", len(page.Entities), err)
	}
	for i, want := range samples.Entities() {
		got := page.Entities[i]
		if got.Key() != want.Key() || len(got.Properties) != len(want.Properties) {
			t.Errorf("entity %d is %v, want %v", i, got, want)
			continue
		}
		for j, p := range want.Properties {
			if got.Properties[j] != p {
				t.Errorf("property %d of %v is %v, want %v", j, want.Key(), got.Properties[j], p)
			}
		}
		if got.Timestamp < odata.DateTimeOf(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)) {
			t.Errorf("Timestamp of %v is %v", got.Key(), got.Timestamp)
		}
	}
}

// newer returns the frame with a newer format version.
func newer(b []byte) []byte {
	b = bytes.Clone(b)
	b[1] = encoding.Version + 1
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	sum.Write(b[:2])
	sum.Write(b[encoding.FrameSize:])
	binary.LittleEndian.PutUint32(b[2:], sum.Sum32())
	return b
}

// TestNewerFormat: a store of a newer program is refused, not repaired.
func TestNewerFormat(t *testing.T) {
	cases := []struct {
		name   string
		change func(*MemoryStorage)
	}{
		{"meta", func(m *MemoryStorage) { m.meta = newer(m.meta) }},
		{"record", func(m *MemoryStorage) {
			for seq, r := range m.wal {
				m.wal[seq] = newer(r)
			}
		}},
		{"block", func(m *MemoryStorage) {
			for id, b := range m.blocks {
				b.Data = newer(b.Data)
				m.blocks[id] = b
			}
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := makeSample(t)
			c.change(m)
			if _, err := Open(m, Options{}); !errors.Is(err, ErrFormat) || !errors.Is(err, ErrStorage) {
				t.Errorf("open: %v", err)
			}
		})
	}
}

// TestCorruptMeta: the other data are intact, and new Timestamps and ids are above
// the stored ones.
func TestCorruptMeta(t *testing.T) {
	m := makeSample(t)
	m.meta = []byte("corrupt")
	checkCorruptMeta := func(db *DB, n int) {
		if d := db.Corruption(); len(d) != n {
			t.Fatalf("corruption is %v", d)
		}
	}
	db, err := Open(m, Options{CheckpointAfter: 1})
	if err != nil {
		t.Fatal(err)
	}
	checkCorruptMeta(db, 1)
	if text := db.Corruption()[0].String(); !strings.Contains(text, "checkpoint") {
		t.Errorf("it is reported as %q", text)
	}
	fill(t, db, "InBlocks", "more", 1, 1)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db, err = Open(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkCorruptMeta(db, 0)
	m2 := m.Clone()
	if err := db.Update(func(tx *Tx) error { return tx.DeleteAccount("test") }); err != nil {
		t.Fatal(err)
	}
	checkSample(t, m)
	if d, _ := m2.Load(); len(d.Blocks) == 0 {
		t.Error("no checkpoint was written")
	}
}

// unreadable is a storage that fails at a chosen call.
type unreadable struct {
	MemoryStorage
	load, read error
}

func (u *unreadable) Load() (Directory, error) {
	if u.load != nil {
		return Directory{}, u.load
	}
	return u.MemoryStorage.Load()
}

func (u *unreadable) ReadBlocks(ids []BlockID) ([][]byte, error) {
	if u.read != nil {
		return nil, u.read
	}
	return u.MemoryStorage.ReadBlocks(ids)
}

// TestUnreadableStorage: a failing storage is an error, not corruption.
func TestUnreadableStorage(t *testing.T) {
	m := makeSample(t)
	for name, u := range map[string]*unreadable{"load": {load: errTest}, "read": {read: errTest}} {
		u.blocks, u.wal, u.meta = m.blocks, m.wal, m.meta
		if _, err := Open(u, Options{}); !errors.Is(err, errTest) || !errors.Is(err, ErrStorage) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCorruptionString(t *testing.T) {
	cases := map[string]Corruption{
		`block 3 with 5 entities of table "T" of account "a", from {"p" "r"}: corrupt`: {
			Kind: CorruptBlock, Account: "a", Table: "T", Err: ErrCorrupt,
			Block: BlockInfo{ID: 3, Count: 5, First: odata.Key{PartitionKey: "p", RowKey: "r"}},
		},
		"WAL record 7":                 {Kind: CorruptRecord, Seq: 7},
		"checkpoint metadata: corrupt": {Kind: CorruptMeta, Err: ErrCorrupt},
	}
	for want, d := range cases {
		if got := d.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestCheckFormat: only an intact encoding of a newer version is an error.
func TestCheckFormat(t *testing.T) {
	data := meta{seq: 1}.encode()
	corrupt := bytes.Clone(data)
	corrupt[1] = encoding.Version + 1
	cases := []struct {
		name string
		data []byte
		want error
	}{
		{"nothing", nil, nil},
		{"one byte", []byte("M"), nil},
		{"the current version", data, nil},
		{"a newer version", newer(data), ErrFormat},
		{"a corrupt one", corrupt, nil},
	}
	for _, c := range cases {
		if err := CheckFormat(c.data); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}
