package control

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/message"
)

// The names of the settings, see docs/control.md.
const (
	settingDurability     = "durability"
	settingPermissiveCORS = "permissiveCORS"
	settingRecordBodies   = "recordBodies"
	settingTableDeletion  = "tableDeletion"
)

// MaxTableDeletion limits how long the name of a deleted table stays blocked.
const MaxTableDeletion = time.Hour

// settings can be changed while a handler runs. Changes are kept with the store.
type settings struct {
	durability     engine.Durability
	permissiveCORS bool
	recordBodies   bool
	tableDeletion  time.Duration
}

// choice is a choice of settings; one that is nil was not chosen.
type choice struct {
	durability     *engine.Durability
	permissiveCORS *bool
	recordBodies   *bool
	tableDeletion  *time.Duration
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
	o.string(settingTableDeletion, s.tableDeletion.String())
	return o.end()
}

// readChoice reads a document with any of the settings.
func readChoice(m *members) (choice, error) {
	return choice{
		durability:     m.durability(settingDurability),
		permissiveCORS: m.bool(settingPermissiveCORS),
		recordBodies:   m.bool(settingRecordBodies),
		tableDeletion:  m.duration(settingTableDeletion, MaxTableDeletion),
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

// duration takes a duration from 0 to most, nil if it is missing.
func (m *members) duration(name string, most time.Duration) *time.Duration {
	s := m.optional(name)
	if s == nil {
		return nil
	}
	d, err := time.ParseDuration(*s)
	if err != nil || d < 0 || d > most {
		m.fail(name + " must be a duration such as 40s, from 0s to " + most.String() + ".")
		return nil
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
	if c.tableDeletion != nil {
		o.string(settingTableDeletion, c.tableDeletion.String())
	}
	return string(o.end())
}

// with returns the choice, overridden by a later one.
func (c choice) with(later choice) choice {
	return choice{
		durability:     cmp.Or(later.durability, c.durability),
		permissiveCORS: cmp.Or(later.permissiveCORS, c.permissiveCORS),
		recordBodies:   cmp.Or(later.recordBodies, c.recordBodies),
		tableDeletion:  cmp.Or(later.tableDeletion, c.tableDeletion),
	}
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
	if slices.Contains(names, settingTableDeletion) {
		c.tableDeletion = nil
	}
	return c
}

// apply returns settings, overridden by the choice.
func (c choice) apply(s settings) settings {
	return settings{
		durability:     *cmp.Or(c.durability, &s.durability),
		permissiveCORS: *cmp.Or(c.permissiveCORS, &s.permissiveCORS),
		recordBodies:   *cmp.Or(c.recordBodies, &s.recordBodies),
		tableDeletion:  *cmp.Or(c.tableDeletion, &s.tableDeletion),
	}
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
func (h *Handler) beginSettings(service server.Options) {
	preset := settings{
		durability: h.options.Durability, permissiveCORS: service.PermissiveCORS,
		recordBodies: h.options.RecordBodies, tableDeletion: service.TableDeletion,
	}
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
	h.service.SetTableDeletion(s.tableDeletion)
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
