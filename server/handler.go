package server

import (
	"sync"
	"sync/atomic"
	"time"

	"sandtable/engine"
	"sandtable/server/faults"
)

// Options say how a [Handler] answers. The zero value is a handler for the
// native server: no page shares its origin, and CORS follows the accounts' rules.
type Options struct {
	// SameOrigin is the escaped path below which a handler that shares the origin of
	// a page also has the accounts, such as "/table"; "" for none.
	SameOrigin string
	// TableDeletion is how long the name of a deleted table stays blocked; the
	// service takes 40 seconds or more. 0 does not block it. [Handler.SetTableDeletion]
	// changes it.
	TableDeletion time.Duration
	// PermissiveCORS lets pages of all origins in where an account has no rules
	// of its own. [Handler.SetPermissiveCORS] changes it.
	PermissiveCORS bool
	// BodyMemory bounds the request bodies in memory at any time, in bytes; a
	// request beyond it gets 503 ServerBusy. 0 means 128 MiB.
	BodyMemory int64
	// ReplyMemory bounds the replies to reads that clients have not read yet, in bytes.
	// Beyond it pages end early, and a reply larger than 256 KiB is 503 ServerBusy
	// instead. 0 means 256 MiB.
	ReplyMemory int64
	// Faults are requests that fail on purpose; nil for none.
	Faults *faults.Accounts
	// Observers learn about every request, in their order.
	Observers []Observer
	// Now is the clock for signatures, error texts, records and the time limit of
	// a query; time.Now if nil. Timestamps come from the engine's clock.
	Now func() time.Time
}

// defaultBodyMemory is 32 bodies of the largest size.
const defaultBodyMemory = 128 << 20

// defaultReplyMemory is 64 pages of the largest size.
const defaultReplyMemory = 256 << 20

// Handler answers the REST API of the table service for the accounts of a
// store. It is safe for concurrent use.
type Handler struct {
	store          Store
	options        Options
	rules          sync.Map // account name to parsedRules
	deleted        *deletions
	bodies         budget
	replies        budget
	secondaries    secondaries
	permissiveCORS atomic.Bool
}

// New returns a handler over a database in this process.
func New(db *engine.DB, options Options) *Handler { return NewOver(OverEngine(db), options) }

// NewOver returns a handler over any store.
func NewOver(store Store, options Options) *Handler {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.BodyMemory == 0 {
		options.BodyMemory = defaultBodyMemory
	}
	if options.ReplyMemory == 0 {
		options.ReplyMemory = defaultReplyMemory
	}
	h := &Handler{
		store: store, options: options, deleted: newDeletions(options.TableDeletion, options.Now),
		bodies: budget{limit: options.BodyMemory}, replies: budget{limit: options.ReplyMemory},
	}
	h.permissiveCORS.Store(options.PermissiveCORS)
	return h
}

// SetPermissiveCORS changes Options.PermissiveCORS for the requests that follow.
func (h *Handler) SetPermissiveCORS(on bool) { h.permissiveCORS.Store(on) }

// SetTableDeletion changes Options.TableDeletion for tables that are deleted from now
// on; 0 also frees the names that are blocked.
func (h *Handler) SetTableDeletion(delay time.Duration) { h.deleted.setDelay(delay) }

// UnblockDeletedTables frees the names that Options.TableDeletion blocks in an account,
// or in all if it is "".
func (h *Handler) UnblockDeletedTables(account string) { h.deleted.free(account) }
