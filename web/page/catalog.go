package page

import (
	"slices"
	"strings"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/remote"
)

// Catalog is the accounts of an endpoint and the tables of each.
type Catalog struct {
	Accounts remote.Value[[]control.Account]
	Tables   map[string]remote.Value[[]client.Table] // by account
}

// Account returns an account as last read, without access and faults if it is not there.
func (c Catalog) Account(name string) control.Account {
	all, _ := c.Accounts.Data()
	if i := slices.IndexFunc(all, func(a control.Account) bool { return a.Name == name }); i >= 0 {
		return all[i]
	}
	return control.Account{Name: name}
}

// Table returns a table as last read, and whether it is there. Otherwise its count is
// [client.Unknown]. Table names ignore case.
func (c Catalog) Table(account, name string) (t client.Table, found bool) {
	all, _ := c.Tables[account].Data()
	if i := slices.IndexFunc(all, func(t client.Table) bool { return strings.EqualFold(t.Name, name) }); i >= 0 {
		return all[i], true
	}
	return client.Table{Name: name, Entities: client.Unknown}, false
}
