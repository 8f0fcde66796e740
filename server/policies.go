package server

import (
	"fmt"

	"sandtable/server/message"
	"sandtable/server/xmldoc"
)

// Get Table ACL, https://learn.microsoft.com/rest/api/storageservices/get-table-acl
// Set Table ACL, https://learn.microsoft.com/rest/api/storageservices/set-table-acl

func prepareGetTableACL(*request) (command, error) {
	return command{run: func(_ Tx, table Table) (reply, error) {
		policies, err := xmldoc.ParsePolicies([]byte(table.Policies()))
		if err != nil {
			return reply{}, fmt.Errorf("stored access policies: %v", err) // %v: the request is not to blame
		}
		return document(message.StatusOK, xmldoc.AppendPolicies(nil, policies)), nil
	}}, nil
}

func prepareSetTableACL(r *request) (command, error) {
	// The service answers this operation alone by Accept; XML, or none, will do.
	// Older versions, which have Atom, must accept "*/*": the SDK for Ruby sends it.
	if r.header.Get("Accept") == "*/*" && r.version >= versionWithoutAtom {
		return command{}, errMediaType
	}
	policies, err := xmldoc.ParsePolicies(r.body)
	if err != nil {
		return command{}, err
	}
	stored := ""
	if len(policies) > 0 {
		stored = string(xmldoc.AppendPolicies(nil, policies))
	}
	return command{run: func(_ Tx, table Table) (reply, error) {
		return document(message.StatusNoContent, nil), table.SetPolicies(stored)
	}}, nil
}
