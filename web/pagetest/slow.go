package pagetest

import (
	"context"
	"sync/atomic"
	"testing/synctest"
	"time"

	"sandtable/web/client"
)

// Slow is a transport that delays answers on demand. It needs a bubble of [synctest].
type Slow struct {
	client.Transport
	slow atomic.Bool
}

// Do implements [client.Transport].
func (s *Slow) Do(c context.Context, r client.Request) (client.Response, error) {
	slow := s.slow.Load()
	answer, err := s.Transport.Do(c, r)
	if slow {
		time.Sleep(time.Second)
	}
	return answer, err
}

// During calls act, and delays the answers to what it requests: they come after all that
// can be done without them.
func (s *Slow) During(act func()) {
	s.slow.Store(true)
	act()
	synctest.Wait()
	s.slow.Store(false)
}
