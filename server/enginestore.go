package server

import (
	"context"

	"sandtable/engine"
	"sandtable/odata"
)

// OverEngine returns the store that [New] uses for a database in this process.
func OverEngine(db *engine.DB) Store { return engineStore{db} }

// engineStore is a [Store] in this process.
type engineStore struct{ db *engine.DB }

func (s engineStore) Account(_ context.Context, name string) (account engine.Account, err error) {
	err = s.db.View(func(tx *engine.Tx) (err error) {
		account, err = tx.Account(name)
		return err
	})
	return account, err
}

func (s engineStore) Policies(_ context.Context, account, name string) (document string, err error) {
	err = s.db.View(func(tx *engine.Tx) error {
		table, err := tx.Table(account, name)
		if err == nil {
			document = table.Policies()
		}
		return err
	})
	return document, err
}

func (s engineStore) View(_ context.Context, scope *Scope, f func(Tx) error) error {
	return s.db.View(func(tx *engine.Tx) error { return f(&engineTx{tx, scope}) })
}

func (s engineStore) Update(_ context.Context, scope *Scope, f func(Tx) error) error {
	return s.db.Update(func(tx *engine.Tx) error { return f(&engineTx{tx, scope}) })
}

type engineTx struct {
	*engine.Tx
	scope *Scope
}

func (t *engineTx) Account() (engine.Account, error) { return t.Tx.Account(t.scope.Account) }
func (t *engineTx) CreateTable(name string) error    { return t.Tx.CreateTable(t.scope.Account, name) }
func (t *engineTx) DeleteTable() error               { return t.Tx.DeleteTable(t.scope.Account, t.scope.Table) }

func (t *engineTx) Tables(from string, visit func(engine.TableInfo) bool) error {
	t.Tx.Tables(t.scope.Account, from)(visit)
	return nil
}

func (t *engineTx) Table() (Table, error) {
	table, err := t.Tx.Table(t.scope.Account, t.scope.Table)
	if err != nil {
		return nil, err
	}
	return engineTable{table}, nil
}

type engineTable struct{ *engine.Table }

func (t engineTable) Name() string { return t.Info().Name }

func (t engineTable) Query(q engine.Query) Rows { return t.Table.Query(q) }

// pin implements pinner.
func (s engineStore) pin(at odata.DateTime) *pinnedState {
	p := s.db.Pin()
	return &pinnedState{unpin: p.Unpin, view: func(scope *Scope, f func(Tx) error) error {
		return p.View(func(tx *engine.Tx) error { return f(&pinnedTx{engineTx{tx, scope}, at}) })
	}}
}

// pinnedTx is a transaction on a pinned state.
type pinnedTx struct {
	engineTx
	at odata.DateTime
}

func (t *pinnedTx) Now() odata.DateTime { return t.at }
