package control

import (
	"time"

	"sandtable/server/message"
)

const (
	// heartbeat is how often a comment is sent while nothing happens, to notice a
	// reader that has gone.
	heartbeat = 15 * time.Second
	// unflushedTime is how long a response that cannot be sent in parts waits for
	// the first event.
	unflushedTime = 10 * time.Second
	// maxSkipped is how many requests a reader of changes alone may fall behind
	// before it gets a new position, so that it can continue from there.
	maxSkipped = maxEvents / 4
	// reconnect is how long a reader waits before it reconnects, in milliseconds.
	reconnect = "500"
	// reconnectLater is for a reader whose stream ends because the endpoint closes: the
	// update of a service worker needs a moment without requests.
	reconnectLater = "3000"
)

// readEvents sends events as they happen, until the reader goes or
// Options.EventTime ends. A response that cannot be sent in parts ends with the
// first events. The reader, an EventSource, reconnects and sends the last ID.
//
// Source: "HTML", section 9.2, Server-sent events,
// https://html.spec.whatwg.org/multipage/server-sent-events.html.
func (c *call) readEvents() (int, []byte, error) {
	v, err := c.queryView()
	if err != nil {
		return 0, nil, err
	}
	s := &eventSender{call: c, view: v, last: c.feed.listen(v)}
	defer c.feed.unlisten()
	s.flusher, _ = c.writer.(message.Flusher)
	c.beginParts("text/event-stream")
	s.pending = append(s.pending, "retry: "+reconnect+"\n"...)
	from := c.http.Header.Get("Last-Event-Id")
	if from == "" {
		from = c.query.Get("after")
	}
	if number, ok := c.feed.eventNumber(from); ok {
		s.last = number
	} else if from != "" {
		s.append(c.feed.lostEvent(s.last))
	}
	// Its ID is where a reader continues that reconnects before the first event.
	s.appendPosition("start")
	s.run()
	return 0, nil, nil
}

// beginParts begins a response whose parts are to be read as they are written: proxies
// must not hold them back.
//
// Source: "X-Accel-Buffering", https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering.
func (c *call) beginParts(contentType string) {
	h := c.writer.Header()
	h.Set("Content-Type", contentType)
	h.Set("X-Accel-Buffering", "no")
	c.writer.WriteHeader(message.StatusOK)
}

func (c *call) queryView() (v view, err error) {
	if v.values, err = c.queryBool("values"); err != nil {
		return v, err
	}
	if v.changes, err = c.queryBool("changes"); err != nil {
		return v, err
	}
	v.joined, err = c.queryBool("joined")
	if err == nil && v.values && v.joined {
		err = invalidInput("joined changes have no values.")
	}
	return v, err
}

type eventSender struct {
	call    *call
	flusher message.Flusher // nil if the response cannot be sent in parts
	view    view
	last    uint64 // number of the last event
	sent    uint64 // number of the last event whose ID was sent
	pending []byte // not sent yet
}

func (s *eventSender) append(e Event) {
	s.pending = append(s.pending, "event: "+e.Kind+"\nid: "+e.ID+"\ndata: "...)
	s.pending = append(append(s.pending, e.Data...), "\n\n"...)
}

// appendPosition appends an event whose ID is where the reader continues.
func (s *eventSender) appendPosition(kind string) {
	s.append(Event{ID: s.call.feed.eventID(s.last), Kind: kind, Data: []byte("{}")})
	s.sent = s.last
}

func (s *eventSender) send() error {
	if len(s.pending) == 0 {
		return nil
	}
	_, err := s.call.writer.Write(s.pending)
	s.pending = s.pending[:0]
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
		events, last, more := s.call.feed.after(s.last, s.view)
		for _, e := range events {
			s.append(e)
		}
		if s.last = last; !s.view.changes {
			s.sent = last // each event has its ID
		}
		if s.last-s.sent > maxSkipped {
			s.appendPosition("position")
		}
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
				s.pending = append(s.pending, ":\n\n"...)
			}
		case <-end:
			if s.last != s.sent {
				s.appendPosition("position")
			}
			_ = s.send()
			return
		case <-s.call.http.Context.Done():
			return
		case <-s.call.feed.done:
			s.pending = append(s.pending, "retry: "+reconnectLater+"\n\n"...)
			_ = s.send()
			return
		}
	}
}

func (s *eventSender) limit() time.Duration {
	limit := s.call.options.EventTime
	if s.flusher == nil && (limit == 0 || limit > unflushedTime) {
		limit = unflushedTime
	}
	return limit
}
