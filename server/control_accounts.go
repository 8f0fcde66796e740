package server

import (
	"crypto/rand"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/server/auth"
	"sandtable/server/message"
)

// sasLifetime is how long a signature lasts that a connection string has: the
// data are on this machine alone, and so is the signature.
const sasLifetime = 10 * 365 * 24 * time.Hour

func (c *controlCall) accounts() (int, []byte, error) {
	return c.view(func(tx *engine.Tx) ([]byte, error) {
		var list [][]byte
		for account := range tx.Accounts() {
			list = append(list, describeAccount(tx, account))
		}
		var o object
		o.list("accounts", list)
		return o.end(), nil
	})
}

func (c *controlCall) account() (int, []byte, error) {
	return c.view(func(tx *engine.Tx) ([]byte, error) {
		account, err := tx.Account(c.name)
		return describeAccount(tx, account), err
	})
}

func describeAccount(tx *engine.Tx, account engine.Account) []byte {
	n := countAccount(tx, account.Name)
	var o object
	o.string("name", account.Name)
	o.string("access", account.Access.String())
	o.int("tables", n.Tables)
	o.int("entities", n.Entities)
	return o.end()
}

// access takes the member of this name.
func (m *members) access(preset engine.Access) engine.Access {
	switch m.oneOf("access", engine.OpenAccess.String(), engine.StrictAccess.String()) {
	case engine.OpenAccess.String():
		return engine.OpenAccess
	case engine.StrictAccess.String():
		return engine.StrictAccess
	}
	return preset
}

func (c *controlCall) createAccount() (int, []byte, error) {
	m, err := c.members()
	if err != nil {
		return 0, nil, err
	}
	preset := engine.OpenAccess
	if c.options.StrictAccounts {
		preset = engine.StrictAccess
	}
	account := engine.Account{Name: m.text("name"), Access: m.access(preset)}
	if err := m.finish(); err != nil {
		return 0, nil, err
	}
	if !odata.CheckAccountName(account.Name) {
		return 0, nil, errAccountName
	}
	for i := range account.Keys {
		account.Keys[i] = make([]byte, 64)
		rand.Read(account.Keys[i])
	}
	var document []byte
	err = c.db.Update(func(tx *engine.Tx) error {
		if _, err := tx.Account(account.Name); err == nil {
			return errAccountTaken
		}
		document = describeAccount(tx, account)
		return tx.PutAccount(account)
	})
	return message.StatusCreated, document, err
}

// changeAccount sets the access: keys and service properties have their own ways.
func (c *controlCall) changeAccount() (int, []byte, error) {
	m, err := c.members()
	if err != nil {
		return 0, nil, err
	}
	given := len(m.list) > 0
	access := m.access(engine.StrictAccess)
	switch err := m.finish(); {
	case err != nil:
		return 0, nil, err
	case !given:
		return 0, nil, invalidInput("The access is missing.")
	}
	var document []byte
	err = c.db.Update(func(tx *engine.Tx) error {
		account, err := tx.Account(c.name)
		if err != nil {
			return err
		}
		account.Access = access
		document = describeAccount(tx, account)
		return tx.PutAccount(account)
	})
	return message.StatusOK, document, err
}

func (c *controlCall) deleteAccount() (int, []byte, error) {
	err := c.db.Update(func(tx *engine.Tx) error { return tx.DeleteAccount(c.name) })
	return message.StatusNoContent, nil, err
}

// accountEndpoint returns the address of an account: in a worker that of the
// cloud, natively the one where this server is.
func (c *controlCall) accountEndpoint(name string) string {
	if c.options.ControlToken == "" {
		return "https://" + name + hostSuffixes[0]
	}
	return scheme(c.http) + "://" + c.http.Host + "/" + name
}

func (c *controlCall) connection() (int, []byte, error) {
	return c.view(func(tx *engine.Tx) ([]byte, error) {
		account, err := tx.Account(c.name)
		if err != nil {
			return nil, err
		}
		if len(signingKey(account)) == 0 {
			return nil, errNoKey
		}
		endpoint := c.accountEndpoint(account.Name)
		sas := auth.AccountSAS(account.Name, signingKey(account), c.options.Now().Add(sasLifetime))
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

func (c *controlCall) issueSAS() (int, []byte, error) {
	m, err := c.members()
	if err != nil {
		return 0, nil, err
	}
	sas := auth.SAS{
		Table: m.text("table"), Permissions: m.text("permissions"), ResourceTypes: m.text("resourceTypes"), Policy: m.text("policy"),
		Start: m.time("startsOn"), Expiry: m.time("expiresOn"), Protocol: m.text("protocol"), IP: m.text("ip"),
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
		text, err := sas.Sign(account.Name, key)
		if err != nil {
			return nil, err
		}
		var o object
		o.string("sas", text)
		o.string("url", c.accountEndpoint(account.Name)+"/"+sas.Table+"?"+text)
		return o.end(), nil
	})
}

// time takes a time, the zero one where there is none.
func (m *members) time(name string) time.Time {
	text := m.optional(name)
	if text == nil {
		return time.Time{}
	}
	instant, ok := odata.ParseDateTime(*text)
	if !ok {
		m.fail(name + " is a time such as 2030-01-31T12:00:00Z.")
		return time.Time{}
	}
	return instant.Time()
}
