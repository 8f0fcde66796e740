package control

import (
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server"
	"sandtable/server/auth"
	"sandtable/server/message"
)

// connectionLifetime is how long the SAS of a connection string is valid. The
// data never leave this machine, and neither does the SAS.
const connectionLifetime = 10 * 365 * 24 * time.Hour

func (c *call) listAccounts() (int, []byte, error) {
	return c.view(func(tx *engine.Tx) ([]byte, error) {
		var list [][]byte
		for account := range tx.Accounts() {
			list = append(list, c.describeAccount(tx, account))
		}
		var o object
		o.list("accounts", list)
		return o.end(), nil
	})
}

func (c *call) getAccount() (int, []byte, error) {
	return c.view(func(tx *engine.Tx) ([]byte, error) {
		account, err := tx.Account(c.name)
		return c.describeAccount(tx, account), err
	})
}

func (h *Handler) describeAccount(tx *engine.Tx, account engine.Account) []byte {
	n := countAccount(tx, account.Name)
	var o object
	o.string("name", account.Name)
	o.string("access", account.Access.String())
	o.int("tables", n.Tables)
	o.int("entities", n.Entities)
	if rules := h.faults.Find(account.Name); rules != nil && rules.State().On {
		o.bool("faults", true)
	}
	return o.end()
}

// access takes the member access, or returns a default.
func (m *members) access(preset engine.Access) engine.Access {
	switch m.oneOf("access", engine.OpenAccess.String(), engine.StrictAccess.String()) {
	case engine.OpenAccess.String():
		return engine.OpenAccess
	case engine.StrictAccess.String():
		return engine.StrictAccess
	}
	return preset
}

func (c *call) createAccount() (int, []byte, error) {
	m, err := c.members()
	if err != nil {
		return 0, nil, err
	}
	preset := engine.OpenAccess
	if c.options.StrictAccounts {
		preset = engine.StrictAccess
	}
	account := engine.Account{Name: m.string("name"), Access: m.access(preset)}
	if err := m.finish(); err != nil {
		return 0, nil, err
	}
	if !odata.CheckAccountName(account.Name) {
		return 0, nil, errAccountName
	}
	account.Keys = c.newKeys(account.Name)
	var document []byte
	err = c.db.Update(func(tx *engine.Tx) error {
		if _, err := tx.Account(account.Name); err == nil {
			return errAccountTaken
		}
		document = c.describeAccount(tx, account)
		return tx.PutAccount(account)
	})
	return message.StatusCreated, document, err
}

// newKeys returns keys for a new account: the well-known key for the account of that name,
// unless a new account is strict here, so that its key should be a secret.
func (c *call) newKeys(account string) [2][]byte {
	if account == server.WellKnownAccount && !c.options.StrictAccounts {
		return server.WellKnown(engine.OpenAccess).Keys
	}
	return [2][]byte{auth.NewKey(), auth.NewKey()}
}

// changeAccount sets the access. Service properties are changed through the
// service.
func (c *call) changeAccount() (int, []byte, error) {
	m, err := c.members()
	if err != nil {
		return 0, nil, err
	}
	empty := len(m.list) == 0
	access := m.access(engine.StrictAccess)
	switch err := m.finish(); {
	case err != nil:
		return 0, nil, err
	case empty:
		return 0, nil, invalidInput("access is missing.")
	}
	var document []byte
	err = c.db.Update(func(tx *engine.Tx) error {
		account, err := tx.Account(c.name)
		if err != nil {
			return err
		}
		account.Access = access
		document = c.describeAccount(tx, account)
		return tx.PutAccount(account)
	})
	return message.StatusOK, document, err
}

func (c *call) deleteAccount() (int, []byte, error) {
	err := c.db.Update(func(tx *engine.Tx) error { return tx.DeleteAccount(c.name) })
	if err == nil {
		c.service.UnblockDeletedTables(c.name)
		c.faults.Clear(c.name)
		c.pinSecondary(c.name, false)
	}
	return message.StatusNoContent, nil, err
}

// accountEndpoint returns the endpoint of an account: the cloud's in a worker,
// this server's natively.
func (c *call) accountEndpoint(name string) string {
	if c.options.Token == "" {
		return "https://" + name + server.ServiceSuffixes()[0]
	}
	return server.Scheme(c.http) + "://" + c.http.Host + "/" + name
}

func (c *call) connection() (int, []byte, error) {
	return c.view(func(tx *engine.Tx) ([]byte, error) {
		account, err := tx.Account(c.name)
		if err != nil {
			return nil, err
		}
		key := signingKey(account)
		if len(key) == 0 {
			return nil, errNoKey
		}
		endpoint := c.accountEndpoint(account.Name)
		sas := auth.AccountSAS(account.Name, key, c.now().Add(connectionLifetime))
		var o object
		o.string("account", account.Name)
		o.string("endpoint", endpoint)
		o.string("sas", sas)
		o.string("connectionString", "TableEndpoint="+endpoint+";SharedAccessSignature="+sas)
		o.string("sasUrl", endpoint+"/?"+sas)
		return o.end(), nil
	})
}

// signingKey returns the first key that an account has.
func signingKey(account engine.Account) []byte {
	if account.Keys[0] != nil {
		return account.Keys[0]
	}
	return account.Keys[1]
}

func (c *call) issueSAS() (int, []byte, error) {
	m, err := c.members()
	if err != nil {
		return 0, nil, err
	}
	sas := auth.SAS{
		Table: m.string("table"), Permissions: m.string("permissions"), ResourceTypes: m.string("resourceTypes"), Policy: m.string("policy"),
		Start: m.time("startsOn"), Expiry: m.time("expiresOn"), Protocol: m.string("protocol"), IP: m.string("ip"),
		StartPartitionKey: m.optional("startPartitionKey"), StartRowKey: m.optional("startRowKey"),
		EndPartitionKey: m.optional("endPartitionKey"), EndRowKey: m.optional("endRowKey"),
	}
	secondary := m.oneOf("key", "primary", "secondary") == "secondary"
	if err := m.finish(); err != nil {
		return 0, nil, err
	}
	return c.view(func(tx *engine.Tx) ([]byte, error) {
		account, err := tx.Account(c.name)
		if err != nil {
			return nil, err
		}
		key := signingKey(account)
		if secondary {
			key = account.Keys[1]
		}
		if len(key) == 0 {
			return nil, errNoKey
		}
		signed, err := sas.Sign(account.Name, key)
		if err != nil {
			return nil, err
		}
		var o object
		o.string("sas", signed)
		o.string("url", c.accountEndpoint(account.Name)+"/"+sas.Table+"?"+signed)
		return o.end(), nil
	})
}
