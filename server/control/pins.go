package control

import (
	"sync"
	"sync/atomic"
	"time"
)

// pins guards the states that stale secondaries show: each is pinned as long as a rule
// of its account needs it.
type pins struct {
	mu      sync.Mutex
	checked atomic.Int64 // the minute in which unpinEnded last looked
}

// pinSecondary pins the state that an account's stale secondary shows: the present one,
// if none is pinned yet or renew is set. Without a rule about it, the state is unpinned.
func (h *Handler) pinSecondary(account string, renew bool) {
	h.pins.mu.Lock()
	defer h.pins.mu.Unlock()
	if rules := h.faults.Find(account); rules == nil || !rules.Stale(h.now()) {
		h.service.UnpinSecondary(account)
	} else if renew || !h.service.SecondaryPinned(account) {
		h.service.PinSecondary(account)
	}
}

// unpinSecondaries unpins all states, after all rules were cleared.
func (h *Handler) unpinSecondaries() {
	h.pins.mu.Lock()
	defer h.pins.mu.Unlock()
	h.service.UnpinSecondaries()
}

// unpinEnded looks once a minute whether rules have ended, and unpins their states:
// the store would keep the blocks that were replaced since.
func (h *Handler) unpinEnded() {
	if !h.faults.Used() {
		return
	}
	if minute := h.now().Unix() / int64(time.Minute/time.Second); h.pins.checked.Swap(minute) == minute {
		return
	}
	for _, name := range h.faults.Names() {
		h.pinSecondary(name, false)
	}
}
