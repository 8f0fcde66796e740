package auth

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"sandtable/odata"
)

// ErrSAS means a [SAS] that would allow nothing or that no server would accept.
var ErrSAS = errors.New("invalid shared access signature")

// SAS describes a shared access signature: of a table or, without a Table, of an
// account.
//
// Sources: "Create an account SAS", "Create a service SAS".
type SAS struct {
	Table string
	// Permissions are letters of "raud", or of "rwdlacu" for an account, in any
	// order. A Policy may have them instead.
	Permissions string
	// ResourceTypes are letters of "sco", for an account; "" means all.
	ResourceTypes string
	// Policy is the id of a stored access policy of the table.
	Policy string
	// Start and Expiry limit its validity. A zero Start means at once; with a zero
	// Expiry the Policy must have one.
	Start, Expiry time.Time
	// Protocol is "https" or "https,http"; "" means both.
	Protocol string
	// IP is the address that may use it, or a range: two addresses and a hyphen.
	IP string
	// The range of keys that a table's SAS reaches, both ends included; nil means
	// unbounded. A row key needs its partition key, and an end is not empty.
	StartPartitionKey, StartRowKey, EndPartitionKey, EndRowKey *string
}

// versionIssued is the version of the signatures that are issued.
const versionIssued = "2019-02-02"

const (
	tablePermissions   = "raud"
	accountPermissions = "rwdlacu"
	allResourceTypes   = "sco"
)

// Sign returns the signature as a URL query, signed with a key of the account.
// Errors wrap [ErrSAS].
func (s SAS) Sign(account string, key []byte) (string, error) {
	q := url.Values{"sv": {versionIssued}}
	var err error
	if s.Table == "" {
		err = s.fillAccount(q)
	} else {
		err = s.fillTable(q)
	}
	if err == nil {
		err = s.fillTerms(q)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrSAS, err)
	}
	text := accountStringToSign
	if s.Table != "" {
		text = tableStringToSign
	}
	q.Set("sig", Sign(key, text(q, account, versionIssued)))
	return q.Encode(), nil
}

func (s SAS) fillAccount(q url.Values) error {
	if s.Policy != "" || s.StartPartitionKey != nil || s.StartRowKey != nil || s.EndPartitionKey != nil || s.EndRowKey != nil {
		return errors.New("a policy and a key range need a table")
	}
	types := s.ResourceTypes
	if types == "" {
		types = allResourceTypes
	}
	types, err := letters("resource types", types, allResourceTypes)
	if err != nil {
		return err
	}
	q.Set("ss", "t")
	q.Set("srt", types)
	return s.fillPermissions(q, accountPermissions)
}

func (s SAS) fillTable(q url.Values) error {
	if err := odata.CheckTableName(s.Table); err != nil {
		return err
	}
	if s.ResourceTypes != "" {
		return errors.New("resource types are for an account, not for a table")
	}
	if s.StartRowKey != nil && s.StartPartitionKey == nil || s.EndRowKey != nil && s.EndPartitionKey == nil {
		return errors.New("a row key needs its partition key")
	}
	for _, end := range []*string{s.EndPartitionKey, s.EndRowKey} {
		if end != nil && *end == "" {
			return errors.New("no range can end with an empty key: its signature is that of a range without an end")
		}
	}
	q.Set("tn", s.Table)
	for _, bound := range []struct {
		name string
		key  *string
	}{{"spk", s.StartPartitionKey}, {"srk", s.StartRowKey}, {"epk", s.EndPartitionKey}, {"erk", s.EndRowKey}} {
		if bound.key != nil {
			q.Set(bound.name, *bound.key)
		}
	}
	if s.Policy != "" {
		q.Set("si", s.Policy)
	}
	return s.fillPermissions(q, tablePermissions)
}

func (s SAS) fillPermissions(q url.Values, known string) error {
	if s.Permissions == "" && s.Policy != "" {
		return nil
	}
	permissions, err := letters("permissions", s.Permissions, known)
	if err == nil {
		q.Set("sp", permissions)
	}
	return err
}

// letters returns the given letters in the order of the known ones. Each must be
// known and given once.
func letters(what, given, known string) (string, error) {
	ordered := ""
	for _, letter := range known {
		if strings.ContainsRune(given, letter) {
			ordered += string(letter)
		}
	}
	if ordered == "" || len(ordered) != len(given) {
		return "", fmt.Errorf("%s must be letters of %q, each once, not %q", what, known, given)
	}
	return ordered, nil
}

func (s SAS) fillTerms(q url.Values) error {
	switch {
	case s.Expiry.IsZero() && s.Policy == "":
		return errors.New("it never expires: an expiry is required")
	case !s.Expiry.IsZero() && !s.Start.Before(s.Expiry):
		return errors.New("it expires before it starts")
	}
	if !s.Start.IsZero() {
		q.Set("st", s.Start.UTC().Format(time.RFC3339))
	}
	if !s.Expiry.IsZero() {
		q.Set("se", s.Expiry.UTC().Format(time.RFC3339))
	}
	switch s.Protocol {
	case "", "https,http":
		q.Set("spr", "https,http")
	case "https":
		q.Set("spr", "https")
	default:
		return fmt.Errorf("the protocol must be %q or %q, not %q", "https", "https,http", s.Protocol)
	}
	if s.IP == "" {
		return nil
	}
	low, high, ranged := strings.Cut(s.IP, "-")
	for i, text := range []string{low, high} {
		if _, err := netip.ParseAddr(text); err != nil && (i == 0 || ranged) {
			return fmt.Errorf("%q is not an IP address", text)
		}
	}
	q.Set("sip", s.IP)
	return nil
}

// AccountSAS returns, as a URL query, a SAS for everything that an account SAS
// can do with tables, over http and https, until it expires.
func AccountSAS(account string, key []byte, expiry time.Time) string {
	text, _ := SAS{Permissions: accountPermissions, Expiry: expiry}.Sign(account, key) // valid by construction
	return text
}
