package control

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/server/control/journal"
)

// Event is something that happened in a [Handler].
type Event struct {
	// ID is "instance-number": the instance is new after each start, and numbers
	// ascend.
	ID string
	// Kind is "request", "change" or "lost". After "lost" events are missing: the
	// subscriber was too slow and has to read everything again.
	Kind string
	// Data is a JSON object on one line.
	Data []byte
}

const (
	// maxEvents is how many events are kept for a subscriber that is slow or
	// reconnects.
	maxEvents = 2048
	// maxEventMemory is about how many bytes they take at most.
	maxEventMemory = 4 << 20
	// forgetAfter is how long events are kept without a listener. One that
	// reconnects does so within a second (see reconnect), or after the pause of a
	// page in the background.
	forgetAfter = 2 * time.Minute
	// eventBatch is how many events are read from the stream at a time.
	eventBatch = 128
)

// feed publishes requests and changes to listeners. It costs nothing until the
// first one comes.
type feed struct {
	db       *engine.DB
	instance string
	stream   *journal.Stream
	done     chan struct{} // closed by close

	values atomic.Bool // some listener wants the values of changed entities, or may come back for them

	mu          sync.Mutex
	listeners   int
	unsubscribe func() // from the engine's changes; nil while nothing is kept
	forgetTimer *time.Timer
	closed      bool
}

func newFeed(db *engine.DB) *feed {
	b := make([]byte, 4)
	rand.Read(b)
	return &feed{
		db: db, instance: hex.EncodeToString(b), stream: journal.NewStream(maxEvents, maxEventMemory), done: make(chan struct{}),
	}
}

// Subscribe calls f with what happens from now on: requests once they are
// answered, and changes once they are durable and visible. Calls come one at a
// time and in order, from a goroutine of their own, so no request and no writer
// waits for f. A slow f finds some 2,000 events or 4 MiB of them kept; past that
// it gets an event of the kind "lost" and continues with the kept ones. cancel
// ends the subscription without waiting for a call in progress.
func (h *Handler) Subscribe(f func(Event)) (cancel func()) { return h.subscribe(f, view{}) }

// SubscribeValues is Subscribe with changes of entities that contain the entity
// before and after.
func (h *Handler) SubscribeValues(f func(Event)) (cancel func()) {
	return h.subscribe(f, view{values: true})
}

// view is what a listener wants of the events.
type view struct {
	values  bool // changes with the entities before and after
	joined  bool // consecutive changes of one kind in one partition are sent as one event
	changes bool // no requests
}

func (h *Handler) subscribe(f func(Event), v view) (cancel func()) {
	done := make(chan struct{})
	cancel = sync.OnceFunc(func() { close(done) })
	last := h.feed.listen(v)
	go func() {
		defer h.feed.unlisten()
		for {
			events, next, more := h.feed.after(last, v)
			for _, e := range events {
				select {
				case <-done:
					return
				default:
				}
				f(e)
			}
			if last = next; more == nil {
				continue
			}
			select {
			case <-more:
			case <-done:
				return
			case <-h.feed.done:
				return
			}
		}
	}()
	return cancel
}

// listen keeps events from now on and returns the number of the last one. Each
// call is paired with one of unlisten.
func (f *feed) listen(v view) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listeners++
	if v.values {
		f.values.Store(true)
	}
	if f.forgetTimer != nil {
		f.forgetTimer.Stop()
	}
	if !f.closed && f.stream.Listen() {
		f.unsubscribe = f.db.Subscribe(f.publishChanges)
	}
	return f.stream.Last()
}

// unlisten forgets the events some time after the last listener has gone.
func (f *feed) unlisten() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listeners--; f.listeners == 0 && !f.closed {
		f.forgetTimer = time.AfterFunc(forgetAfter, f.forget)
	}
}

func (f *feed) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listeners > 0 || f.closed || f.unsubscribe == nil {
		return
	}
	f.unsubscribe()
	f.unsubscribe = nil
	f.values.Store(false)
	f.stream.Forget()
}

func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	f.closed = true
	close(f.done)
	if f.forgetTimer != nil {
		f.forgetTimer.Stop()
	}
	if f.unsubscribe != nil {
		f.unsubscribe()
	}
}

// publishRequest publishes a request, if anybody listens.
func (f *feed) publishRequest(e *journal.Entry) {
	if !f.stream.Listening() {
		return
	}
	var o object
	describeRequest(&o, e)
	data := o.end()
	f.stream.Publish(journal.Event{Value: data, Size: len(data)})
}

// change is what an event says about an [engine.Change].
type change struct {
	kind, account, table string
	partitionKey, rowKey string
	isEntity             bool
	before, after        *odata.Entity // kept only if somebody wants the values
}

// lost marks changes that the engine could not keep.
type lost struct{}

var changeNames = map[engine.ChangeKind]string{
	engine.TableCreated:     "tableCreated",
	engine.TableChanged:     "tableChanged",
	engine.TableDeleted:     "tableDeleted",
	engine.AccountCreated:   "accountCreated",
	engine.AccountChanged:   "accountChanged",
	engine.AccountDeleted:   "accountDeleted",
	engine.SettingsChanged:  "settingsChanged",
	engine.TableRestored:    "tableRestored",
	engine.SnapshotsChanged: "snapshotsChanged",
}

// publishFaults publishes that an account's faults were set, switched or cleared.
func (f *feed) publishFaults(account string) {
	f.stream.Publish(journal.Event{Value: change{kind: "faultsChanged", account: account}, Size: changeSize})
}

// changeSize is what a change takes besides the keys of its entity.
const changeSize = 160

// publishChanges publishes a commit. The engine calls it. Changes become JSON
// only when they are read: an import makes far more than are kept.
func (f *feed) publishChanges(changes []engine.Change) {
	events := make([]journal.Event, len(changes))
	values := f.values.Load()
	for i := range changes {
		c := &changes[i]
		events[i] = journal.Event{Value: newChange(c, values), Size: changeSize + len(c.Key.PartitionKey) + len(c.Key.RowKey)}
		if values {
			events[i].Size += sizeOf(c.Before) + sizeOf(c.After)
		}
	}
	f.stream.Publish(events...)
}

func sizeOf(e *odata.Entity) int {
	if e == nil {
		return 0
	}
	return e.Size()
}

func newChange(c *engine.Change, values bool) any {
	if c.Kind == engine.ChangesMissed {
		return lost{}
	}
	n := change{kind: changeNames[c.Kind], account: c.Account, table: c.Table}
	if c.Kind != engine.EntityChanged {
		return n
	}
	n.isEntity = true
	// Cloned, because a key shares its memory with the whole entity.
	n.partitionKey, n.rowKey = strings.Clone(c.Key.PartitionKey), strings.Clone(c.Key.RowKey)
	if values {
		n.before, n.after = c.Before, c.After
	}
	switch {
	case c.Before == nil:
		n.kind = "inserted"
	case c.After == nil:
		n.kind = "deleted"
	default:
		n.kind = "updated"
	}
	return n
}

func (f *feed) eventID(number uint64) string {
	return f.instance + "-" + strconv.FormatUint(number, 10)
}

// eventNumber returns the number in an event's ID, if it is of this instance.
func (f *feed) eventNumber(id string) (number uint64, ok bool) {
	text, ok := strings.CutPrefix(id, f.instance+"-")
	if !ok {
		return 0, false
	}
	number, err := strconv.ParseUint(text, 10, 64)
	return number, err == nil
}

// after returns the events that follow a number, and the number of the last of
// them. Without any it returns a channel that is closed when there are more.
func (f *feed) after(number uint64, v view) (events []Event, last uint64, more <-chan struct{}) {
	found, missed, more := f.stream.After(number, eventBatch)
	if missed {
		number = f.stream.Last()
		if len(found) > 0 {
			number = found[0].Number - 1
		}
		events = append(events, f.lostEvent(number))
	}
	if len(found) > 0 {
		number = found[len(found)-1].Number
	}
	if v.changes {
		found = slices.DeleteFunc(found, isRequest)
	}
	for len(found) > 0 {
		n := 1
		if v.joined {
			n = joinable(found)
		}
		e := f.event(found[:n], v)
		found = found[n:]
		if last := len(events) - 1; e.Kind == "lost" && last >= 0 && events[last].Kind == "lost" {
			events[last] = e
			continue
		}
		events = append(events, e)
	}
	return events, number, more
}

func isRequest(e journal.Event) bool {
	_, request := e.Value.([]byte)
	return request
}

// joinable returns how many of the events, the first included, differ from it in
// the row key alone.
func joinable(events []journal.Event) int {
	first, ok := events[0].Value.(change)
	n := 1
	for ok && first.isEntity && n < len(events) {
		next, ok := events[n].Value.(change)
		if !ok || !next.isEntity || next.kind != first.kind || next.account != first.account || next.table != first.table || next.partitionKey != first.partitionKey {
			break
		}
		n++
	}
	return n
}

func (f *feed) lostEvent(number uint64) Event {
	return Event{ID: f.eventID(number), Kind: "lost", Data: []byte("{}")}
}

// event returns the event for one event of the stream, or for several that are
// joined.
func (f *feed) event(joined []journal.Event, view view) Event {
	id := f.eventID(joined[len(joined)-1].Number)
	switch v := joined[0].Value.(type) {
	case []byte:
		return Event{id, "request", v}
	case change:
		var o object
		o.string("kind", v.kind)
		o.optional("account", v.account)
		o.optional("table", v.table)
		if v.isEntity {
			o.string("partitionKey", v.partitionKey)
			if view.joined {
				o.strings("rowKeys", rowKeys(joined))
			} else {
				o.string("rowKey", v.rowKey)
			}
		}
		if view.values {
			if v.isEntity && v.before == nil && v.after == nil { // nobody wanted the values then
				return f.lostEvent(joined[0].Number)
			}
			o.entity("before", v.before)
			o.entity("after", v.after)
		}
		return Event{id, "change", o.end()}
	}
	return f.lostEvent(joined[0].Number)
}

func rowKeys(changes []journal.Event) []string {
	keys := make([]string, len(changes))
	for i, e := range changes {
		keys[i] = e.Value.(change).rowKey
	}
	return keys
}

// entity adds an entity unless it is nil. Doubles are annotated, because JSON.parse
// makes 5 of 5.0, and the body would be that of an Int32.
func (o *object) entity(name string, e *odata.Entity) {
	if e != nil {
		o.raw(name, payload.AppendAnnotatedRequest(nil, e))
	}
}
