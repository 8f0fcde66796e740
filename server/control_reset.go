package server

import "sandtable/engine"

// reset empties the store, or an account, in one step: nobody sees half of it.
func (c *controlCall) reset() (int, []byte, error) {
	m, err := c.members()
	if err != nil {
		return 0, nil, err
	}
	what, name := m.oneOf("what", "all", "account"), m.optional("account")
	switch err := m.finish(); {
	case err != nil:
		return 0, nil, err
	case (what == "account") != (name != nil):
		return 0, nil, invalidInput(`To empty one account, what is "account" and account its name.`)
	}
	var gone counts
	if name != nil {
		gone, err = c.resetAccount(*name)
	} else {
		gone, err = c.resetAll()
	}
	if err != nil {
		return 0, nil, err
	}
	var o object
	gone.document(&o)
	return ok(o.end())
}

// resetAll leaves the accounts that the host says are always there, and the
// settings.
func (c *controlCall) resetAll() (gone counts, err error) {
	err = c.db.Update(func(tx *engine.Tx) error {
		gone = countAll(tx)
		if err := tx.DeleteAccounts(); err != nil {
			return err
		}
		for _, account := range c.options.Accounts {
			if err := tx.PutAccount(account); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return gone, err
	}
	c.deleted.clear()
	if c.journal != nil {
		c.journal.Clear()
	}
	return gone, c.db.ForgetCorruption()
}

// resetAccount takes the tables and the service properties of an account; its
// keys and its access stay.
func (c *controlCall) resetAccount(name string) (gone counts, err error) {
	err = c.db.Update(func(tx *engine.Tx) error {
		account, err := tx.Account(name)
		if err != nil {
			return err
		}
		gone = countAccount(tx, name)
		if err := tx.DeleteAccount(name); err != nil {
			return err
		}
		account.Properties = ""
		return tx.PutAccount(account)
	})
	return gone, err
}
