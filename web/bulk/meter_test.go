package bulk

import (
	"testing"
	"time"
)

func TestMeter(t *testing.T) {
	var m Meter
	start := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	if m.Rate() != 0 || m.Remaining(100) != 0 || m.Elapsed(start) != 0 {
		t.Errorf("an empty meter has a rate of %v", m.Rate())
	}
	m.Note(start, 0)
	for i := 1; i <= 50; i++ { // slow for 3 s, then fast for 2 s
		done := 10 * i
		if i > 30 {
			done = 300 + 100*(i-30)
		}
		m.Note(start.Add(time.Duration(i)*100*time.Millisecond), done)
	}
	now := start.Add(5 * time.Second)
	if rate := m.Rate(); rate != 1000 {
		t.Errorf("the rate is %v, want that of the last 2 s: 1000", rate)
	}
	if left := m.Remaining(500); left != 500*time.Millisecond {
		t.Errorf("remaining %v, want 500ms", left)
	}
	if m.Elapsed(now) != 5*time.Second || len(m.Rates()) != 50 {
		t.Errorf("elapsed %v, %d rates", m.Elapsed(now), len(m.Rates()))
	}
	m.Note(now.Add(time.Millisecond), 99999)
	if m.Rate() != 1000 {
		t.Error("a note within 100 ms counts")
	}
	for i := 1; i <= 25; i++ { // nothing more is done
		m.Note(now.Add(time.Duration(i)*100*time.Millisecond), 2300)
	}
	if rate := m.Rate(); rate != 0 || m.Remaining(500) != 0 {
		t.Errorf("the rate is %v after 2 s without progress", rate)
	}
}
