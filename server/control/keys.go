package control

import (
	"encoding/base64"

	"sandtable/engine"
	"sandtable/server/auth"
	"sandtable/server/message"
)

func (c *call) listKeys() (int, []byte, error) {
	return c.view(func(tx *engine.Tx) ([]byte, error) {
		account, err := tx.Account(c.name)
		return describeKeys(account), err
	})
}

func describeKeys(account engine.Account) []byte {
	var o object
	o.string("primary", base64.StdEncoding.EncodeToString(account.Keys[0]))
	o.string("secondary", base64.StdEncoding.EncodeToString(account.Keys[1]))
	return o.end()
}

// regenerateKey replaces one key. Whatever was signed with the old one is
// refused from then on.
func (c *call) regenerateKey() (int, []byte, error) {
	m, err := c.members()
	if err != nil {
		return 0, nil, err
	}
	which := m.oneOf("regenerate", "primary", "secondary")
	switch err := m.finish(); {
	case err != nil:
		return 0, nil, err
	case which == "":
		return 0, nil, invalidInput("regenerate is missing.")
	}
	key := auth.NewKey()
	var document []byte
	err = c.db.Update(func(tx *engine.Tx) error {
		account, err := tx.Account(c.name)
		if err != nil {
			return err
		}
		if which == "primary" {
			account.Keys[0] = key
		} else {
			account.Keys[1] = key
		}
		document = describeKeys(account)
		return tx.PutAccount(account)
	})
	return message.StatusOK, document, err
}
