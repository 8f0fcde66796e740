package control

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

// settings can be changed while a handler runs. Changes are kept with the store.
type settings struct {
	durability     engine.Durability
	permissiveCORS bool
	recordBodies   bool
}

// choice is a choice of settings; one that is nil was not chosen.
type choice struct {
	durability     *engine.Durability
	permissiveCORS *bool
	recordBodies   *bool
}

// currentSettings are the settings of a handler.
type currentSettings struct {
	changing sync.Mutex // held for a change of the storage and the store together
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
		permissiveCORS: m.bool(settingPermissiveCORS),
		recordBodies:   m.bool(settingRecordBodies),
	}, m.finish()
}

// durability takes a durability, nil if it is missing.
func (m *members) durability(name string) *engine.Durability {
	d, err := engine.ParseDurability(m.oneOf(name, engine.Relaxed.String(), engine.Strict.String()))
	if err != nil {
		return nil // missing, or refused by oneOf
	}
	return &d
}

// document is what the store keeps: only what was chosen.
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

// with returns the choice, overridden by a later one.
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

// without returns the choice without the settings of these names.
func (c choice) without(names []string) choice {
	if slices.Contains(names, settingDurability) {
		c.durability = nil
	}
	if slices.Contains(names, settingPermissiveCORS) {
		c.permissiveCORS = nil
	}
	if slices.Contains(names, settingRecordBodies) {
		c.recordBodies = nil
	}
	return c
}

// apply returns settings, overridden by the choice.
func (c choice) apply(s settings) settings {
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

// storedChoice reads what the store keeps. It ignores a document that it cannot
// read, perhaps one of another version.
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

// beginSettings sets the settings of the start: the options', overridden by
// those kept with the store unless Options.Overrides names them.
func (h *Handler) beginSettings(permissiveCORS bool) {
	preset := settings{durability: h.options.Durability, permissiveCORS: permissiveCORS, recordBodies: h.options.RecordBodies}
	var stored choice
	_ = h.db.View(func(tx *engine.Tx) error { // without a store the options remain
		stored = storedChoice(tx)
		return nil
	})
	s := stored.without(h.options.Overrides).apply(preset)
	if s.durability != preset.durability && h.setDurability(s.durability) != nil {
		s.durability = preset.durability // which the status reports
	}
	h.setSettings(s)
}

func (h *Handler) setSettings(s settings) {
	h.service.SetPermissiveCORS(s.permissiveCORS)
	h.current.Store(&s)
}

func (h *Handler) setDurability(durability engine.Durability) error {
	if h.options.SetDurability == nil {
		return errDurability
	}
	if err := h.options.SetDurability(durability); err != nil {
		return fmt.Errorf("%w: %w", engine.ErrStorage, err)
	}
	return nil
}

func (c *call) getSettings() (int, []byte, error) { return ok(c.current.Load().document()) }

// changeSettings applies a choice and keeps it with the store.
func (c *call) changeSettings() (int, []byte, error) {
	m, err := c.members()
	if err != nil {
		return 0, nil, err
	}
	chosen, err := readChoice(m)
	if err != nil {
		return 0, nil, err
	}
	c.current.changing.Lock()
	defer c.current.changing.Unlock()
	before := *c.current.Load()
	after := chosen.apply(before)
	if after.durability != before.durability {
		if err := c.setDurability(after.durability); err != nil {
			return 0, nil, err
		}
	}
	err = c.db.Update(func(tx *engine.Tx) error {
		stored := storedChoice(tx).with(chosen)
		return tx.SetSettings(stored.document())
	})
	if err != nil {
		if after.durability != before.durability {
			_ = c.setDurability(before.durability) // best effort: the change itself failed
		}
		return 0, nil, err
	}
	c.setSettings(after)
	return message.StatusOK, after.document(), nil
}
