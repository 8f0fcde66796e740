package control

import (
	"slices"

	"sandtable/engine"
)

// reset empties the store or one account in a single step: readers see all of
// it or nothing. What to empty must be named, so that an empty body does nothing.
func (c *call) reset() (int, []byte, error) {
	m, err := c.members()
	if err != nil {
		return 0, nil, err
	}
	what, name := m.oneOf("what", "all", "account", "unopened"), m.optional("account")
	switch err := m.finish(); {
	case err != nil:
		return 0, nil, err
	case what == "" || (what == "account") != (name != nil):
		return 0, nil, invalidInput(`The body must be {"what":"all"} or {"what":"account","account":"NAME"}.`)
	}
	var removed counts
	switch what {
	case "all":
		removed, err = c.resetAll()
	case "account":
		removed, err = c.resetAccount(*name)
	case "unopened": // this one opened, so that nothing is to be deleted
	}
	if err != nil {
		return 0, nil, err
	}
	var o object
	removed.describe(&o)
	return ok(o.end())
}

// resetAll leaves the settings and Options.Accounts or, if that is nil, all accounts as
// they are: it must not create an account whose key everybody knows, nor bring back a key
// that was regenerated.
func (c *call) resetAll() (removed counts, err error) {
	err = c.db.Update(func(tx *engine.Tx) error {
		removed = countAll(tx)
		kept := c.options.Accounts
		if kept == nil {
			kept = slices.Collect(tx.Accounts())
		}
		if err := tx.DeleteAccounts(); err != nil {
			return err
		}
		for _, account := range kept {
			account.Properties = ""
			if err := tx.PutAccount(account); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return removed, err
	}
	c.service.UnblockDeletedTables("")
	c.journal.Clear()
	c.faults.ClearAll()
	c.unpinSecondaries()
	return removed, c.db.ForgetCorruption()
}

// resetAccount deletes the tables and the service properties of an account. Its
// keys, its access and its snapshots stay.
func (c *call) resetAccount(name string) (removed counts, err error) {
	err = c.db.Update(func(tx *engine.Tx) error {
		account, err := tx.Account(name)
		if err != nil {
			return err
		}
		removed = countAccount(tx, name)
		for table := range tx.Tables(name, "") {
			if err := tx.DeleteTable(name, table.Name); err != nil {
				return err
			}
		}
		account.Properties = ""
		return tx.PutAccount(account)
	})
	if err == nil {
		c.service.UnblockDeletedTables(name)
	}
	return removed, err
}
