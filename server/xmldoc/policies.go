package xmldoc

import (
	"bytes"
	"strings"

	"sandtable/odata"
)

// Limits of stored access policies.
//
// Source: "Define a stored access policy"; a recording for the fraction, which may be
// longer in an entity.
const (
	maxPolicies       = 5
	maxPolicyIDLength = 64 // UTF-16 code units
	maxFractionDigits = 7
)

// tablePermissions are the letters that a policy of a table can have.
const tablePermissions = "raud"

// maxPermission is how many letters it can have: they may repeat.
const maxPermission = 16

// Policy is a stored access policy. It adds to what a signature that names it
// allows.
type Policy struct {
	ID string
	// Start and Expiry are nil, and Permission is "", if the signature has them.
	Start, Expiry *odata.DateTime
	Permission    string
}

// ParsePolicies reads the body of Set Table ACL. An empty body has no policies.
// The error is ErrDocument or ErrNodeValue.
func ParsePolicies(body []byte) ([]Policy, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, nil
	}
	root, err := parse(body, "SignedIdentifiers")
	if err != nil {
		return nil, err
	}
	if len(root.children) > maxPolicies || len(bytes.TrimSpace(root.text)) > 0 {
		return nil, ErrDocument
	}
	var policies []Policy
	for _, child := range root.children {
		p, err := parsePolicy(child)
		if err != nil {
			return nil, err
		}
		for _, other := range policies {
			if other.ID == p.ID {
				return nil, ErrNodeValue
			}
		}
		policies = append(policies, p)
	}
	return policies, nil
}

func parsePolicy(n *node) (Policy, error) {
	var p Policy
	if n.name != "SignedIdentifier" {
		return p, ErrDocument
	}
	fields, err := n.fields("Id", "AccessPolicy")
	if err != nil || fields["Id"] == nil {
		return p, ErrDocument
	}
	if p.ID, err = fields["Id"].value(); err != nil || p.ID == "" {
		return p, ErrDocument
	}
	if odata.UTF16Len(p.ID) > maxPolicyIDLength {
		return p, ErrNodeValue
	}
	if fields["AccessPolicy"] == nil {
		return p, nil
	}
	return p, p.parseAccess(fields["AccessPolicy"])
}

func (p *Policy) parseAccess(n *node) error {
	fields, err := n.fields("Start", "Expiry", "Permission")
	if err != nil {
		return err
	}
	if p.Start, err = parseTime(fields["Start"]); err != nil {
		return err
	}
	if p.Expiry, err = parseTime(fields["Expiry"]); err != nil {
		return err
	}
	if fields["Permission"] == nil {
		return nil
	}
	if p.Permission, err = fields["Permission"].value(); err != nil {
		return err
	}
	if len(p.Permission) > maxPermission || strings.Trim(p.Permission, tablePermissions) != "" {
		return ErrNodeValue
	}
	return nil
}

// parseTime reads an element that may be missing or empty.
func parseTime(n *node) (*odata.DateTime, error) {
	if n == nil {
		return nil, nil
	}
	text, err := n.value()
	if err != nil || text == "" {
		return nil, err
	}
	instant, ok := odata.ParseDateTime(text)
	_, fraction, _ := strings.Cut(text, ".")
	digits := len(fraction) - len(strings.TrimLeft(fraction, "0123456789"))
	if !ok || digits > maxFractionDigits || instant < 0 || instant > odata.MaxDateTime { // an offset can lead out of the years 1 to 9999
		return nil, ErrDocument
	}
	return &instant, nil
}

// AppendPolicies writes the body of Get Table ACL, with its byte order mark.
func AppendPolicies(b []byte, policies []Policy) []byte {
	b = append(b, ByteOrderMark+declaration...)
	if len(policies) == 0 {
		return append(b, "<SignedIdentifiers />"...)
	}
	b = append(b, "<SignedIdentifiers>"...)
	for _, p := range policies {
		b = append(b, "<SignedIdentifier>"...)
		b = appendElement(b, "Id", p.ID)
		b = p.appendAccess(b)
		b = append(b, "</SignedIdentifier>"...)
	}
	return append(b, "</SignedIdentifiers>"...)
}

// appendAccess writes the policy's fields; a policy without any is only its Id,
// as recorded.
func (p *Policy) appendAccess(b []byte) []byte {
	if p.Start == nil && p.Expiry == nil && p.Permission == "" {
		return b
	}
	b = append(b, "<AccessPolicy>"...)
	b = appendTime(b, "Start", p.Start)
	b = appendTime(b, "Expiry", p.Expiry)
	if p.Permission != "" {
		b = appendElement(b, "Permission", p.Permission)
	}
	return append(b, "</AccessPolicy>"...)
}

func appendTime(b []byte, name string, instant *odata.DateTime) []byte {
	if instant == nil {
		return b
	}
	return appendElement(b, name, string(instant.AppendFull(nil)))
}
