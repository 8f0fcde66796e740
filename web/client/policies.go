package client

import (
	"context"

	"sandtable/web/sas"
)

// MaxPolicies is how many stored access policies a table can have.
const MaxPolicies = 5

// Policies returns the stored access policies of a table.
//
// https://learn.microsoft.com/rest/api/storageservices/get-table-acl
func (c *Client) Policies(ctx context.Context, table string) ([]sas.Policy, error) {
	body, err := c.document(ctx, MethodGet, TablePath(table)+"?comp=acl", nil)
	if err != nil {
		return nil, err
	}
	root, err := parseXML(body, "SignedIdentifiers")
	if err != nil {
		return nil, err
	}
	var all []sas.Policy
	for _, n := range root.children {
		access := n.child("AccessPolicy")
		all = append(all, sas.Policy{ID: n.value("Id"), Start: sas.NormalizeTime(access.value("Start")), Expiry: sas.NormalizeTime(access.value("Expiry")),
			Permissions: access.value("Permission")})
	}
	return all, nil
}

// SetPolicies replaces all stored access policies of a table.
//
// https://learn.microsoft.com/rest/api/storageservices/set-table-acl
func (c *Client) SetPolicies(ctx context.Context, table string, all []sas.Policy) error {
	_, err := c.document(ctx, MethodPut, TablePath(table)+"?comp=acl", PoliciesXML(all))
	return err
}

// PoliciesXML writes the body of Set Table ACL.
func PoliciesXML(all []sas.Policy) []byte {
	text := `<?xml version="1.0" encoding="utf-8"?><SignedIdentifiers>`
	for _, p := range all {
		text += "<SignedIdentifier>" + element("Id", p.ID) + "<AccessPolicy>"
		for _, field := range [][2]string{{"Start", policyTime(p.Start)}, {"Expiry", policyTime(p.Expiry)}, {"Permission", p.Permissions}} {
			if field[1] != "" {
				text += element(field[0], field[1])
			}
		}
		text += "</AccessPolicy></SignedIdentifier>"
	}
	return []byte(text + "</SignedIdentifiers>")
}

// policyTime returns a time as a policy has it, which may be exact to 100 ns.
func policyTime(text string) string {
	if at, ok := sas.ParseTime(text); ok {
		return at.Format("2006-01-02T15:04:05.9999999Z")
	}
	return text
}
