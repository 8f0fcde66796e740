package shell

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/page"
)

const (
	importPage = "import" // the page that takes dropped files
	exportPage = "export" // the page that takes selected rows
)

// listenForDrops accepts files that are dropped anywhere on the window.
func (s *Shell) listenForDrops() {
	window := app.Window()
	s.release = append(s.release,
		// Without this the browser would open the file in place of the page.
		browser.Listen(window, "dragover", func(event app.Value) { event.Call("preventDefault") }),
		browser.Listen(window, "drop", func(event app.Value) {
			event.Call("preventDefault")
			if file, ok := browser.FileIn(event.Get("dataTransfer")); ok {
				s.ctx.Dispatch(func(app.Context) { s.drop(file) })
			}
		}))
}

// drop opens the page that imports a file: into the table on screen, or into a
// new one.
func (s *Shell) drop(file browser.File) {
	place := s.place()
	r := page.Route{Account: s.account(), Table: place.Table, Page: importPage}
	if !s.ready() || r.Account == "" {
		return
	}
	s.dropped = &file
	s.changes++ // so that a page that is open already looks for it
	if !r.SamePage(s.route) {
		s.Navigate(r)
	}
}

// Dropped implements [page.Session].
func (s *Shell) Dropped() (browser.File, bool) {
	if s.dropped == nil {
		return browser.File{}, false
	}
	file := *s.dropped
	s.dropped = nil
	return file, true
}

// Select implements [page.Session].
func (s *Shell) Select(rows page.Selection) { s.rows = rows }

// Selected implements [page.Session].
func (s *Shell) Selected() page.Selection {
	rows := s.rows
	s.rows = page.Selection{}
	return rows
}
