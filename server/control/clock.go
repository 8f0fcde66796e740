package control

import (
	"sync/atomic"
	"time"
)

// clock is the service's clock, which can be set: it decides whether a signature
// has expired, or is not valid yet. Timestamps come from the engine's clock, which
// cannot be set, because they must ascend. What was set ends with the process.
type clock struct {
	real   func() time.Time
	offset atomic.Int64 // a [time.Duration]
}

func (k *clock) now() time.Time { return k.real().Add(time.Duration(k.offset.Load())) }

// maxClockOffset is how far the clock can be set from the real time.
const maxClockOffset = 100 * 365 * 24 * time.Hour

func (c *call) getClock() (int, []byte, error) {
	var o object
	o.string("now", c.clock.now().UTC().Format(time.RFC3339))
	o.int("offset", int(time.Duration(c.clock.offset.Load())/time.Second))
	return ok(o.end())
}

// setClock sets the clock, or without a time returns it to the real one.
func (c *call) setClock() (int, []byte, error) {
	m, err := c.members()
	if err != nil {
		return 0, nil, err
	}
	now := m.time("now")
	if err := m.finish(); err != nil {
		return 0, nil, err
	}
	var offset time.Duration
	if !now.IsZero() {
		offset = now.Sub(c.clock.real())
	}
	if offset.Abs() > maxClockOffset {
		return 0, nil, invalidInput("now must be within a hundred years of the real time.")
	}
	c.clock.offset.Store(int64(offset))
	return c.getClock()
}
