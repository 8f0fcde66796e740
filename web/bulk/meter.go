package bulk

import "time"

const (
	// rateWindow is the time over which a rate is taken.
	rateWindow = 2 * time.Second
	// sampleEvery is the least time between two samples.
	sampleEvery = 100 * time.Millisecond
	// history is how many rates are kept for drawing.
	history = 60
)

// Meter measures the speed of a job from the progress that is noted. The zero
// value is ready.
type Meter struct {
	start   time.Time
	samples []sample // those within rateWindow, oldest first
	rates   []float64
}

type sample struct {
	at   time.Time
	done int
}

// Note records that so many rows were done at a time.
func (m *Meter) Note(at time.Time, done int) {
	if m.start.IsZero() {
		m.start = at
		m.samples = []sample{{at, done}}
		return
	}
	last := m.samples[len(m.samples)-1]
	if at.Sub(last.at) < sampleEvery {
		return
	}
	m.samples = append(m.samples, sample{at, done})
	for len(m.samples) > 2 && at.Sub(m.samples[0].at) > rateWindow {
		m.samples = m.samples[1:]
	}
	m.rates = append(m.rates, m.Rate())
	if len(m.rates) > history {
		m.rates = m.rates[1:]
	}
}

// Rate returns rows per second over the last 2 s, 0 if it is not known yet.
func (m *Meter) Rate() float64 {
	if len(m.samples) < 2 {
		return 0
	}
	first, last := m.samples[0], m.samples[len(m.samples)-1]
	return float64(last.done-first.done) / last.at.Sub(first.at).Seconds()
}

// Rates returns the rates of the last seconds, oldest first.
func (m *Meter) Rates() []float64 { return m.rates }

// Remaining returns how long so many rows will take, 0 if that is not known.
func (m *Meter) Remaining(left int) time.Duration {
	rate := m.Rate()
	if rate <= 0 {
		return 0
	}
	return time.Duration(float64(left) / rate * float64(time.Second))
}

// Elapsed returns the time since the first note.
func (m *Meter) Elapsed(now time.Time) time.Duration {
	if m.start.IsZero() {
		return 0
	}
	return now.Sub(m.start)
}
