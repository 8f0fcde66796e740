package sas

import (
	"crypto/hmac"
	"net/url"
	"strings"
)

// Link is a shared access signature that somebody pasted.
type Link struct {
	Token                    // without the account, which only its signature covers
	values map[string]string // of its parameters, as they came
}

// ParseLink reads a SAS URL, a connection string with a SAS, or the parameters
// alone. Any other text gets a sentence for the user.
func ParseLink(text string) (link Link, problem string) {
	text = strings.TrimSpace(text)
	if _, after, found := strings.Cut(text, "SharedAccessSignature="); found {
		text, _, _ = strings.Cut(after, ";")
	}
	if _, after, found := strings.Cut(text, "?"); found {
		text = after
	}
	text, _, _ = strings.Cut(text, "#")
	query, err := url.ParseQuery(text)
	account := query.Has("ss") || query.Has("srt") // its signature covers neither tn nor si
	switch {
	case err != nil || !query.Has("sig"):
		return Link{}, "There is no signature (sig=…) in this text."
	case !query.Has("sv"):
		return Link{}, "The signature has no version (sv=…), so no service accepts it."
	case query.Get("tn") == "" && !account:
		return Link{}, "This signature names neither a table (tn=…) nor services (ss=…): it is not one for tables."
	case account && !strings.Contains(query.Get("ss"), "t"):
		return Link{}, "This signature is for other services of the account, not for tables (ss has no t)."
	}
	values := map[string]string{}
	for name := range query {
		values[name] = query.Get(name)
	}
	if account {
		delete(values, "tn")
		delete(values, "si")
	}
	return Link{values: values, Token: Token{
		Table: values["tn"], Policy: Policy{ID: values["si"]}, Permissions: values["sp"], ResourceTypes: values["srt"],
		Start: NormalizeTime(values["st"]), Expiry: NormalizeTime(values["se"]), Protocol: values["spr"], IP: values["sip"],
		FromPartition: values["spk"], FromRow: values["srk"], ToPartition: values["epk"], ToRow: values["erk"],
	}}, ""
}

// SignedWith reports whether a key of an account made the signature.
func (l Link) SignedWith(account string, key []byte) bool {
	return len(key) > 0 && hmac.Equal([]byte(sign(key, stringToSign(account, l.Table, l.values))), []byte(l.values["sig"]))
}
