package auth

import (
	"net/netip"
	"net/url"
	"strings"
	"time"

	"sandtable/odata"
)

// Versions of the service that changed how a SAS is signed.
const (
	versionTableSAS        = "2012-02-12"
	versionServicePrefix   = "2015-02-21" // /table before the resource
	versionAccountSAS      = "2015-04-05" // account SAS; sip and spr
	versionEncryptionScope = "2020-12-06" // ses
)

// authenticateSAS checks a shared access signature in the query.
func authenticateSAS(r Request, account Account, now time.Time) (Grant, error) {
	version := r.Query.Get("sv")
	if !wellFormedVersion(version) || version < versionTableSAS {
		return Grant{}, refuse(ErrAuthenticationFailed, "sv is not a version with shared access signatures: "+version)
	}
	for name, values := range r.Query {
		if len(values) > 1 && strings.Contains(signedParameters, " "+name+" ") {
			return Grant{}, refuse(ErrAuthenticationFailed, "the SAS has "+name+" more than once")
		}
	}
	if r.Query.Has("ss") || r.Query.Has("srt") {
		return authenticateAccountSAS(r, account, version, now)
	}
	return authenticateTableSAS(r, account, version, now)
}

const signedParameters = " sv ss srt sp st se sip spr ses tn si spk srk epk erk sig "

func wellFormedVersion(version string) bool {
	_, err := time.Parse(time.DateOnly, version)
	return err == nil
}

func authenticateAccountSAS(r Request, account Account, version string, now time.Time) (Grant, error) {
	if version < versionAccountSAS {
		return Grant{}, refuse(ErrAuthenticationFailed, "sv "+version+" has no account SAS")
	}
	text := accountStringToSign(r.Query, account.Name, version)
	if !signedBy(account.Keys, text, r.Query.Get("sig")) {
		return Grant{}, refuseSignature(account.Keys, text, r.Query.Get("sig"), accountSASMistakes(text))
	}
	terms := termsOf(r.Query)
	if err := terms.check(r, now); err != nil {
		return Grant{}, err
	}
	if !strings.Contains(r.Query.Get("ss"), "t") {
		return Grant{}, refuse(ErrServiceMismatch, "ss="+r.Query.Get("ss")+" lacks t")
	}
	return Grant{
		Scheme:        SchemeAccountSAS,
		Version:       version,
		permissions:   r.Query.Get("sp"),
		resourceTypes: r.Query.Get("srt"),
	}, nil
}

func accountStringToSign(q url.Values, account, version string) string {
	lines := []string{account}
	for _, name := range []string{"sp", "ss", "srt", "st", "se", "sip", "spr", "sv"} {
		lines = append(lines, q.Get(name))
	}
	if version >= versionEncryptionScope {
		lines = append(lines, q.Get("ses"))
	}
	return strings.Join(lines, "\n") + "\n"
}

func authenticateTableSAS(r Request, account Account, version string, now time.Time) (Grant, error) {
	q := r.Query
	if q.Get("tn") == "" {
		return Grant{}, refuse(ErrAuthenticationFailed, "the SAS is neither an account's (ss, srt) nor a table's (tn)")
	}
	text := tableStringToSign(q, account.Name, version)
	if !signedBy(account.Keys, text, q.Get("sig")) {
		return Grant{}, refuseSignature(account.Keys, text, q.Get("sig"), tableSASMistakes(q, account.Name, text))
	}
	terms := termsOf(q)
	if id := q.Get("si"); id != "" {
		if err := terms.addPolicy(account, q.Get("tn"), id); err != nil {
			return Grant{}, err
		}
	}
	if err := terms.check(r, now); err != nil {
		return Grant{}, err
	}
	keys, ok := keyRange(q)
	if !ok {
		return Grant{}, refuse(ErrAuthenticationFailed, "srk needs spk, erk needs epk, and no end may be empty")
	}
	return Grant{
		Scheme:      SchemeTableSAS,
		Version:     version,
		permissions: terms.permission,
		table:       strings.ToLower(q.Get("tn")),
		keys:        keys,
	}, nil
}

func tableStringToSign(q url.Values, account, version string) string {
	resource := "/" + account + "/" + strings.ToLower(q.Get("tn"))
	if version >= versionServicePrefix {
		resource = "/table" + resource
	}
	lines := []string{q.Get("sp"), q.Get("st"), q.Get("se"), resource, q.Get("si")}
	if version >= versionAccountSAS {
		lines = append(lines, q.Get("sip"), q.Get("spr"))
	}
	lines = append(lines, version, q.Get("spk"), q.Get("srk"), q.Get("epk"), q.Get("erk"))
	return strings.Join(lines, "\n")
}

// keyRange returns the range of a table SAS. Its ends are inclusive; a missing row
// key means the whole partition.
func keyRange(q url.Values) (odata.KeyRange, bool) {
	if q.Has("srk") && !q.Has("spk") || q.Has("erk") && !q.Has("epk") {
		return odata.KeyRange{}, false
	}
	for _, end := range []string{"epk", "erk"} {
		if q.Has(end) && q.Get(end) == "" {
			return odata.KeyRange{}, false // the same is signed without it, which means no end
		}
	}
	keys := odata.KeyRange{From: odata.Key{PartitionKey: q.Get("spk"), RowKey: q.Get("srk")}}
	if q.Has("epk") {
		end := odata.Key{PartitionKey: q.Get("epk"), RowKey: q.Get("erk")}
		keys.Bounded = true
		if q.Has("erk") {
			keys.To = end.Next()
		} else {
			keys.To = end.NextPartition()
		}
	}
	return keys, true
}

// terms say when a SAS is valid and what it allows, as its query or its policy
// has it.
type terms struct {
	start, expiry string
	permission    string
}

func termsOf(q url.Values) terms {
	return terms{start: q.Get("st"), expiry: q.Get("se"), permission: q.Get("sp")}
}

// addPolicy adds the fields of the policy. No field may be in both.
func (t *terms) addPolicy(account Account, table, id string) error {
	var policy Policy
	found := false
	if account.Policy != nil {
		policy, found = account.Policy(table, id)
	}
	if !found {
		return refuse(ErrAuthenticationFailed, "the table has no stored access policy "+id)
	}
	for _, field := range []struct {
		name   string
		own    *string
		policy string
	}{
		{"st", &t.start, timeText(policy.Start)}, {"se", &t.expiry, timeText(policy.Expiry)}, {"sp", &t.permission, policy.Permission},
	} {
		if *field.own != "" && field.policy != "" {
			return refuse(ErrPolicyConflict, field.name+" is in the SAS and in its policy")
		}
		*field.own += field.policy
	}
	return nil
}

func timeText(instant *odata.DateTime) string {
	if instant == nil {
		return ""
	}
	return instant.String()
}

// check checks the time, the protocol and the address of a SAS's use.
func (t *terms) check(r Request, now time.Time) error {
	q := r.Query
	instant := odata.DateTimeOf(now)
	if t.start != "" {
		from, ok := odata.ParseDateTime(t.start)
		if !ok || instant < from {
			return refuse(ErrAuthenticationFailed, "the SAS is not valid yet, or its start is not a date: "+t.start)
		}
	}
	until, ok := odata.ParseDateTime(t.expiry)
	if !ok || instant >= until {
		return refuse(ErrAuthenticationFailed, "the SAS has expired, or its expiry is not a date: "+t.expiry)
	}
	switch q.Get("spr") {
	case "", "https,http":
	case "https":
		if !r.HTTPS {
			return refuse(ErrProtocolMismatch, "spr=https over http")
		}
	default:
		return refuse(ErrAuthenticationFailed, "spr is neither https nor https,http")
	}
	return checkSourceIP(q.Get("sip"), r.IP)
}

func checkSourceIP(allowed, caller string) error {
	// See C47: outside the native server requests have no address.
	if allowed == "" || caller == "" {
		return nil
	}
	low, high, ranged := strings.Cut(allowed, "-")
	if !ranged {
		high = low
	}
	from, err1 := netip.ParseAddr(low)
	to, err2 := netip.ParseAddr(high)
	ip, err3 := netip.ParseAddr(caller)
	if err1 != nil || err2 != nil || err3 != nil {
		return refuse(ErrAuthenticationFailed, "sip or the caller's address is not an IP address: "+allowed)
	}
	if ip = ip.Unmap(); ip.Less(from) || to.Less(ip) {
		return refuse(ErrSourceIPMismatch, "the caller "+caller+" is not in sip="+allowed)
	}
	return nil
}
