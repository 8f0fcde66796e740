package access

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"sandtable/web/client"
	"sandtable/web/sas"
)

// saving is the state of a form while what it holds is stored.
type saving struct {
	busy bool
	err  error
}

// replacement replaces one item of a list that the service takes only as a whole. So
// that what others have stored since the page was opened is kept, the item is replaced
// in the list as it is read again, and only if it is still as it was shown. One
// replacement at a time: each reads what the one before has stored.
type replacement[List any] struct {
	name    string // of the list's items, such as "policies"
	read    func(context.Context) (List, error)
	replace func(List) (List, error)
	write   func(c context.Context, before, after List) (stored List, err error)
	// open reports whether the form is still there to show an error.
	open func() bool
	// show is called with what is stored, if it could be read.
	show func(stored List, done bool)
}

// replacing is held while an item is replaced, by this page or by one that was left before
// that was done.
var replacing sync.Mutex

// run replaces the item in the background. The page may be gone before that is done.
func (r replacement[List]) run(p *Page, s *saving) {
	*s = saving{busy: true}
	p.Session.Background(func(c context.Context) func() {
		replacing.Lock()
		defer replacing.Unlock()
		stored, err := r.read(c)
		read := err == nil
		if read {
			var next List
			if next, err = r.replace(stored); err == nil {
				next, err = r.write(c, stored, next)
			}
			if err == nil {
				stored = next
			}
		}
		return func() {
			*s = saving{err: err}
			if err != nil && !(r.open() && p.Mounted()) {
				p.Session.Notify("The " + r.name + " were not saved: " + err.Error())
			}
			if read {
				r.show(stored, err == nil)
			}
		}
	})
}

// replacePolicy returns the stored policies with others in place of the one that was
// shown, or at the end if shown is zero. Without others, the shown one is deleted.
func replacePolicy(stored []sas.Policy, shown sas.Policy, others ...sas.Policy) ([]sas.Policy, error) {
	at, end := len(stored), len(stored)
	if shown.ID != "" {
		at = indexOfPolicy(stored, shown.ID)
		end = at + 1
		switch {
		case at < 0 && len(others) > 0:
			return nil, fmt.Errorf("the policy %s was deleted elsewhere in the meantime: saving again adds it", shown.ID)
		case at < 0:
			return nil, fmt.Errorf("the policy %s was deleted elsewhere in the meantime", shown.ID)
		case stored[at] != shown:
			return nil, fmt.Errorf("the policy %s was changed elsewhere in the meantime: look at it before you try again", shown.ID)
		}
	}
	for _, p := range others {
		if i := indexOfPolicy(stored, p.ID); i >= 0 && i != at {
			return nil, errors.New("another policy has this identifier")
		}
	}
	return slices.Replace(slices.Clone(stored), at, end, others...), nil
}

// indexOfPolicy returns where a policy is in a list, -1 if it is not there.
func indexOfPolicy(all []sas.Policy, id string) int {
	return slices.IndexFunc(all, func(p sas.Policy) bool { return p.ID == id })
}

// policyOf returns a policy by its identifier, a zero one if it is not there.
func policyOf(all []sas.Policy, id string) sas.Policy {
	if i := indexOfPolicy(all, id); i >= 0 && id != "" {
		return all[i]
	}
	return sas.Policy{}
}

// newRule is the position of a rule that is not in the list yet.
const newRule = -1

// replaceRule returns the stored rules with others in place of the one that was shown
// at a position, or at the end for [newRule]. Without others, the shown one is deleted.
// Rules have no names: one that has moved is found because it is equal.
func replaceRule(stored []client.CORSRule, at int, shown client.CORSRule, others ...client.CORSRule) ([]client.CORSRule, error) {
	end := at + 1
	switch {
	case at == newRule:
		at, end = len(stored), len(stored)
	case at >= len(stored) || stored[at] != shown:
		at = slices.Index(stored, shown)
		end = at + 1
	}
	switch {
	case at < 0 && len(others) > 0:
		return nil, fmt.Errorf("the rule for %s was changed or deleted elsewhere in the meantime: saving again adds it as a new rule", shown.Origins)
	case at < 0:
		return nil, fmt.Errorf("the rule for %s was changed or deleted elsewhere in the meantime", shown.Origins)
	}
	return slices.Replace(slices.Clone(stored), at, end, others...), nil
}
