package connection

import (
	"cmp"
	"encoding/base64"
	"net/netip"
	"net/url"
	"strings"

	"sandtable/odata"
)

// The account of every emulator, with a key that everyone knows.
//
// Source: "Use the Azurite emulator for local Azure Storage development".
const (
	WellKnownAccount = "devstoreaccount1"
	WellKnownKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// emulatorPort is where emulators answer the Table API.
const emulatorPort = ":10002"

// Endpoint is the Table endpoint of an account and the means to be admitted.
type Endpoint struct {
	URL     string // such as http://127.0.0.1:10002/devstoreaccount1, without a slash at the end
	Account string
	Key     []byte // nil with a SAS
	SAS     string // a query string without "?", "" with a key
	Table   string // the only table that the SAS reaches, "" for all
}

// Error says what is wrong with a connection string, an address or credentials,
// without their text, which may be a secret.
type Error string

// Error returns the text.
func (e Error) Error() string { return string(e) }

// Errors that callers distinguish.
const (
	ErrNoAccount     = Error("the connection string has neither AccountName nor TableEndpoint")
	ErrNoCredentials = Error("there is no key and no shared access signature")
	ErrNoSignature   = Error("the address has no shared access signature (sig=…)")
)

// Is reports whether a text looks like a connection string or an address, right
// or wrong, and not like the path of a file.
func Is(text string) bool {
	for field := range strings.SplitSeq(strings.ToLower(text), ";") {
		name, _, found := strings.Cut(strings.TrimSpace(field), "=")
		switch name {
		case "usedevelopmentstorage", "accountname", "accountkey", "tableendpoint", "sharedaccesssignature", "defaultendpointsprotocol":
			return found
		}
	}
	return isAddress(text)
}

func isAddress(text string) bool {
	text = strings.ToLower(text)
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}

// Parse reads a connection string, or an address with a SAS: that of an account or
// of one of its tables. Names of fields may be in any case, as in the SDKs for
// .NET. Errors are of type [Error].
func Parse(text string) (Endpoint, error) {
	text = strings.TrimSpace(text)
	if isAddress(text) {
		return parseAddress(text)
	}
	fields, err := fieldsOf(text)
	if err != nil {
		return Endpoint{}, err
	}
	if strings.EqualFold(fields["usedevelopmentstorage"], "true") {
		host := strings.TrimSuffix(cmp.Or(fields["developmentstorageproxyuri"], "http://127.0.0.1"), "/")
		return New(host+emulatorPort+"/"+WellKnownAccount, WellKnownAccount, WellKnownKey, "")
	}
	account, address := fields["accountname"], fields["tableendpoint"]
	if address == "" {
		if account == "" {
			return Endpoint{}, ErrNoAccount
		}
		address = cmp.Or(fields["defaultendpointsprotocol"], "https") + "://" + account + ".table." + cmp.Or(fields["endpointsuffix"], "core.windows.net")
	}
	return New(address, account, fields["accountkey"], fields["sharedaccesssignature"])
}

// fieldsOf returns the fields of a connection string by their names in lower case.
func fieldsOf(text string) (map[string]string, error) {
	fields := map[string]string{}
	for field := range strings.SplitSeq(text, ";") {
		if field = strings.TrimSpace(field); field == "" {
			continue
		}
		name, value, ok := strings.Cut(field, "=")
		if !ok {
			return nil, Error("this is neither a connection string nor an address: a part of it has no “=”")
		}
		fields[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(value)
	}
	return fields, nil
}

// parseAddress reads the address of an account or of one of its tables, with a SAS.
func parseAddress(text string) (Endpoint, error) {
	address, query, _ := strings.Cut(text, "?")
	values, err := url.ParseQuery(query)
	if err != nil || !values.Has("sig") {
		return Endpoint{}, ErrNoSignature
	}
	e, err := New(address, "", "", query)
	if err != nil {
		return Endpoint{}, err
	}
	if e.Table = values.Get("tn"); e.Table == "" {
		return e, nil // the SAS is the account's
	}
	// The address may have the table as its creator wrote it.
	if last := address[strings.LastIndexByte(strings.TrimSuffix(address, "/"), '/')+1:]; strings.EqualFold(strings.TrimSuffix(last, "/"), e.Table) {
		e.Table = strings.TrimSuffix(last, "/")
	}
	return e, nil
}

// New returns the endpoint of an account at an address, with a key in Base64 or a
// SAS. Without an account, the address must name it. Errors are of type [Error].
func New(address, account, key, sas string) (Endpoint, error) {
	e, err := At(address, account)
	if err != nil {
		return Endpoint{}, err
	}
	key, e.SAS = strings.TrimSpace(key), strings.TrimPrefix(strings.TrimSpace(sas), "?")
	switch {
	case key == "" && e.SAS == "":
		return Endpoint{}, ErrNoCredentials
	case key != "" && e.SAS != "":
		return Endpoint{}, Error("there is a key and a shared access signature: remove one")
	case key != "":
		if e.Key, err = base64.StdEncoding.DecodeString(key); err != nil {
			return Endpoint{}, Error("the account key is not valid Base64. Copy it again, with the “=” at its end")
		}
		return e, nil
	}
	if values, err := url.ParseQuery(e.SAS); err != nil || !values.Has("sig") {
		return Endpoint{}, Error("the shared access signature has no sig")
	}
	return e, nil
}

// At returns the endpoint of an account at an address, without credentials. Without
// an account, the address must name it. Errors are of type [Error].
func At(address, account string) (Endpoint, error) {
	account = strings.TrimSpace(account)
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return Endpoint{}, Error("the address of the endpoint must begin with https:// or http:// and a host")
	}
	label, rest, _ := strings.Cut(u.Hostname(), ".")
	first, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	ofService := strings.HasPrefix(rest, "table.") || strings.HasPrefix(rest, "z") && strings.Contains(rest, ".table.")
	switch {
	case account != "" && strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/"+account):
		u.Path = strings.TrimSuffix(u.Path, "/")
	case ofService:
		account, u.Path = cmp.Or(account, strings.TrimSuffix(label, odata.SecondarySuffix)), ""
	case account != "" && IsLoopback(u.Host) && strings.Trim(u.Path, "/") == "":
		u.Path = "/" + account // an emulator: the account is in the path
	case account == "" && isAccount(first):
		account, u.Path = strings.TrimSuffix(first, odata.SecondarySuffix), "/"+first
	case account == "":
		return Endpoint{}, Error("the address does not name the account")
	}
	if !isAccount(account) {
		return Endpoint{}, Error("this is not the name of an account: 3 to 24 lower-case letters and digits; in Cosmos DB up to 44, with hyphens")
	}
	u.RawQuery, u.Fragment = "", ""
	return Endpoint{URL: strings.TrimSuffix(u.String(), "/"), Account: account}, nil
}

// maxCosmosAccount is the longest name of an account of Cosmos DB.
//
// Source: "Naming rules and restrictions for Azure resources", Microsoft.DocumentDB.
const maxCosmosAccount = 44

// isAccount reports whether an account of the service or of Cosmos DB can have this
// name. Names with hyphens exist only in Cosmos DB.
func isAccount(name string) bool {
	if odata.CheckAccountName(name) {
		return true
	}
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && (c != '-' || i == 0) {
			return false
		}
	}
	return len(name) >= 3 && len(name) <= maxCosmosAccount
}

// IsLoopback reports whether a host, perhaps with a port, is this computer.
func IsLoopback(host string) bool {
	host = strings.ToLower((&url.URL{Host: host}).Hostname())
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
