package connection

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// The account of every emulator, with a key that everyone knows.
//
// Source: "Use the Azurite emulator for local Azure Storage development".
const (
	WellKnownAccount = "devstoreaccount1"
	WellKnownKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// developmentURL is the Table endpoint of an emulator, for UseDevelopmentStorage=true.
const developmentURL = "http://127.0.0.1:10002/" + WellKnownAccount

// Endpoint is the Table endpoint of an account and the means to be admitted.
type Endpoint struct {
	URL     string // such as http://127.0.0.1:10002/devstoreaccount1, without a slash at the end
	Account string // "" if a SAS names none
	Key     []byte // nil with a SAS
	SAS     string // a query string without "?", "" with a key
}

// Errors of [Parse].
var (
	ErrSyntax      = errors.New("connection string needs AccountName and AccountKey, SharedAccessSignature, or UseDevelopmentStorage=true")
	ErrCredentials = errors.New("address needs a shared access signature")
)

// Is reports whether a text looks like a connection string or an address, right
// or wrong, and not like the path of a file.
func Is(text string) bool {
	lower := strings.ToLower(text)
	for _, field := range strings.Split(lower, ";") {
		name, _, found := strings.Cut(strings.TrimSpace(field), "=")
		switch name {
		case "usedevelopmentstorage", "accountname", "accountkey", "tableendpoint", "sharedaccesssignature", "defaultendpointsprotocol":
			return found
		}
	}
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}

// Parse reads a connection string, or an address with a SAS. Names of fields may be
// in any case, as in the SDKs for .NET. Errors do not contain the text: it has
// secrets.
func Parse(text string) (Endpoint, error) {
	if lower := strings.ToLower(text); strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") {
		return parseAddress(text)
	}
	fields := map[string]string{"defaultendpointsprotocol": "https", "endpointsuffix": "core.windows.net"}
	for field := range strings.SplitSeq(text, ";") {
		if name, value, ok := strings.Cut(strings.TrimSpace(field), "="); ok {
			fields[strings.ToLower(name)] = value
		}
	}
	if strings.EqualFold(fields["usedevelopmentstorage"], "true") {
		return development(fields["developmentstorageproxyuri"])
	}
	e := Endpoint{Account: fields["accountname"], URL: strings.TrimSuffix(fields["tableendpoint"], "/"), SAS: strings.TrimPrefix(fields["sharedaccesssignature"], "?")}
	key, err := base64.StdEncoding.DecodeString(fields["accountkey"])
	switch {
	case err != nil:
		return Endpoint{}, fmt.Errorf("%w: AccountKey is not base64", ErrSyntax)
	case e.Account == "" && e.URL == "", e.SAS == "" && (len(key) == 0 || e.Account == ""):
		return Endpoint{}, ErrSyntax
	case e.SAS == "":
		e.Key = key
	}
	if e.URL == "" {
		e.URL = fields["defaultendpointsprotocol"] + "://" + e.Account + ".table." + fields["endpointsuffix"]
	}
	return e.named()
}

// development returns the endpoint of an emulator, on another host if there is a
// proxy.
func development(proxy string) (Endpoint, error) {
	at := developmentURL
	if proxy != "" {
		u, err := url.Parse(proxy)
		if err != nil || u.Host == "" {
			return Endpoint{}, fmt.Errorf("%w: DevelopmentStorageProxyUri is not an address", ErrSyntax)
		}
		at = u.Scheme + "://" + u.Hostname() + ":10002/" + WellKnownAccount
	}
	key, err := base64.StdEncoding.DecodeString(WellKnownKey)
	return Endpoint{URL: at, Account: WellKnownAccount, Key: key}, err
}

func parseAddress(text string) (Endpoint, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return Endpoint{}, errors.New("address is malformed")
	}
	if u.Query().Get("sig") == "" {
		return Endpoint{}, ErrCredentials
	}
	e := Endpoint{SAS: u.RawQuery}
	u.RawQuery, u.Fragment = "", ""
	e.URL = strings.TrimSuffix(u.String(), "/")
	return e.named()
}

// named takes the account's name from the address if it is in no field: from the
// host or, at an emulator, from the path.
func (e Endpoint) named() (Endpoint, error) {
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" {
		return Endpoint{}, fmt.Errorf("%w: TableEndpoint is not an address", ErrSyntax)
	}
	if e.Account == "" {
		if path := strings.Trim(u.Path, "/"); path != "" {
			e.Account = path
		} else {
			e.Account, _, _ = strings.Cut(u.Hostname(), ".")
		}
	}
	return e, nil
}
