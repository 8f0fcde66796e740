package server

import (
	"encoding/base64"

	"sandtable/engine"
	"sandtable/odata/connection"
)

// The account of every emulator, with a key that everyone knows.
const (
	WellKnownAccount = connection.WellKnownAccount
	WellKnownKey     = connection.WellKnownKey
)

// WellKnown returns the well-known account with the given access.
func WellKnown(access engine.Access) engine.Account {
	key, _ := base64.StdEncoding.DecodeString(WellKnownKey) // a constant, tested by signing with it
	return engine.Account{Name: WellKnownAccount, Keys: [2][]byte{key}, Access: access}
}
