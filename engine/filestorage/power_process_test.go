//go:build unix

package filestorage_test

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"sandtable/engine"
	"sandtable/engine/filestorage"
)

// step is an operation of a process on its store. What it writes is derived from
// its numbers, so that the test knows it too.
type step struct {
	Kind       string
	Durability engine.Durability `json:",omitzero"` // of open and durability
	Seq        uint64            `json:",omitzero"` // of append and checkpoint
	Size       int               `json:",omitzero"` // of the record, or of each block
	Puts       []engine.BlockID  `json:",omitempty"`
	Deletes    []engine.BlockID  `json:",omitempty"`
	Meta       string            `json:",omitempty"`
}

var (
	openStrict   = step{Kind: "open", Durability: engine.Strict}
	openRelaxed  = step{Kind: "open", Durability: engine.Relaxed}
	turnStrict   = step{Kind: "durability", Durability: engine.Strict}
	turnRelaxed  = step{Kind: "durability", Durability: engine.Relaxed}
	compactFiles = step{Kind: "compact"}
	quarantine   = step{Kind: "quarantine"} // opens the store
	closeStore   = step{Kind: "close"}
)

// data returns the contents of a record or a block.
func (a step) data(n uint64) []byte { return sample(n, a.Size) }

// A process prints these with each step, before and after it. The prints are system
// calls too, and therefore ordered with the others.
const (
	beginMark = "begins "
	endMark   = "ends "
)

// process opens one or several stores in turn.
type process struct {
	folder  string
	says    io.Writer
	storage *filestorage.Storage
	seq     uint64           // of the last record
	block   engine.BlockID   // the last that was put
	blocks  []engine.BlockID // that are there
	err     error            // of a step; none is done after it
}

func (p *process) do(steps ...step) {
	for _, a := range steps {
		if p.err == nil {
			p.err = p.doOne(a)
		}
	}
}

func (p *process) doOne(a step) error {
	line, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(p.says, "%s%s\n", beginMark, line); err != nil {
		return err
	}
	if err := p.perform(a); err != nil {
		return fmt.Errorf("%s: %w", line, err)
	}
	_, err = fmt.Fprintf(p.says, "%s%s\n", endMark, line)
	return err
}

func (p *process) perform(a step) (err error) {
	switch a.Kind {
	case "open":
		return p.open(filestorage.Options{Durability: a.Durability})
	case "quarantine":
		return p.open(filestorage.Options{Quarantine: true})
	case "close":
		return p.storage.Close()
	case "append":
		return p.storage.Append(a.Seq, a.data(a.Seq))
	case "checkpoint":
		c := engine.Checkpoint{Seq: a.Seq, Deletes: a.Deletes, Meta: []byte(a.Meta)}
		for _, id := range a.Puts {
			info := engine.BlockInfo{ID: id, Table: 1, Size: a.Size}
			c.Puts = append(c.Puts, engine.Block{BlockInfo: info, Data: a.data(uint64(id))})
		}
		return p.storage.Checkpoint(c)
	case "durability":
		return p.storage.SetDurability(a.Durability)
	case "compact":
		_, _, err := filestorage.Compact(p.folder, filestorage.Options{}, nil)
		return err
	}
	return fmt.Errorf("unknown step %q", a.Kind)
}

func (p *process) open(o filestorage.Options) (err error) {
	if p.storage, err = filestorage.Open(p.folder, o); err != nil {
		return err
	}
	d, err := p.storage.Load()
	p.blocks = nil
	for _, b := range d.Blocks {
		p.blocks = append(p.blocks, b.ID)
	}
	slices.Sort(p.blocks)
	return err
}

// append appends records of these sizes.
func (p *process) append(sizes ...int) {
	for _, size := range sizes {
		p.seq++
		p.do(step{Kind: "append", Seq: p.seq, Size: size})
	}
}

// checkpoint truncates the WAL except for the last records, writes blocks of a size
// and deletes the oldest ones.
func (p *process) checkpoint(left uint64, puts, size, deletes int) {
	a := step{Kind: "checkpoint", Seq: p.seq - left, Size: size, Meta: fmt.Sprint("meta ", p.seq, strings.Repeat(" and more", size/100))}
	for range puts {
		p.block++
		a.Puts = append(a.Puts, p.block)
	}
	deletes = min(deletes, len(p.blocks))
	a.Deletes = p.blocks[:deletes]
	p.do(a)
	p.blocks = append(slices.Clone(p.blocks[deletes:]), a.Puts...)
}

// programs are the processes' steps. Nearly every checkpoint starts a WAL segment.
var programs = map[string]func(p *process){
	"begins": func(p *process) {
		p.do(openStrict)
		p.append(10, 700, 0)
		p.checkpoint(1, 2, 3000, 0)
		p.append(5000)
		p.do(closeStore, openStrict)
		p.append(100)
		p.checkpoint(0, 1, 100, 1)
		p.do(closeStore)
	},
	"makes checkpoints": func(p *process) {
		p.do(openStrict)
		for i, size := range []int{100, 20_000, 3000, 8000, 500} {
			p.append(size/10, 300, 4000)
			p.checkpoint(uint64(i%3), i, size, i/2) // some keep records
			p.append(1000)
		}
		p.do(closeStore, openStrict)
		p.append(150_000, 20) // more than there is space for
		p.checkpoint(1, 0, 0, 100)
		p.append(20)
		p.do(closeStore)
	},
	"copies forward": func(p *process) {
		p.do(openStrict)
		for range 3 {
			p.append(100)
			p.checkpoint(0, 2, 2500, 3) // leaves segments half dead
			p.checkpoint(0, 0, 0, 0)    // copies a slice of them
		}
		p.append(300)
		p.do(closeStore)
	},
	"compacts": func(p *process) {
		p.do(compactFiles, openStrict)
		p.append(600)
		p.checkpoint(0, 1, 5000, 2)
		p.do(closeStore, compactFiles, openStrict)
		p.append(30)
		p.do(closeStore)
	},
	"is relaxed, then strict": func(p *process) {
		p.do(openRelaxed)
		p.append(600, 50)
		p.checkpoint(1, 2, 5000, 1)
		p.append(30)
		p.do(closeStore, openStrict)
		p.append(40)
		p.checkpoint(0, 2, 5000, 1)
		p.do(turnRelaxed)
		p.append(700, 1)
		p.checkpoint(0, 2, 9000, 1)
		p.append(50)
		p.do(turnStrict)
		p.append(60)
		p.do(closeStore)
	},
	"quarantines": func(p *process) {
		p.do(quarantine)
		p.append(600)
		p.checkpoint(0, 2, 5000, 1)
		p.append(30)
		p.do(closeStore, openStrict)
		p.append(20)
		p.do(closeStore)
	},
	"continues": func(p *process) {
		p.do(openStrict)
		p.append(600)
		p.checkpoint(0, 2, 5000, 1)
		p.append(30, 3000)
		p.do(closeStore)
	},
}

// runProgram runs a program in the child process, numbering from a start.
func runProgram(folder, round string) error {
	name, from, _ := strings.Cut(round, "@")
	n, err := strconv.ParseUint(from, 10, 32)
	if err != nil {
		return err
	}
	filestorage.SmallFiles()
	p := &process{folder: folder, says: os.Stdout, seq: n, block: engine.BlockID(n)}
	programs[name](p)
	return p.err
}
