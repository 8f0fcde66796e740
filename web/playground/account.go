package playground

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/remote"
)

// isOwnAccount reports whether a playground could have made the account, and may
// be wrong: web/assets/js/playground.js records which they are. Each open page has
// its own.
func isOwnAccount(name string) bool {
	suffix, ok := strings.CutPrefix(name, "playground")
	return ok && len(suffix) == 8 && strings.Trim(suffix, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// newAccount returns a name for an account that nobody has.
func newAccount() string {
	const letters = "abcdefghijklmnopqrstuvwxyz234567"
	var raw [8]byte
	_, _ = rand.Read(raw[:]) // never fails
	for i, b := range raw {
		raw[i] = letters[b%32]
	}
	return "playground" + string(raw[:])
}

// sweep deletes the accounts that playgrounds made in tabs that are closed.
func (p *Page) sweep(c context.Context) {
	scripts := app.Window().Get("sandtablePlayground")
	recorded, err := browser.Await(scripts.Call("abandoned"))
	if err != nil {
		return // nobody knows what is in use
	}
	accounts, err := p.Session.Control().Accounts(c)
	if err != nil {
		return
	}
	exists := map[string]bool{}
	for _, a := range accounts {
		exists[a.Name] = true
	}
	for _, name := range abandoned(recorded.String()) {
		if !exists[name] || p.Session.Control().DeleteAccount(c, name) == nil {
			scripts.Call("forget", name)
		}
	}
}

// abandoned returns the accounts to delete of those that were recorded. What is
// recorded may have been changed by anyone with access to the browser: only a
// name that a playground could have chosen is taken from it.
func abandoned(recorded string) []string {
	return slices.DeleteFunc(strings.Fields(recorded), func(name string) bool { return !isOwnAccount(name) })
}

// claim chooses the page's account. It reports whether that is still to be created.
func (p *Page) claim() (fresh bool) {
	if p.account == "" {
		p.account, fresh = newAccount(), true
		p.kept().account = p.account
	}
	return fresh
}

// isGone reports whether an error means that the account does not exist any more:
// another tab has reset the store.
func isGone(err error) bool {
	return client.HasCode(err, client.CodeResourceNotFound)
}

// unclaim gives up an account after an error, if it was to be created or is gone.
func (p *Page) unclaim(fresh bool, err error) {
	if fresh || isGone(err) {
		release(p.account, isGone(err))
		p.account, p.kept().account = "", ""
	}
}

// release lets another page delete an account that this one has held, unless it is gone.
func release(account string, gone bool) {
	scripts := app.Window().Get("sandtablePlayground")
	scripts.Call("release", account)
	if gone {
		scripts.Call("forget", account)
	}
}

// create creates an account. It holds it first, so that no other page sweeps it away,
// until this page is closed.
func (p *Page) create(c context.Context, account string) error {
	if _, err := browser.Await(app.Window().Get("sandtablePlayground").Call("hold", account)); err != nil {
		return err
	}
	return p.Session.Control().CreateAccount(c, account)
}

// discard forgets the account with what the last run has done, and deletes it. The page may
// be gone by then.
func (p *Page) discard() {
	account := p.account
	p.account, p.kept().account, p.console = "", "", console{}
	p.requests, p.tables = remote.Value[[]control.Recorded]{}, remote.Value[[]contents]{}
	p.kept().before, p.changes, p.signed, p.failed = "", remote.Value[control.Differences]{}, nil, nil
	if account == "" {
		return
	}
	p.Session.Background(func(c context.Context) func() {
		err := p.Session.Control().DeleteAccount(c, account)
		if isGone(err) {
			err = nil
		}
		return func() {
			release(account, err == nil)
			if err != nil {
				p.failed = err
			}
			p.Session.WroteTo(account)
		}
	})
}
