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
	for _, r := range s.remotes.all {
		s.loadTables(r.ID())
	}
	page.Load(s.ctx, &s.catalog.Accounts, s.Control().Accounts, func() {
		if all, _ := s.catalog.Accounts.Data(); s.catalog.Accounts.Err() == nil {
			for _, account := range all {
				s.loadTables(account.Name)
			}
		}
	})
}

func (s *Shell) loadTables(account string) {
	r, connected := s.remotes.find(account)
	if connected && r.Table != "" { // its SAS cannot list tables
		s.setTables(account, remote.Of([]client.Table{{Name: r.Table, Entities: client.Unknown}}))
		return
	}
	asked := s.catalog.Tables[account].Asked()
	s.setTables(account, asked)
	page.Background(s.ctx, func(c context.Context) func() {
		tables, err := s.readTables(c, account)
		return func() {
			before := s.catalog.Tables[account]
			if before.Late(asked) {
				return
			}
			s.setTables(account, before.Answered(tables, err))
			if _, held := before.Data(); !held {
				s.showCurrent()
			}
		}
	})
}

// readTables lists the tables of an account, without counts where the endpoint
// does not report them.
func (s *Shell) readTables(c context.Context, account string) ([]client.Table, error) {
	if !isRemote(account) {
		if tables, err := s.Control().Tables(c, account); err == nil {
			return tables, nil
		}
	}
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

// dropTables removes the tables of an account that is no longer shown.
func (s *Shell) dropTables(account string) {
	tables := maps.Clone(s.catalog.Tables)
	delete(tables, account)
	s.catalog.Tables = tables
	s.changes++
}

// refreshCatalog reads accounts and tables again; what is shown stays until then.
// However often it is called while it is reading, it then reads once more.
func (s *Shell) refreshCatalog() {
	if !s.ready() {
		return
	}
	if s.refreshing {
		s.stale = true
		return
	}
	s.refreshing, s.stale = true, false
	page.Background(s.ctx, func(c context.Context) func() {
		accounts, err := s.Control().Accounts(c)
		tables := map[string]remote.Value[[]client.Table]{}
		for _, a := range accounts {
			list, failure := s.readTables(c, a.Name)
			tables[a.Name] = remote.Value[[]client.Table]{}.Answered(list, failure)
		}
		return func() {
			s.refreshing = false
			if err == nil {
				s.unlisted = s.unlisted && s.stale
				s.catalog.Accounts = remote.Of(accounts)
				for _, r := range s.remotes.all {
					tables[r.ID()] = s.catalog.Tables[r.ID()]
				}
				s.catalog.Tables = tables
				s.changes++
			}
			if err != nil {
				s.loadWaiting()
			}
			if s.stale {
				s.refreshCatalog()
			}
		}
	})
}

// loadWaiting reads the tables that somebody waits for: they may be there without the
// list of accounts. Connected accounts are read on their own anyway.
func (s *Shell) loadWaiting() {
	for name, list := range s.catalog.Tables {
		if list.State() == remote.Loading && !isRemote(name) {
			s.loadTables(name)
		}
	}
}

func (s *Shell) onReloadCatalog(app.Context, app.Event) { s.loadCatalog() }
