package page

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sandtable/odata"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/ui"
)

// ErrNoSnapshot means that nothing was deleted.
var ErrNoSnapshot = errors.New("no snapshot was taken")

// maxNamed is how many tables a question names.
const maxNamed = 5

// AskToDelete asks before tables of an account are deleted, and offers a snapshot if
// the account is local. The argument of remove reports whether to take one.
// entities is how many the tables hold, [client.Unknown] if they are not counted.
func AskToDelete(s Session, account string, names []string, entities int, remove func(snapshot bool)) {
	title, with := "Delete the table "+names[0]+"?", " deleted with it."
	if len(names) > 1 {
		title, with = "Delete "+humanize.Count(len(names), "table", "tables")+"?", " deleted with them."
	}
	text := "All entities in " + account + " are" + with
	if entities != client.Unknown {
		text = humanize.Count(entities, "entity is", "entities are") + with
	}
	if len(names) > 1 {
		text = listed(names) + ". " + text
	}
	q := ui.Question{Title: title, Text: text + " This cannot be undone.", Confirm: "Delete " + humanize.Count(len(names), "table", "tables")}
	if _, connected := s.Connected(account); !connected {
		q.Text = text + " Without a snapshot this cannot be undone."
	}
	ask(s, account, q, remove)
}

// AskToDeleteEntities asks before many entities of the route's table are deleted, and
// offers a snapshot if the account is local. The argument of remove reports whether to
// take one. The entities can be restored until the user leaves the app.
func AskToDeleteEntities(s Session, r Route, n int, remove func(snapshot bool)) {
	count := humanize.Count(n, "entity", "entities")
	ask(s, r.Account, ui.Question{Title: "Delete " + count + "?", Confirm: "Delete " + count,
		Text: "They are deleted from " + r.Table + ". This can be undone until you close or reload Sandtable."}, remove)
}

// AskToEmpty is [AskToDeleteEntities] for all entities of the route's table, of which
// there are n, [client.Unknown] if they are not counted. They cannot be restored without
// a snapshot.
func AskToEmpty(s Session, r Route, n int, remove func(snapshot bool)) {
	count := "all entities"
	if n != client.Unknown {
		count = humanize.Count(n, "entity", "entities")
	}
	q := ui.Question{Title: "Delete " + count + " of " + r.Table + "?", Confirm: "Delete " + count,
		Text: "The table, its access policies and its settings stay. This cannot be undone."}
	if _, connected := s.Connected(r.Account); !connected {
		q.Text = "The table, its access policies and its settings stay. Without a snapshot this cannot be undone."
	}
	ask(s, r.Account, q, remove)
}

// ask asks the question, and offers a snapshot if the account is local.
func ask(s Session, account string, q ui.Question, remove func(snapshot bool)) {
	snapshot := false
	if _, connected := s.Connected(account); !connected {
		snapshot = true
		q.Choice, q.Label = &snapshot, "Take a snapshot of the account first"
	}
	s.Ask(q, func() { remove(snapshot) })
}

// SnapshotBefore takes a snapshot of an account that is named after what happens
// next. The error is [ErrNoSnapshot].
func SnapshotBefore(c context.Context, s Session, account, what string) error {
	if _, err := s.Control().TakeSnapshot(c, account, "before "+what, "delete"); err != nil {
		return fmt.Errorf("%w: %w", ErrNoSnapshot, err)
	}
	return nil
}

// listed returns the first names, and how many more there are.
func listed(names []string) string {
	if len(names) <= maxNamed {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:maxNamed], ", ") + " and " + humanize.Number(len(names)-maxNamed) + " more"
}

// DeleteTables deletes tables of an account, and calls deleted with how many more are
// gone. If a snapshot is to be taken first and cannot be, it deletes none and returns
// [ErrNoSnapshot].
func DeleteTables(c context.Context, s Session, account string, names []string, snapshot bool, deleted func(more int)) error {
	if snapshot {
		what := names[0]
		if len(names) > 1 || len(what) > odata.MaxTableNameLength { // a snapshot's name is short
			what = humanize.Count(len(names), "table", "tables")
		}
		if err := SnapshotBefore(c, s, account, "deleting "+what); err != nil {
			return err
		}
	}
	at := s.Client(account)
	failures := make([]error, len(names))
	bulk.Several(c, len(names), func(i int) bool {
		i = len(names) - 1 - i // from the end of the list, where no other row moves up
		// What was sent is to be answered: only then the count is certain.
		err := at.DeleteTable(context.WithoutCancel(c), names[i])
		if err == nil || client.HasCode(err, client.CodeResourceNotFound) {
			deleted(1)
		} else {
			failures[i] = err
		}
		return true
	})
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return c.Err()
}
