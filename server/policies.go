package server

import (
	"sandtable/engine"
	"sandtable/server/auth"
	"sandtable/server/message"
	"sandtable/server/xmldoc"
)

// Get Table ACL, https://learn.microsoft.com/rest/api/storageservices/get-table-acl
// Set Table ACL, https://learn.microsoft.com/rest/api/storageservices/set-table-acl

func prepareGetTableACL(r *request) (command, error) {
	return func(tx *engine.Tx) (*reply, error) {
		table, err := r.table(tx)
		if err != nil {
			return nil, err
		}
		policies, err := policiesOf(table)
		if err != nil {
			return nil, err
		}
		return document(message.StatusOK, xmldoc.AppendPolicies(nil, policies)), nil
	}, nil
}

func prepareSetTableACL(r *request) (command, error) {
	policies, err := xmldoc.ParsePolicies(r.body)
	if err != nil {
		return nil, err
	}
	stored := ""
	if len(policies) > 0 {
		stored = string(xmldoc.AppendPolicies(nil, policies))
	}
	return func(tx *engine.Tx) (*reply, error) {
		table, err := r.table(tx)
		if err != nil {
			return nil, err
		}
		return document(message.StatusNoContent, nil), table.SetPolicies(stored)
	}, nil
}

// document returns the reply of an operation on an XML document.
func document(status int, body []byte) *reply {
	done := &reply{status: status, document: true, body: body}
	if len(body) > 0 {
		done.contentType = contentTypeDocument
	}
	return done
}

// policiesOf reads the policies of a table from the document that is stored.
func policiesOf(table *engine.Table) ([]xmldoc.Policy, error) {
	return xmldoc.ParsePolicies([]byte(table.Policies()))
}

// policy finds the stored access policy that a signature names.
func (x *exchange) policy(name, id string) (found auth.Policy, ok bool) {
	// Whatever is wrong with the table, it does not have the policy.
	_ = x.handler.db.View(func(tx *engine.Tx) error {
		table, err := tx.Table(x.account.Name, name)
		if err != nil {
			return err
		}
		policies, err := policiesOf(table)
		for _, p := range policies {
			if p.ID == id {
				found, ok = auth.Policy{Start: p.Start, Expiry: p.Expiry, Permission: p.Permission}, true
			}
		}
		return err
	})
	return found, ok
}
