package server

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"sandtable/engine"
	"sandtable/server/message"
)

// The names of the settings, see docs/control.md.
const (
	settingDurability     = "durability"
	settingPermissiveCORS = "permissiveCORS"
	settingRecordBodies   = "recordBodies"
)

// settings are what can be changed while a handler runs. What was changed is
// kept with the store.
type settings struct {
	durability     engine.Durability
	permissiveCORS bool
	recordBodies   bool
}

// choice is settings that somebody chose; what is nil nobody did.
type choice struct {
	durability     *engine.Durability
	permissiveCORS *bool
	recordBodies   *bool
}

// chosenSettings are a handler's.
type chosenSettings struct {
	changing sync.Mutex // one change at a time, from the storage to the store
	atomic.Pointer[settings]
}

func (s *settings) document() []byte {
	var o object
	o.string(settingDurability, s.durability.String())
	o.bool(settingPermissiveCORS, s.permissiveCORS)
	o.bool(settingRecordBodies, s.recordBodies)
	return o.end()
}

// readChoice reads a document with any of the settings.
func readChoice(m *members) (choice, error) {
	return choice{
		durability:     m.durability(settingDurability),
		permissiveCORS: m.truth(settingPermissiveCORS),
		recordBodies:   m.truth(settingRecordBodies),
	}, m.finish()
}

func (m *members) durability(name string) *engine.Durability {
	d, err := engine.ParseDurability(m.oneOf(name, engine.Relaxed.String(), engine.Strict.String()))
	if err != nil {
		return nil // absent, or oneOf has refused it
	}
	return &d
}

// document is what is kept: no more than was chosen.
func (c *choice) document() string {
	var o object
	if c.durability != nil {
		o.string(settingDurability, c.durability.String())
	}
	if c.permissiveCORS != nil {
		o.bool(settingPermissiveCORS, *c.permissiveCORS)
	}
	if c.recordBodies != nil {
		o.bool(settingRecordBodies, *c.recordBodies)
	}
	return string(o.end())
}

// with returns the choice with a later one over it.
func (c choice) with(later choice) choice {
	if later.durability != nil {
		c.durability = later.durability
	}
	if later.permissiveCORS != nil {
		c.permissiveCORS = later.permissiveCORS
	}
	if later.recordBodies != nil {
		c.recordBodies = later.recordBodies
	}
	return c
}

// without returns the choice without what the host was told otherwise.
func (c choice) without(told []string) choice {
	if slices.Contains(told, settingDurability) {
		c.durability = nil
	}
	if slices.Contains(told, settingPermissiveCORS) {
		c.permissiveCORS = nil
	}
	if slices.Contains(told, settingRecordBodies) {
		c.recordBodies = nil
	}
	return c
}

// over returns settings with the choice over them.
func (c choice) over(s settings) settings {
	if c.durability != nil {
		s.durability = *c.durability
	}
	if c.permissiveCORS != nil {
		s.permissiveCORS = *c.permissiveCORS
	}
	if c.recordBodies != nil {
		s.recordBodies = *c.recordBodies
	}
	return s
}

// storedChoice reads what is kept with the store. A document that cannot be
// read, of another version perhaps, is none.
func storedChoice(tx *engine.Tx) choice {
	m, err := readMembers([]byte(tx.Settings()))
	if err != nil {
		return choice{}
	}
	c, err := readChoice(m)
	if err != nil {
		return choice{}
	}
	return c
}

// beginSettings finds out what holds from the start.
func (h *Handler) beginSettings() {
	from := settings{durability: h.options.Durability, permissiveCORS: h.options.PermissiveCORS, recordBodies: true}
	h.chosen.Store(&from)
	if !h.options.Control {
		return
	}
	var kept choice
	_ = h.db.View(func(tx *engine.Tx) error {
		kept = storedChoice(tx)
		return nil
	})
	now := kept.without(h.options.Told).over(from)
	if now.durability != from.durability && h.setDurability(now.durability) != nil {
		now.durability = from.durability // the status says so
	}
	h.chosen.Store(&now)
}

var errNoDurability = &controlError{409, "DurabilityFixed", "What this store keeps cannot be made more or less durable.", ""}

func (h *Handler) setDurability(durability engine.Durability) error {
	if h.options.SetDurability == nil {
		return errNoDurability
	}
	if err := h.options.SetDurability(durability); err != nil {
		return fmt.Errorf("%w: %w", engine.ErrStorage, err)
	}
	return nil
}

func (c *controlCall) settings() (int, []byte, error) { return ok(c.chosen.Load().document()) }

// changeSettings applies a choice, and keeps it with the store.
func (c *controlCall) changeSettings() (int, []byte, error) {
	m, err := c.members()
	if err != nil {
		return 0, nil, err
	}
	wanted, err := readChoice(m)
	if err != nil {
		return 0, nil, err
	}
	c.chosen.changing.Lock()
	defer c.chosen.changing.Unlock()
	before := *c.chosen.Load()
	after := wanted.over(before)
	if after.durability != before.durability {
		if err := c.setDurability(after.durability); err != nil {
			return 0, nil, err
		}
	}
	err = c.db.Update(func(tx *engine.Tx) error {
		kept := storedChoice(tx).with(wanted)
		return tx.SetSettings(kept.document())
	})
	if err != nil {
		if after.durability != before.durability {
			_ = c.setDurability(before.durability) // as good as it gets: the change itself failed
		}
		return 0, nil, err
	}
	c.chosen.Store(&after)
	return message.StatusOK, after.document(), nil
}
