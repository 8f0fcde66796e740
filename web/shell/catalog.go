package shell

import (
	"context"
	"maps"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/page"
	"sandtable/web/remote"
)

// loadCatalog reads the accounts and then the tables of each.
func (s *Shell) loadCatalog() {
	s.catalog.Accounts = s.catalog.Accounts.Asked()
	s.readAccounts(func(all []client.Account, err error) {
		s.catalog.Accounts = s.catalog.Accounts.Answered(all, err)
		for _, account := range all {
			s.loadTables(account.Name)
		}
	})
}

func (s *Shell) readAccounts(done func([]client.Account, error)) {
	page.Background(s.ctx, func(c context.Context) func() {
		all, err := s.Control().Accounts(c)
		return func() { done(all, err) }
	})
}

func (s *Shell) loadTables(account string) {
	s.setTables(account, s.catalog.Tables[account].Asked())
	page.Background(s.ctx, func(c context.Context) func() {
		tables, err := s.Control().Tables(c, account)
		if err != nil {
			tables, err = s.tablesByName(c, account)
		}
		return func() { s.setTables(account, s.catalog.Tables[account].Answered(tables, err)) }
	})
}

// tablesByName lists tables without counts, where the control API cannot.
func (s *Shell) tablesByName(c context.Context, account string) ([]client.Table, error) {
	names, err := s.Client(account).Tables(c)
	tables := make([]client.Table, len(names))
	for i, name := range names {
		tables[i] = client.Table{Name: name, Entities: client.Unknown}
	}
	return tables, err
}

// setTables replaces the map, so that pages that hold the old one keep it.
func (s *Shell) setTables(account string, v remote.Value[[]client.Table]) {
	tables := maps.Clone(s.catalog.Tables)
	tables[account] = v
	s.catalog.Tables = tables
	s.changes++
}

// refreshCatalog reads accounts and tables again without showing that.
func (s *Shell) refreshCatalog() {
	if !s.ready() {
		return
	}
	s.readAccounts(func(all []client.Account, err error) {
		if err != nil {
			return // what is shown stays; the status tells that the endpoint is gone
		}
		s.catalog.Accounts = s.catalog.Accounts.Answered(all, nil)
		for _, account := range all {
			s.loadTables(account.Name)
		}
	})
}

func (s *Shell) onReloadCatalog(app.Context, app.Event) { s.loadCatalog() }
