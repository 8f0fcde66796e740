package client

import (
	"net/url"
	"strings"

	"sandtable/odata"
	"sandtable/web/sas"
)

// The account of every emulator, and where emulators listen.
const (
	emulatorAccount = "devstoreaccount1"
	emulatorKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
	emulatorPort    = ":10002"
)

// ConnectionError says in whole sentences what is wrong with what was entered.
type ConnectionError string

// Error returns the sentences.
func (e ConnectionError) Error() string { return string(e) }

// ParseConnection reads a connection string or a SAS URL. Errors are sentences
// for the user.
//
// https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string
func ParseConnection(text string) (Remote, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://") {
		return parseURL(text)
	}
	fields, err := connectionFields(text)
	if err != nil {
		return Remote{}, err
	}
	if strings.EqualFold(fields["usedevelopmentstorage"], "true") {
		host := fields["developmentstorageproxyuri"]
		if host == "" {
			host = "http://127.0.0.1"
		}
		return Remote{Account: emulatorAccount, Key: emulatorKey, Endpoint: strings.TrimSuffix(host, "/") + emulatorPort + "/" + emulatorAccount}, nil
	}
	r := Remote{Account: fields["accountname"], Key: fields["accountkey"], SAS: strings.TrimPrefix(fields["sharedaccesssignature"], "?")}
	endpoint := fields["tableendpoint"]
	if endpoint == "" {
		if r.Account == "" {
			return r, ConnectionError("The connection string has neither AccountName nor TableEndpoint.")
		}
		endpoint = orDefault(fields["defaultendpointsprotocol"], "https") + "://" + r.Account + ".table." + orDefault(fields["endpointsuffix"], "core.windows.net")
	}
	return r.complete(endpoint)
}

func orDefault(text, preset string) string {
	if text == "" {
		return preset
	}
	return text
}

func connectionFields(text string) (map[string]string, error) {
	if text == "" {
		return nil, ConnectionError("Paste a connection string or a SAS URL.")
	}
	fields := map[string]string{}
	for part := range strings.SplitSeq(text, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return nil, ConnectionError("This is neither a connection string nor an address: “" + shorten(part) + "” has no “=”.")
		}
		fields[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(value)
	}
	return fields, nil
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}

// WithKey returns the account at an address, for which there is a key.
func WithKey(endpoint, account, key string) (Remote, error) {
	return Remote{Account: strings.TrimSpace(account), Key: strings.TrimSpace(key)}.complete(strings.TrimSpace(endpoint))
}

// parseURL reads a SAS URL: the address of an account or of one of its tables.
func parseURL(text string) (Remote, error) {
	address, query, _ := strings.Cut(text, "?")
	values, err := url.ParseQuery(query)
	if err != nil || !values.Has("sig") {
		return Remote{}, ConnectionError("The address has no signature (sig=…). For an address without one, enter account and key.")
	}
	r, err := Remote{SAS: query}.complete(address)
	if err != nil {
		return r, err
	}
	u, _ := url.Parse(address) // complete has parsed it
	table := strings.Trim(strings.TrimPrefix(u.Path, pathOf(r.Endpoint)), "/")
	if tn := values.Get("tn"); tn != "" && !strings.EqualFold(tn, table) {
		table = tn
	} else if tn == "" {
		table = "" // the SAS is the account's
	}
	r.Table = table
	return r, nil
}

func pathOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return u.Path
}

// ParseAddress returns the account at an address, without credentials, as a link
// may carry it. The host is ASCII, so that none looks like another one.
func ParseAddress(text string) (Remote, error) {
	if strings.ContainsAny(text, "?#@") {
		return Remote{}, ConnectionError("The link contains more than an address. Keys and signatures do not belong in links, which browsers keep: paste what you have here instead.")
	}
	if strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return Remote{}, ConnectionError("The address in the link has characters that addresses do not have.")
	}
	return Remote{}.at(text)
}

// complete is at for an account with its credentials.
func (r Remote) complete(endpoint string) (Remote, error) {
	r, err := r.at(endpoint)
	if err != nil {
		return r, err
	}
	return r, r.checkCredentials()
}

// at sets the endpoint, and the account if only the endpoint names it.
func (r Remote) at(endpoint string) (Remote, error) {
	u, err := parseEndpoint(endpoint)
	if err != nil {
		return r, err
	}
	named := r.Account != ""
	label, rest, _ := strings.Cut(u.Hostname(), ".")
	first, _, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	hostStyle := strings.HasPrefix(rest, "table.") || strings.HasPrefix(rest, "z") && strings.Contains(rest, ".table.")
	switch {
	case named && (u.Path == "/"+r.Account || strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), "/"+r.Account)):
		u.Path = strings.TrimSuffix(u.Path, "/")
	case hostStyle:
		r.Account, u.Path = orDefault(r.Account, strings.TrimSuffix(label, "-secondary")), ""
	case named && isLoopback(u.Host) && strings.Trim(u.Path, "/") == "":
		u.Path = "/" + r.Account // an emulator: the account is in the path
	case !named && odata.CheckAccountName(first):
		r.Account, u.Path = first, "/"+first
	case !named:
		return r, ConnectionError("The address does not name the account.")
	}
	if !odata.CheckAccountName(r.Account) {
		return r, ConnectionError("“" + shorten(r.Account) + "” is not the name of an account: 3 to 24 lower-case letters and digits.")
	}
	u.RawQuery, u.Fragment = "", ""
	r.Endpoint = strings.TrimSuffix(u.String(), "/")
	return r, nil
}

func (r Remote) checkCredentials() error {
	_, err := sas.DecodeKey(r.Key)
	switch {
	case r.Key == "" && r.SAS == "":
		return ConnectionError("There is no key and no shared access signature.")
	case r.SAS != "" && r.Key != "":
		return ConnectionError("There is a key and a shared access signature: remove one.")
	case r.Key != "" && err != nil:
		return ConnectionError("The account key is not valid Base64. Copy it again, with the “=” at its end.")
	}
	if values, err := url.ParseQuery(r.SAS); r.SAS != "" && (err != nil || !values.Has("sig")) {
		return ConnectionError("The shared access signature has no sig.")
	}
	return nil
}

func parseEndpoint(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return nil, ConnectionError("“" + shorten(text) + "” is not an address: it begins with https:// or http://.")
	}
	return u, nil
}
