package server

import (
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"strings"
	"sync"
	"time"

	"sandtable/engine"
	"sandtable/server/journal"
	"sandtable/server/message"
)

// Event is something that happened in a [Handler].
type Event struct {
	// ID is the event's place among those of this handler: "life-number", where
	// the life is another one after each start.
	ID string
	// Kind is "request", "change" or "lost": then there were events that the
	// subscriber was too slow for, and it has to look at everything again.
	Kind string
	// Data is a JSON object, in one line.
	Data []byte
}

const (
	// keptEvents is how many events wait for a subscriber who is slow, or who
	// comes back.
	keptEvents = 2048
	// eventMemory is about how many bytes they take at most: the address of one
	// can be some 60 KiB.
	eventMemory = 4 << 20
	// forgottenAfter is how long they are kept without a subscriber and without
	// a reader. One that comes back does so within a second (see reconnect), or
	// after the pause of a page in the background.
	forgottenAfter = 2 * time.Minute
	// eventsAtOnce is how many are taken at a time.
	eventsAtOnce = 128
)

// change is what an event says of an [engine.Change].
type change struct {
	kind, account, table string
	partitionKey, rowKey string
	isEntity             bool
}

// lost stands for changes that the engine could not keep.
type lost struct{}

var changeNames = map[engine.ChangeKind]string{
	engine.TableCreated:    "tableCreated",
	engine.TableChanged:    "tableChanged",
	engine.TableDeleted:    "tableDeleted",
	engine.AccountCreated:  "accountCreated",
	engine.AccountChanged:  "accountChanged",
	engine.AccountDeleted:  "accountDeleted",
	engine.SettingsChanged: "settingsChanged",
}

// Subscribe calls f with what happens from now on: requests, as they have been
// answered, and changes, as they are durable and can be seen. Calls come one
// at a time and in order, from a goroutine of their own: no request and no
// writer waits for f. What f is too slow for is kept, up to some 2,000 events or
// 4 MiB; f then gets one of the kind "lost" and goes on with those. Cancel ends it,
// and does not wait for a call that is under way.
//
// Nothing is spent on events before the first call, nor when nobody has wanted
// them for some minutes. Only a handler with Options.Control has any.
func (h *Handler) Subscribe(f func(Event)) (cancel func()) {
	done := make(chan struct{})
	cancel = sync.OnceFunc(func() { close(done) })
	at := h.listen()
	go func() {
		defer h.unlisten()
		for {
			events, next, more := h.eventsAfter(at)
			for _, e := range events {
				select {
				case <-done:
					return
				default:
				}
				f(e)
			}
			if at = next; more == nil {
				continue
			}
			select {
			case <-more:
			case <-done:
				return
			case <-h.closed:
				return
			}
		}
	}()
	return cancel
}

// Close ends subscriptions and answers of events that are under way. It is for
// a handler that answers no more requests.
func (h *Handler) Close() { h.close() }

// listen has events kept from now on, and returns the number of the last. Each
// call is followed by one of unlisten.
func (h *Handler) listen() uint64 {
	h.closing.Lock()
	defer h.closing.Unlock()
	h.listeners++
	if h.forgetting != nil {
		h.forgetting.Stop()
	}
	if h.options.Control && !h.ended && h.stream.Listen() {
		h.unsubscribe = h.db.Subscribe(h.publishChanges)
	}
	return h.stream.Last()
}

// unlisten has events forgotten some time after the last listener has gone.
func (h *Handler) unlisten() {
	h.closing.Lock()
	defer h.closing.Unlock()
	if h.listeners--; h.listeners == 0 && !h.ended {
		h.forgetting = time.AfterFunc(forgottenAfter, h.forgetEvents)
	}
}

func (h *Handler) forgetEvents() {
	h.closing.Lock()
	defer h.closing.Unlock()
	if h.listeners > 0 || h.ended || h.unsubscribe == nil {
		return
	}
	h.unsubscribe()
	h.unsubscribe = nil
	h.stream.Forget()
}

// newLife returns a text that no other start has.
func newLife() string {
	b := make([]byte, 4)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// publishRequest tells of a request, and keeps no more of it than is told.
func (h *Handler) publishRequest(e *journal.Entry) {
	told, size := e.Told()
	h.stream.Publish(journal.Event{Value: told, Size: size})
}

// changeSize is what a change takes beside the keys of its entity.
const changeSize = 160

// publishChanges tells of a commit. It is the engine's to call.
func (h *Handler) publishChanges(changes []engine.Change) {
	events := make([]journal.Event, len(changes))
	for i := range changes {
		c := &changes[i]
		events[i] = journal.Event{Value: changeOf(c), Size: changeSize + len(c.Key.PartitionKey) + len(c.Key.RowKey)}
	}
	h.stream.Publish(events...)
}

func changeOf(c *engine.Change) any {
	if c.Kind == engine.ChangesMissed {
		return lost{}
	}
	told := change{kind: changeNames[c.Kind], account: c.Account, table: c.Table}
	if c.Kind != engine.EntityChanged {
		return told
	}
	told.isEntity = true
	// A key is a part of a text with all of its entity, which is not to stay.
	told.partitionKey, told.rowKey = strings.Clone(c.Key.PartitionKey), strings.Clone(c.Key.RowKey)
	switch {
	case c.Before == nil:
		told.kind = "inserted"
	case c.After == nil:
		told.kind = "deleted"
	default:
		told.kind = "updated"
	}
	return told
}

func (h *Handler) eventID(number uint64) string { return h.life + "-" + strconv.FormatUint(number, 10) }

// eventNumber is the number in an event's ID, if it is of this life.
func (h *Handler) eventNumber(id string) (number uint64, known bool) {
	text, ok := strings.CutPrefix(id, h.life+"-")
	if !ok {
		return 0, false
	}
	number, err := strconv.ParseUint(text, 10, 64)
	return number, err == nil
}

// eventsAfter returns the next events, and the number of the last of them. It
// returns a channel for more when there are none.
func (h *Handler) eventsAfter(number uint64) (events []Event, last uint64, more <-chan struct{}) {
	found, missed, more := h.stream.After(number, eventsAtOnce)
	if missed {
		last = h.stream.Last()
		if len(found) > 0 {
			last = found[0].Number - 1
		}
		events, number = append(events, h.lostEvent(last)), last
	}
	if len(found) == 0 {
		return events, number, more
	}
	redactor, err := h.redactor()
	if err != nil { // the database is closed
		return nil, found[len(found)-1].Number, more
	}
	for _, e := range found {
		events = append(events, h.describeEvent(e, redactor))
		number = e.Number
	}
	return events, number, more
}

func (h *Handler) lostEvent(number uint64) Event {
	return Event{ID: h.eventID(number), Kind: "lost", Data: []byte("{}")}
}

func (h *Handler) describeEvent(e journal.Event, r *journal.Redactor) Event {
	var o object
	switch v := e.Value.(type) {
	case *journal.Entry:
		describeRequest(&o, v, r.With(v))
		return Event{h.eventID(e.Number), "request", o.end()}
	case change:
		o.string("kind", v.kind)
		o.optional("account", v.account)
		o.optional("table", v.table)
		if v.isEntity {
			o.string("partitionKey", v.partitionKey)
			o.string("rowKey", v.rowKey)
		}
		return Event{h.eventID(e.Number), "change", o.end()}
	}
	return h.lostEvent(e.Number)
}

const (
	// heartbeat is how often a comment is sent when nothing happens, so that a
	// reader that has gone is noticed.
	heartbeat = 15 * time.Second
	// unflushed is how long an answer waits for the first events where it cannot
	// be sent before it is whole.
	unflushed = 10 * time.Second
	// reconnect is how long a reader waits before it asks again, in
	// milliseconds.
	reconnect = "500"
)

// events sends events as they happen, for as long as the reader wants or
// Options.EventTime says. Where an answer cannot be sent in parts it ends with
// the first events. The reader, an EventSource, comes back and says where it
// was.
//
// Source: "HTML", section 9.2, Server-sent events,
// https://html.spec.whatwg.org/multipage/server-sent-events.html.
func (c *controlCall) events() (int, []byte, error) {
	s := &eventSender{call: c, at: c.listen()}
	defer c.unlisten()
	s.flusher, _ = c.writer.(message.Flusher)
	h := c.writer.Header()
	h.Set("Content-Type", "text/event-stream")
	c.writer.WriteHeader(message.StatusOK)
	s.text = append(s.text, "retry: "+reconnect+"\n"...)
	from := c.http.Header.Get("Last-Event-Id")
	if from == "" {
		from = c.query.Get("after")
	}
	if number, known := c.eventNumber(from); known {
		s.at = number
	} else if from != "" {
		s.append(c.lostEvent(s.at))
	}
	// An event without data is none, but its ID is where to go on.
	s.text = append(s.text, "id: "+c.eventID(s.at)+"\n\n"...)
	s.run()
	return 0, nil, nil
}

type eventSender struct {
	call    *controlCall
	flusher message.Flusher // nil where there is none
	at      uint64
	text    []byte // not sent yet
}

func (s *eventSender) append(e Event) {
	s.text = append(s.text, "event: "+e.Kind+"\nid: "+e.ID+"\ndata: "...)
	s.text = append(append(s.text, e.Data...), "\n\n"...)
}

func (s *eventSender) send() error {
	if len(s.text) == 0 {
		return nil
	}
	_, err := s.call.writer.Write(s.text)
	s.text = s.text[:0]
	if err == nil && s.flusher != nil {
		s.flusher.Flush()
	}
	return err
}

func (s *eventSender) run() {
	var end <-chan time.Time
	if limit := s.limit(); limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		end = timer.C
	}
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	for {
		events, next, more := s.call.eventsAfter(s.at)
		for _, e := range events {
			s.append(e)
		}
		s.at = next
		if s.flusher != nil || len(events) > 0 {
			if s.send() != nil || s.flusher == nil {
				return
			}
		}
		if more == nil {
			continue
		}
		select {
		case <-more:
		case <-ticker.C:
			if s.flusher != nil {
				s.text = append(s.text, ":\n\n"...)
			}
		case <-end:
			_ = s.send()
			return
		case <-s.call.http.Context.Done():
			return
		case <-s.call.closed:
			_ = s.send()
			return
		}
	}
}

func (s *eventSender) limit() time.Duration {
	limit := s.call.options.EventTime
	if s.flusher == nil && (limit == 0 || limit > unflushed) {
		limit = unflushed
	}
	return limit
}
