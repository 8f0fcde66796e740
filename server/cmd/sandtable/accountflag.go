//go:build !js

package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sandtable/engine"
	"sandtable/odata"
)

// accountFlag collects accounts, name:base64key[:base64key].
type accountFlag []engine.Account

// add adds one account. Errors do not quote it, because it contains keys.
func (f *accountFlag) add(text string) error {
	name, encoded, ok := strings.Cut(text, ":")
	if !ok {
		return errors.New("want name:base64key")
	}
	if !odata.CheckAccountName(name) {
		return errors.New("an account name has 3 to 24 lower-case letters and digits")
	}
	primary, secondary, _ := strings.Cut(encoded, ":")
	account := engine.Account{Name: name}
	for i, encoded := range []string{primary, secondary} {
		if i == 1 && encoded == "" { // absent, or empty, which Azurite accepts
			break
		}
		key, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(key) == 0 {
			return errors.New("the key is not Base64")
		}
		account.Keys[i] = key
	}
	for _, other := range *f {
		if other.Name == name && !slices.EqualFunc(other.Keys[:], account.Keys[:], bytes.Equal) {
			return fmt.Errorf("%s is given twice with different keys; write both as name:key1:key2", name)
		}
	}
	*f = append(*f, account)
	return nil
}
