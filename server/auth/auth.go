package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"time"

	"sandtable/odata"
)

// The service's refusals.
var (
	// ErrAuthenticationFailed means a wrong signature, date or account.
	ErrAuthenticationFailed = errors.New("authentication failed")
	// ErrInvalidAuthenticationInfo means a malformed Authorization header.
	ErrInvalidAuthenticationInfo = errors.New("authorization header is not in the correct format")
	// ErrNoCredentials means an unsigned request to a strict account.
	ErrNoCredentials = errors.New("no credentials")
	// ErrAuthorizationFailure means an operation that these credentials never allow.
	ErrAuthorizationFailure = errors.New("not authorized to perform this operation")
	// ErrPermissionMismatch means that a SAS lacks a permission.
	ErrPermissionMismatch = errors.New("not authorized using this permission")
	// ErrResourceTypeMismatch means that an account SAS lacks a resource type.
	ErrResourceTypeMismatch = errors.New("not authorized using this resource type")
	// ErrServiceMismatch means an account SAS for other services than tables.
	ErrServiceMismatch = errors.New("not authorized using this service")
	// ErrProtocolMismatch means a SAS for https used over http.
	ErrProtocolMismatch = errors.New("not authorized using this protocol")
	// ErrSourceIPMismatch means a SAS for other addresses than the caller's.
	ErrSourceIPMismatch = errors.New("not authorized using this source IP")
	// ErrPolicyConflict means that a SAS and its stored access policy have the same
	// field.
	ErrPolicyConflict = errors.New("field is in the signature and in its policy")
	// ErrBearerRefused means a bearer token for an account that accepts none.
	ErrBearerRefused = errors.New("bearer token is not accepted")
	// ErrNotByBearer means an operation that the service hides from bearer tokens.
	ErrNotByBearer = errors.New("operation is not there for bearer tokens")
)

// Refusal is the error of a refused request: Err is the service's error, Reason
// is for the log and never for the caller.
type Refusal struct {
	Err    error
	Reason string
	// StringToSign is what the signature should cover, "" if the request was refused
	// earlier. It contains no secrets.
	StringToSign string
	// Signed is the text that the signature does cover, if that is one of the
	// usual mistakes, which Reason then names; otherwise "".
	Signed string
}

// Error returns the error and the reason.
func (r *Refusal) Error() string { return r.Err.Error() + ": " + r.Reason }

// Unwrap returns the service's error.
func (r *Refusal) Unwrap() error { return r.Err }

func refuse(err error, reason string) error { return &Refusal{Err: err, Reason: reason} }

// Account is the account that a request addresses.
type Account struct {
	Name string
	Keys [2][]byte // decoded; nil for a missing second key
	// Open accepts requests without credentials, and bearer tokens unverified.
	Open bool
	// Policy returns a stored access policy of a table by its id; nil if the account
	// has none.
	Policy func(table, id string) (Policy, bool)
}

// Policy is a stored access policy. The signature sets the fields that are nil
// or "" here.
type Policy struct {
	Start, Expiry *odata.DateTime
	Permission    string
}

// Request is the part of a request that its credentials cover.
type Request struct {
	Method string // as sent, POST for a tunnelled one
	// Path is the escaped path as sent, with the account's segment in path-style
	// addresses.
	Path   string
	Query  url.Values
	Header interface{ Get(name string) string }
	HTTPS  bool
	// IP is the caller's address without its port, "" if unknown.
	IP string
	// Version is the x-ms-version header, "" if it was not sent.
	Version string
}

// Permission is a letter of a SAS's sp.
type Permission byte

// The letters, for tables.
const (
	Read   Permission = 'r'
	Write  Permission = 'w'
	Delete Permission = 'd'
	List   Permission = 'l'
	Add    Permission = 'a'
	Create Permission = 'c'
	Update Permission = 'u'
)

// ResourceType is a letter of an account SAS's srt.
type ResourceType byte

// The letters. An operation with NoSAS needs an account key.
const (
	NoSAS     ResourceType = 0
	Service   ResourceType = 's'
	Container ResourceType = 'c'
	Object    ResourceType = 'o'
)

// Need is what an operation requires of a grant.
type Need struct {
	Type ResourceType
	// All are permissions that must all be granted, Any those of which one must be.
	All, Any string
}

// Grant is what credentials allow. The zero Grant allows nothing.
type Grant struct {
	// Scheme is how the request was signed, one of the Scheme constants, or "" for a
	// request without credentials.
	Scheme string
	// Version is sv of a SAS, else "".
	Version string

	full          bool
	permissions   string
	resourceTypes string         // of an account SAS
	table         string         // of a table SAS, lower-cased
	keys          odata.KeyRange // of a table SAS
}

// Authenticate checks the credentials of a request and returns what they
// allow. Credentials are checked even if the account is open. With both an
// Authorization header and a SAS, the header counts.
func Authenticate(r Request, account Account, now time.Time) (Grant, error) {
	authorization := r.Header.Get("Authorization")
	switch {
	case strings.HasPrefix(authorization, SchemeBearer+" "):
		return authenticateBearer(r, account)
	case authorization != "":
		return authenticateSharedKey(r, authorization, account, now)
	case r.Query.Has("sig"):
		return authenticateSAS(r, account, now)
	case account.Open:
		return Grant{full: true}, nil
	}
	return Grant{}, refuse(ErrNoCredentials, "the account is strict and the request is unsigned")
}

// Keys returns the range of keys that the grant reaches. Reads do not find what
// is outside it, and writes there are refused.
func (g Grant) Keys() odata.KeyRange { return g.keys }

// Check reports why the grant does not reach an operation on a table, or nil.
// The table is "" for operations on the account.
func (g Grant) Check(need Need, table string) error {
	switch {
	case g.Scheme == SchemeBearer && need.Type == NoSAS:
		return refuse(ErrNotByBearer, "bearer tokens do not reach access policies")
	case g.full:
		return nil
	case g.Scheme == SchemeTableSAS:
		return g.checkTable(need, table)
	case need.Type == NoSAS:
		return refuse(ErrAuthorizationFailure, "the operation needs an account key")
	case strings.IndexByte(g.resourceTypes, byte(need.Type)) < 0:
		return refuse(ErrResourceTypeMismatch, "srt="+g.resourceTypes+" lacks "+string(rune(need.Type)))
	}
	return g.checkPermissions(need)
}

func (g Grant) checkTable(need Need, table string) error {
	switch {
	case need.Type != Object:
		return refuse(ErrAuthorizationFailure, "a table SAS reaches only entities")
	case strings.ToLower(table) != g.table:
		return refuse(ErrAuthorizationFailure, "the SAS is for another table, tn="+g.table)
	}
	return g.checkPermissions(need)
}

func (g Grant) checkPermissions(need Need) error {
	for _, letter := range need.All {
		if !strings.ContainsRune(g.permissions, letter) {
			return refuse(ErrPermissionMismatch, "sp="+g.permissions+" lacks "+string(letter))
		}
	}
	if need.Any != "" && !strings.ContainsAny(g.permissions, need.Any) {
		return refuse(ErrPermissionMismatch, "sp="+g.permissions+" lacks all of "+need.Any)
	}
	return nil
}

// The schemes of a [Grant].
const (
	SchemeSharedKey     = "SharedKey"
	SchemeSharedKeyLite = "SharedKeyLite"
	SchemeAccountSAS    = "AccountSAS"
	SchemeTableSAS      = "TableSAS"
	SchemeBearer        = "Bearer"
)

// versionBearer is the first version of the service that accepts bearer tokens.
const versionBearer = "2017-11-09"

// authenticateBearer accepts any token for an open account, since nothing here
// can verify one, and none for a strict account.
func authenticateBearer(r Request, account Account) (Grant, error) {
	switch {
	case r.Version < versionBearer:
		return Grant{}, refuse(ErrAuthenticationFailed, "this x-ms-version has no bearer tokens: "+r.Version)
	case !r.HTTPS:
		return Grant{}, refuse(ErrAuthenticationFailed, "a bearer token over http")
	case !account.Open:
		return Grant{}, refuse(ErrBearerRefused, "the account is strict, and no token can be verified here")
	}
	return Grant{Scheme: SchemeBearer, full: true}, nil
}

// keyLength is the length of the service's account keys, in bytes.
const keyLength = 64

// NewKey returns a random account key.
func NewKey() []byte {
	key := make([]byte, keyLength)
	rand.Read(key) // documented never to fail
	return key
}

// Sign returns the HMAC-SHA256 of text under a decoded key, in Base64.
func Sign(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// signedBy reports whether signature signs text with one of the keys.
func signedBy(keys [2][]byte, text, signature string) bool {
	given, err := base64.StdEncoding.DecodeString(signature)
	if err != nil {
		return false
	}
	found := false
	for _, key := range keys {
		if len(key) == 0 {
			continue
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(text))
		// Both keys are always tried, so that the time reveals nothing.
		found = hmac.Equal(mac.Sum(nil), given) || found
	}
	return found
}
