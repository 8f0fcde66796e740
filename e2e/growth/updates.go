package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"sandtable/engine"
)

// updates replaces entities anywhere, 32 at once, and counts all bytes that the
// process writes to files from the end of one checkpoint to that of a later one.
func (s *store) updates(f *figures) error {
	var changed atomic.Int64
	numbers := make([]int, 2_000_000)
	for i := range numbers {
		numbers[i] = s.random.IntN(s.n)
	}
	took := make([]float64, len(numbers))
	done := make(chan struct{})
	watched := make(chan error)
	go func() {
		var err error
		f.written, err = s.writtenPerByte(&changed, done)
		watched <- err
	}()
	seconds, err := s.parallel(len(numbers), 30*time.Second, func(n int) error {
		begin := time.Now()
		size, err := s.replace(numbers[n], n)
		changed.Add(int64(size))
		took[n] = time.Since(begin).Seconds()
		return err
	})
	close(done)
	took = slices.DeleteFunc(took, func(t float64) bool { return t == 0 })
	slices.Sort(took)
	f.update, f.p999 = seconds, took[len(took)*999/1000]
	return errors.Join(err, <-watched)
}

// writtenPerByte returns how many bytes are written for a changed one, between the
// first and the last checkpoint that end before done is closed.
func (s *store) writtenPerByte(changed *atomic.Int64, done chan struct{}) (float64, error) {
	type count struct{ written, changed int64 }
	var counts []count
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for last := s.db.Stats().Checkpointed; ; {
		select {
		case <-done:
			if len(counts) < 2 {
				return math.NaN(), nil
			}
			first, last := counts[0], counts[len(counts)-1]
			return float64(last.written-first.written) / float64(last.changed-first.changed), nil
		case <-ticker.C:
		}
		now := s.db.Stats().Checkpointed
		if now == last {
			continue
		}
		last = now
		written, err := writtenBytes()
		if err != nil {
			return 0, err
		}
		counts = append(counts, count{written, changed.Load()})
	}
}

// replace replaces an entity and returns the size of its encoding.
func (s *store) replace(i, change int) (size int, err error) {
	err = s.db.Update(s.in(s.table(i), func(t *engine.Table) error {
		e, err := t.Replace(s.key(i), s.properties(i+change), engine.Upsert)
		if err == nil {
			size = len(engine.EncodeEntity(e))
		}
		return err
	}))
	return size, err
}

// writtenBytes is what this process has given to write calls, from /proc.
func writtenBytes() (n int64, err error) {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "wchar:")
	_, err = fmt.Sscan(rest, &n)
	return n, err
}
