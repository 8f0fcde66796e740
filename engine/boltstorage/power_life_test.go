//go:build unix

package boltstorage_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"

	"sandtable/engine"
	"sandtable/engine/boltstorage"
)

// act is something that a life does with its store. What it writes follows from
// its numbers, so that the test knows it, too.
type act struct {
	Kind       string
	Durability engine.Durability `json:",omitzero"` // of open and durability
	Seq        uint64            `json:",omitzero"` // of append and checkpoint
	Size       int               `json:",omitzero"` // of the record, or of each block
	Puts       []engine.BlockID  `json:",omitempty"`
	Deletes    []engine.BlockID  `json:",omitempty"`
	Meta       string            `json:",omitempty"`
}

var (
	openStrict   = act{Kind: "open", Durability: engine.Strict}
	openRelaxed  = act{Kind: "open", Durability: engine.Relaxed}
	turnStrict   = act{Kind: "durability", Durability: engine.Strict}
	turnRelaxed  = act{Kind: "durability", Durability: engine.Relaxed}
	compactFiles = act{Kind: "compact"}
	salvageStore = act{Kind: "salvage"}
	closeStore   = act{Kind: "close"}
)

// text returns what stands in a record or a block.
func (a act) text(n uint64) []byte {
	text := make([]byte, a.Size)
	random := rand.NewPCG(n, 1)
	for i := range text {
		text[i] = byte(random.Uint64())
	}
	return text
}

// A life says these before and after each act, with the act. They are among its
// system calls, and so in their order.
const (
	beginMark = "begins "
	endMark   = "ends "
)

// life is a process that has a store, or several of them in turn.
type life struct {
	folder  string
	says    io.Writer
	storage *boltstorage.Storage
	seq     uint64           // of the last record
	block   engine.BlockID   // the last that was put
	blocks  []engine.BlockID // that are there
	err     error            // of an act; none is done after it
}

// do does acts in turn.
func (l *life) do(acts ...act) {
	for _, a := range acts {
		if l.err == nil {
			l.err = l.doOne(a)
		}
	}
}

func (l *life) doOne(a act) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(l.says, "%s%s\n", beginMark, text); err != nil {
		return err
	}
	if err := l.perform(a); err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	_, err = fmt.Fprintf(l.says, "%s%s\n", endMark, text)
	return err
}

func (l *life) perform(a act) (err error) {
	switch a.Kind {
	case "open":
		return l.open(a.Durability)
	case "close":
		return l.storage.Close()
	case "append":
		return l.storage.Append(a.Seq, a.text(a.Seq))
	case "checkpoint":
		c := engine.Checkpoint{Seq: a.Seq, Deletes: a.Deletes, Meta: []byte(a.Meta)}
		for _, id := range a.Puts {
			info := engine.BlockInfo{ID: id, Table: 1, Size: a.Size}
			c.Puts = append(c.Puts, engine.Block{BlockInfo: info, Data: a.text(uint64(id))})
		}
		return l.storage.Checkpoint(c)
	case "durability":
		return l.storage.SetDurability(a.Durability)
	case "compact":
		_, _, err := boltstorage.Compact(l.folder, boltstorage.Options{})
		return err
	case "salvage":
		_, err := boltstorage.Salvage(l.folder, boltstorage.Options{})
		return err
	}
	return fmt.Errorf("no act %q", a.Kind)
}

func (l *life) open(d engine.Durability) (err error) {
	if l.storage, err = boltstorage.Open(l.folder, boltstorage.Options{Durability: d}); err != nil {
		return err
	}
	l.blocks, err = l.storage.BlockIDs()
	return err
}

// append appends records of these sizes.
func (l *life) append(sizes ...int) {
	for _, size := range sizes {
		l.seq++
		l.do(act{Kind: "append", Seq: l.seq, Size: size})
	}
}

// checkpoint drops all of the log but the last records, puts blocks of a size, and
// deletes the oldest.
func (l *life) checkpoint(left uint64, puts, size, deletes int) {
	a := act{Kind: "checkpoint", Seq: l.seq - left, Size: size, Meta: fmt.Sprint("meta ", l.seq, strings.Repeat(" and more", size/100))}
	for range puts {
		l.block++
		a.Puts = append(a.Puts, l.block)
	}
	deletes = min(deletes, len(l.blocks))
	a.Deletes = l.blocks[:deletes]
	l.do(a)
	l.blocks = append(slices.Clone(l.blocks[deletes:]), a.Puts...)
}

// lives are those whose power fails. The log changes its file with nearly every
// checkpoint.
var lives = map[string]func(l *life){
	"begins": func(l *life) {
		l.do(openStrict)
		l.append(10, 700, 0)
		l.checkpoint(1, 2, 3000, 0)
		l.append(5000)
		l.do(closeStore, openStrict)
		l.append(100)
		l.checkpoint(0, 1, 100, 1)
		l.do(closeStore)
	},
	"makes checkpoints": func(l *life) {
		l.do(openStrict)
		for i, size := range []int{100, 20_000, 3000, 8000, 60_000, 500} {
			l.append(size/10, 300, 4000)
			l.checkpoint(uint64(i%3), i, size, i/2) // some leave records in the older file
			l.append(1000)
		}
		l.do(closeStore, openStrict)
		l.append(150_000, 20) // more than there is room for
		l.checkpoint(1, 0, 0, 100)
		l.append(20)
		l.do(closeStore)
	},
	"compacts": func(l *life) {
		l.do(compactFiles, openStrict)
		l.append(600)
		l.checkpoint(0, 1, 5000, 2)
		l.do(closeStore, compactFiles, openStrict)
		l.append(30)
		l.do(closeStore)
	},
	"is relaxed, then strict": func(l *life) {
		l.do(openRelaxed)
		l.append(600, 50)
		l.checkpoint(1, 2, 5000, 1)
		l.append(30)
		l.do(closeStore, openStrict)
		l.append(40)
		l.checkpoint(0, 2, 5000, 1)
		l.do(turnRelaxed)
		l.append(700, 1)
		l.checkpoint(0, 2, 9000, 1)
		l.append(50)
		l.do(turnStrict)
		l.append(60)
		l.do(closeStore)
	},
	"salvages": func(l *life) {
		l.do(salvageStore, openStrict)
		l.append(600)
		l.checkpoint(0, 2, 5000, 1)
		l.append(30)
		l.do(closeStore)
	},
	"goes on": func(l *life) {
		l.do(openStrict)
		l.append(600)
		l.checkpoint(0, 2, 5000, 1)
		l.append(30, 3000)
		l.do(closeStore)
	},
}

// live is what the child does: a life, and the number that its own begin behind.
func live(folder, round string) error {
	name, from, _ := strings.Cut(round, "@")
	n, err := strconv.ParseUint(from, 10, 32)
	if err != nil {
		return err
	}
	boltstorage.SetTurnAfter(5000)
	l := &life{folder: folder, says: os.Stdout, seq: n, block: engine.BlockID(n)}
	lives[name](l)
	return l.err
}
