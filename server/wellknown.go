package server

import (
	"encoding/base64"

	"sandtable/engine"
)

// The account of every emulator, with a key that everyone knows.
//
// Source: "Use the Azurite emulator for local Azure Storage development".
const (
	WellKnownAccount = "devstoreaccount1"
	WellKnownKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// WellKnown returns the well-known account with the given access.
func WellKnown(access engine.Access) engine.Account {
	key, _ := base64.StdEncoding.DecodeString(WellKnownKey) // a constant, tested by signing with it
	return engine.Account{Name: WellKnownAccount, Keys: [2][]byte{key}, Access: access}
}
