package auth

import (
	"net/url"
	"slices"
	"strings"
)

// A mistake is one that clients usually make when they build the string to sign.
type mistake struct {
	what string // in words
	text string // what such a client signs
}

// refuseSignature refuses a signature that does not cover text. If it covers
// the text of a usual mistake, the refusal names the mistake. Only who holds the
// account's key can make such a signature, so this reveals nothing to others.
func refuseSignature(keys [2][]byte, text, signature string, mistakes []mistake) error {
	refusal := &Refusal{Err: ErrAuthenticationFailed, Reason: "the signature is not that of " + quoteLines(text), StringToSign: text}
	for _, m := range mistakes {
		if signedBy(keys, m.text, signature) {
			refusal.Reason, refusal.Signed = m.what, m.text
			break
		}
	}
	return refusal
}

// sharedKeyMistakes returns the usual mistakes of Shared Key and Shared Key Lite.
func sharedKeyMistakes(scheme string, r Request, account, date string) []mistake {
	text := func(scheme, date, resource string) string {
		if scheme == SchemeSharedKeyLite {
			return date + "\n" + resource
		}
		return strings.ToUpper(r.Method) + "\n" + r.Header.Get("Content-MD5") + "\n" + r.Header.Get("Content-Type") + "\n" + date + "\n" + resource
	}
	comp := ""
	if r.Query.Has("comp") {
		comp = "?comp=" + r.Query.Get("comp")
	}
	resource := "/" + account + r.Path + comp
	var all []mistake
	if once, ok := strings.CutPrefix(r.Path, "/"+account); ok {
		all = append(all, mistake{"the account appears only once: a path-style address has it in the path as well", text(scheme, date, "/"+account+once+comp)})
	}
	all = append(all, []mistake{
		{"the account is missing from the resource", text(scheme, date, r.Path+comp)},
		{"the account appears twice in the resource", text(scheme, date, "/"+account+resource)},
		{"comp is missing from the resource", text(scheme, date, "/"+account+r.Path)},
		{"the date is missing", text(scheme, "", resource)},
		{"the date signed is that of the Date header, not of x-ms-date", text(scheme, r.Header.Get("Date"), resource)},
	}...)
	if decoded, err := url.PathUnescape(r.Path); err == nil {
		all = append(all, mistake{"the path is signed decoded, not percent-encoded as it is sent", text(scheme, date, "/"+account+decoded+comp)})
	}
	if query := r.Query.Encode(); query != "" {
		all = append(all, mistake{"the query is part of the resource; of the query only comp is signed", text(scheme, date, "/"+account+r.Path+"?"+query)})
	}
	if scheme == SchemeSharedKeyLite {
		return append(all, mistake{"the string is that of SharedKey, the header says SharedKeyLite", text(SchemeSharedKey, date, resource)})
	}
	plain := strings.ToUpper(r.Method) + "\n\n\n"
	return append(all,
		mistake{"the string is that of SharedKeyLite, the header says SharedKey", text(SchemeSharedKeyLite, date, resource)},
		mistake{"Content-Type is missing", plain + date + "\n" + resource},
		mistake{"the string is that of blobs and queues: tables have no canonicalized headers", strings.ToUpper(r.Method) + "\n" +
			r.Header.Get("Content-MD5") + "\n" + r.Header.Get("Content-Type") + "\n\nx-ms-date:" + date + "\nx-ms-version:" + r.Version + "\n" + resource},
	)
}

// tableSASMistakes returns the usual mistakes of a table SAS, whose lines are those
// of its string to sign.
func tableSASMistakes(q url.Values, account, text string) []mistake {
	const resourceLine = 3
	lines := strings.Split(text, "\n")
	with := func(resource string) string {
		changed := slices.Clone(lines)
		changed[resourceLine] = resource
		return strings.Join(changed, "\n")
	}
	resource, table := lines[resourceLine], q.Get("tn")
	all := []mistake{
		{"the table's name must be in lower case", with(strings.TrimSuffix(resource, strings.ToLower(table)) + table)},
		{"the account is missing from the resource", with(strings.Replace(resource, "/"+account+"/", "/", 1))},
		{"the resource must begin with /table", with(strings.TrimPrefix(resource, "/table"))},
		{"the lines of the partition and row keys are missing, which count even when they are empty", strings.Join(lines[:len(lines)-4], "\n")},
		{"the string must not end with a line end", text + "\n"},
	}
	if q.Get("sv") >= versionAccountSAS {
		short := slices.Delete(slices.Clone(lines), resourceLine+2, resourceLine+4)
		all = append(all, mistake{"the lines of sip and spr are missing, which count even when they are empty", strings.Join(short, "\n")})
	}
	return all
}

// accountSASMistakes returns the usual mistakes of an account SAS.
func accountSASMistakes(text string) []mistake {
	all := []mistake{{"the line end after the last line is missing", strings.TrimSuffix(text, "\n")}}
	if short, ok := strings.CutSuffix(text, "\n\n"); ok {
		return append(all, mistake{"the line of ses is missing, which counts even when it is empty", short + "\n"})
	}
	return append(all, mistake{"there is a line of ses, which this sv does not have", text + "\n"})
}
