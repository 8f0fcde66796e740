//go:build !js

package boltstorage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"sandtable/engine"
)

// textOf returns the text of a file with records of these lengths, numbered
// from 1, with room behind them, and the offsets of their frames and of the end.
func textOf(o opening, lengths ...int) (text []byte, offsets []int64) {
	text = append(o.encode(), make([]byte, firstFrame-openingSize)...)
	for i, n := range lengths {
		offsets = append(offsets, int64(len(text)))
		text = o.appendFrame(text, int64(len(text)), uint64(i+1), bytes.Repeat([]byte{byte(i + 1)}, n))
	}
	offsets = append(offsets, int64(len(text)))
	return append(text, make([]byte, 1000)...), offsets
}

// numbersOf returns the numbers of frames, negative for those that are not whole.
func numbersOf(frames []frame) (numbers []int) {
	for _, f := range frames {
		n := int(f.number)
		if !f.whole {
			n = -n
		}
		numbers = append(numbers, n)
	}
	return numbers
}

func TestScan(t *testing.T) {
	o := opening{start: 1 << 40, salt: salt{1, 2, 3}}
	whole, at := textOf(o, 100, 0, 5000, 7)
	other, _ := textOf(opening{start: 1 << 40, salt: salt{9}}, 100, 0, 5000, 7)
	earlier, _ := textOf(opening{start: 1 << 30, salt: o.salt}, 100, 0, 5000, 7)
	changed := func(f func(text []byte)) []byte {
		text := bytes.Clone(whole)
		f(text)
		return text
	}
	cases := []struct {
		name string
		text []byte
		want []int
		end  int64 // behind what counts
	}{
		{"whole", whole, []int{1, 2, 3, 4}, at[4]},
		{"no room behind it", whole[:at[4]], []int{1, 2, 3, 4}, at[4]},
		{"nothing but the opening", whole[:firstFrame], nil, firstFrame},
		{"an opening that is cut off", whole[:10], nil, firstFrame},
		{"nothing", nil, nil, firstFrame},
		{"the last is cut off", whole[:at[3]+headerSize+3], []int{1, 2, 3}, at[3]},
		{"the last lacks its end", changed(func(b []byte) { b[at[3]+headerSize+6] = 0 }), []int{1, 2, 3}, at[3]},
		{"the last lacks its header", changed(func(b []byte) { clear(b[at[3]:][:headerSize]) }), []int{1, 2, 3}, at[3]},
		{"the first lacks its header", changed(func(b []byte) { clear(b[at[0]:][:headerSize]) }), []int{2, 3, 4}, at[4]},
		{"one amid lacks its header", changed(func(b []byte) { b[at[2]+5] ^= 1 }), []int{1, 2, 4}, at[4]},
		{"one amid is damaged", changed(func(b []byte) { b[at[2]+2000] ^= 1 }), []int{1, 2, -3, 4}, at[4]},
		{"all but the last is gone", changed(func(b []byte) { clear(b[at[0]:at[3]]) }), []int{4}, at[4]},
		{"a hole over two and the last's end", changed(func(b []byte) { clear(b[at[1] : at[2]+100]); b[at[3]+headerSize] ^= 1 }), []int{1}, at[3]},
		{"frames of another store", other, nil, firstFrame},
		{"frames of another time", earlier, nil, firstFrame},
		{"frames of another time behind ours", append(bytes.Clone(whole[:at[2]]), earlier[at[2]:]...), []int{1, 2}, at[2]},
		{"frames in another place", slices.Insert(bytes.Clone(whole), firstFrame, make([]byte, alignment)...), nil, firstFrame},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			frames, end := cutTorn(o.scan(c.text))
			if got := numbersOf(frames); !slices.Equal(got, c.want) || end != c.end {
				t.Errorf("got %v up to %d, want %v up to %d", got, end, c.want, c.end)
			}
		})
	}
}

// TestScanTorn: whichever parts of the last write the disk has, the frames
// before it are there, and it is whole or absent.
func TestScanTorn(t *testing.T) {
	o := opening{start: 8, salt: newSalt()}
	whole, at := textOf(o, 900, 3000)
	for mask := range 1 << 6 { // sectors of 512 bytes that have arrived
		text := bytes.Clone(whole)
		arrived := true
		for i := range 6 {
			from := max(at[1], (at[1]/512+int64(i))*512)
			to := min(at[2], (at[1]/512+int64(i)+1)*512)
			if mask>>i&1 == 0 {
				clear(text[from:to])
				arrived = arrived && bytes.Equal(text[from:to], whole[from:to])
			}
		}
		frames, end := cutTorn(o.scan(text))
		want, wantEnd := []int{1}, at[1]
		if arrived || bytes.Equal(text, whole) {
			want, wantEnd = []int{1, 2}, at[2]
		}
		if got := numbersOf(frames); !slices.Equal(got, want) || end != wantEnd {
			t.Fatalf("sectors %06b: got %v up to %d, want %v up to %d", mask, got, end, want, wantEnd)
		}
	}
}

func TestOpening(t *testing.T) {
	o := opening{start: 1 << 50, salt: newSalt()}
	if got, err := parseOpening(o.encode()); err != nil || got != o {
		t.Errorf("got %v, %v", got, err)
	}
	if got := len(o.encode()); got != openingSize {
		t.Errorf("it has %d bytes", got)
	}
	flipped := o.encode()
	flipped[7] ^= 0x40
	bad := o.encode()
	bad[20] ^= 1
	for name, c := range map[string]struct {
		text []byte
		want error
	}{
		"newer": {newerOpening(o), engine.ErrFormat}, "a version that is damaged": {flipped, engine.ErrCorrupt}, "damaged": {bad, engine.ErrCorrupt}, "cut off": {o.encode()[:20], engine.ErrCorrupt},
		"nothing": {nil, engine.ErrCorrupt}, "words": {bytes.Repeat([]byte("words "), 10), engine.ErrCorrupt},
	} {
		if _, err := parseOpening(c.text); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// newerOpening returns one of a version that is to come.
func newerOpening(o opening) []byte {
	b := o.encode()
	b[7]++
	binary.LittleEndian.PutUint32(b[24:], checksum(b[:24]))
	return b
}

func TestLogState(t *testing.T) {
	one, two := logRef{1, opening{0, newSalt()}}, logRef{2, opening{1 << 20, newSalt()}}
	cases := []struct {
		name  string
		state logState
		want  error
	}{
		{"one file", logState{files: []logRef{one}}, nil},
		{"two files and drops", logState{files: []logRef{one, two}, drops: []drop{{1 << 21, 7}, {1 << 22, 3}}}, nil},
		{"no file", logState{}, engine.ErrCorrupt},
		{"the same file twice", logState{files: []logRef{one, {1, two.opening}}}, engine.ErrCorrupt},
		{"no such file", logState{files: []logRef{{3, one.opening}}}, engine.ErrCorrupt},
		{"the wrong order", logState{files: []logRef{two, one}}, engine.ErrCorrupt},
		{"two at a place", logState{files: []logRef{one, {2, opening{8, newSalt()}}}}, engine.ErrCorrupt},
		{"a place that cannot be", logState{files: []logRef{one, {2, opening{math.MaxUint64 &^ 7, newSalt()}}}}, engine.ErrCorrupt},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			text := c.state.encode()
			got, err := decodeLogState(text)
			if !errors.Is(err, c.want) || err == nil && fmt.Sprint(got) != fmt.Sprint(c.state) {
				t.Errorf("got %v, %v", got, err)
			}
			for i := range text {
				bad := bytes.Clone(text)
				bad[i] ^= 4
				if _, err := decodeLogState(bad); !errors.Is(err, engine.ErrCorrupt) {
					t.Fatalf("byte %d changed: %v", i, err)
				}
				if _, err := decodeLogState(text[:i]); !errors.Is(err, engine.ErrCorrupt) {
					t.Fatalf("the first %d bytes: %v", i, err)
				}
			}
		})
	}
}

// FuzzScan: no file makes reading the log panic, and what is found stands in
// order, within the file, as it was written.
func FuzzScan(f *testing.F) {
	o := opening{start: 1 << 40, salt: salt{1, 2, 3}}
	text, at := textOf(o, 100, 0, 500, 7)
	f.Add(text, uint16(0), byte(0))
	f.Add(text, uint16(at[1]), byte(1))
	f.Add(text[:at[3]+10], uint16(at[2]+40), byte(255))
	f.Add([]byte{}, uint16(0), byte(0))
	f.Fuzz(func(t *testing.T, text []byte, i uint16, change byte) {
		o, text := o, bytes.Clone(text)
		if int(i) < len(text) {
			text[i] ^= change
		}
		if found, err := parseOpening(text); err == nil {
			o = found
		}
		last := int64(firstFrame)
		for _, fr := range o.scan(text) {
			if fr.offset < last || fr.offset%alignment != 0 || fr.offset+headerSize+int64(len(fr.record)) > int64(len(text)) {
				t.Fatalf("a frame at %d behind %d, of %d bytes", fr.offset, last, len(fr.record))
			}
			last = fr.end()
			if again := o.appendFrame(nil, fr.offset, fr.number, fr.record); fr.whole && !bytes.Equal(again[:24], text[fr.offset:][:24]) {
				t.Fatalf("the frame at %d is not what was written", fr.offset)
			}
		}
	})
}

// FuzzReadLog: whatever a file of the log has behind its opening, the log opens,
// is read, and goes on.
func FuzzReadLog(f *testing.F) {
	folder := f.TempDir()
	o := opening{start: 1 << 40, salt: salt{1, 2, 3}}
	text, at := textOf(o, 100, 0, 500, 7)
	f.Add(text[firstFrame:], uint16(0), byte(0))
	f.Add(text[firstFrame:at[4]-1], uint16(at[2]-firstFrame), byte(1))
	f.Add(text[firstFrame:at[3]+40], uint16(0), byte(8))
	f.Fuzz(func(t *testing.T, frames []byte, i uint16, change byte) {
		frames = bytes.Clone(frames)
		if int(i) < len(frames) {
			frames[i] ^= change
		}
		file := append(slices.Clone(text[:firstFrame]), frames...)
		if err := os.WriteFile(filepath.Join(folder, logName(1)), file, 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := readLog(folder, logState{files: []logRef{{1, o}}})
		if err != nil {
			t.Fatal(err)
		}
		before, err := l.records()
		if err == nil {
			err = l.settle()
		}
		if err == nil {
			err = l.append(1<<60, []byte("one more"), engine.Relaxed)
		}
		if err := errors.Join(err, l.close()); err != nil {
			t.Fatal(err)
		}
		if l, err = readLog(folder, logState{files: []logRef{{1, o}}}); err != nil {
			t.Fatal(err)
		}
		after, err := l.records()
		if err := errors.Join(err, l.close()); err != nil {
			t.Fatal(err)
		}
		if n := len(after); n == 0 || string(after[n-1].Data) != "one more" {
			t.Fatalf("of %d records and one more there are %d", len(before), n)
		}
	})
}

// FuzzLogState: what can be read is written as it was.
func FuzzLogState(f *testing.F) {
	f.Add(logState{files: []logRef{{1, opening{}}}}.encode())
	f.Add(logState{files: []logRef{{2, opening{}}, {1, opening{start: 1 << 30}}}, drops: []drop{{5, 6}}}.encode())
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) >= 4 { // else hardly any would be read
			text = append(bytes.Clone(text[:len(text)-4]), 0, 0, 0, 0)
			sum := checksum(text[:len(text)-4])
			text[len(text)-4], text[len(text)-3], text[len(text)-2], text[len(text)-1] = byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24)
		}
		s, err := decodeLogState(text)
		if err != nil && !errors.Is(err, engine.ErrCorrupt) {
			t.Errorf("got %v", err)
		}
		if err == nil && !bytes.Equal(s.encode(), text) {
			t.Errorf("%v is written otherwise", s)
		}
	})
}
