package browser

import (
	"net/url"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// reopenAfter is how long a stream waits before it connects again by itself.
const reopenAfter = time.Second

// Stream has f called with each server-sent event of one of the kinds, until
// release is called. A stream that ends goes on after the last event, also where
// the browser gives up. f runs inside the browser's event and must not wait.
// Where there are no streams, f is never called.
func Stream(address string, kinds []string, f func(kind, data string)) (release func()) {
	class := app.Window().Get("EventSource")
	if !app.IsClient || !class.Truthy() {
		return func() {}
	}
	s := &stream{class: class, address: address, kinds: kinds, receive: f}
	s.open()
	return s.close
}

type stream struct {
	class   app.Value
	address string
	kinds   []string
	receive func(kind, data string)
	last    string // ID of the last event
	closed  bool
	source  app.Value
	release []func()
}

func (s *stream) open() {
	address := s.address
	if s.last != "" {
		address += "?after=" + url.QueryEscape(s.last)
	}
	s.source = s.class.New(address)
	for _, kind := range s.kinds {
		s.release = append(s.release, Listen(s.source, kind, func(event app.Value) {
			s.last = Text(event, "lastEventId")
			s.receive(kind, Text(event, "data"))
		}))
	}
	s.release = append(s.release, Listen(s.source, "error", func(app.Value) {
		const gaveUp = 2
		if s.source.Get("readyState").Int() == gaveUp {
			s.drop()
			time.AfterFunc(reopenAfter, func() {
				if !s.closed {
					s.open()
				}
			})
		}
	}))
}

func (s *stream) drop() {
	s.source.Call("close")
	for _, release := range s.release {
		release()
	}
	s.release = nil
}

func (s *stream) close() {
	if !s.closed {
		s.closed = true
		s.drop()
	}
}
