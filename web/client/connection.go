package client

import (
	"encoding/base64"
	"strings"

	"sandtable/odata/connection"
)

// ParseConnection reads a connection string or an address with a SAS. Errors are
// of type [connection.Error].
func ParseConnection(text string) (Remote, error) {
	return remoteOf(connection.Parse(text))
}

// WithKey returns the account at an address, for which there is a key. Errors are
// of type [connection.Error].
func WithKey(endpoint, account, key string) (Remote, error) {
	return remoteOf(connection.New(endpoint, account, key, ""))
}

// ParseAddress returns the account at an address, without credentials, as a link
// may carry it. The host is ASCII, so that none looks like another one. Errors are
// of type [connection.Error].
func ParseAddress(text string) (Remote, error) {
	if strings.ContainsAny(text, "?#@") {
		return Remote{}, connection.Error("the link contains more than an address. Keys and signatures do not belong in links, which browsers keep: paste what you have here instead")
	}
	if strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return Remote{}, connection.Error("the address in the link has characters that addresses do not have")
	}
	return remoteOf(connection.At(text, ""))
}

func remoteOf(e connection.Endpoint, err error) (Remote, error) {
	return Remote{Account: e.Account, Endpoint: e.URL, Key: base64.StdEncoding.EncodeToString(e.Key), SAS: e.SAS, Table: e.Table}, err
}
