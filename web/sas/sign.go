package sas

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

// ErrKey means that a text is not an account key.
var ErrKey = errors.New("the account key is not Base64")

// DecodeKey decodes an account key as connection strings have it.
func DecodeKey(text string) ([]byte, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) == 0 {
		return nil, ErrKey
	}
	return key, nil
}

// sign returns the signature of a string to sign.
func sign(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Request is what Shared Key covers of a request.
type Request struct {
	Method      string
	Path        string // escaped, as it is sent
	Comp        string // the parameter comp, "" if there is none
	ContentMD5  string
	ContentType string
	Date        string // of x-ms-date
}

// SharedKey returns the Authorization header of a request.
func SharedKey(account string, key []byte, r Request) string {
	return "SharedKey " + account + ":" + sign(key, r.StringToSign(account))
}

// StringToSign returns what the signature covers.
func (r Request) StringToSign(account string) string {
	resource := "/" + account + r.Path
	if r.Comp != "" {
		resource += "?comp=" + r.Comp
	}
	return strings.Join([]string{strings.ToUpper(r.Method), r.ContentMD5, r.ContentType, r.Date, resource}, "\n")
}
