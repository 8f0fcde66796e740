package shell

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/page"
	"sandtable/web/ui"
)

const (
	importPage = "import" // the page that takes dropped files
	exportPage = "export" // the page that takes selected rows
)

// dropID is the element that covers the window while a file is dragged over it.
const dropID = "drop-target"

// listenForDrops accepts files that are dropped anywhere on the window, and says where
// they go while they are dragged over it.
func (s *Shell) listenForDrops() {
	window := app.Window()
	show := func(dragged bool) {
		if dragged != s.dragged {
			s.dragged = dragged
			s.ctx.Dispatch(func(app.Context) {})
		}
	}
	s.release = append(s.release,
		browser.Listen(window, "dragenter", func(event app.Value) {
			if holder := event.Get("dataTransfer"); holder.Truthy() && holder.Get("types").Call("includes", "Files").Bool() {
				show(true)
			}
		}),
		browser.Listen(window, "dragleave", func(event app.Value) {
			// What covers the window is left for nothing else in it.
			if cover := window.GetElementByID(dropID); cover.Truthy() && cover.Equal(event.Get("target")) {
				show(false)
			}
		}),
		// Without this the browser would open the file in place of the page.
		browser.Listen(window, "dragover", func(event app.Value) { event.Call("preventDefault") }),
		browser.Listen(window, "drop", func(event app.Value) {
			event.Call("preventDefault")
			show(false)
			if files := browser.FilesIn(event.Get("dataTransfer")); len(files) > 0 {
				s.ctx.Dispatch(func(app.Context) { s.drop(files) })
			}
		}))
}

// dropRoute returns the page that imports dropped files, into the table on screen or
// into new ones, and whether there is one.
func (s *Shell) dropRoute() (page.Route, bool) {
	r := page.Route{Account: s.account(), Table: s.place().Table, Page: importPage}
	return r, s.ready() && r.Account != ""
}

// drawDropTarget says what becomes of files that are dragged over the window. The
// pointer moves over it only when nothing is dragged any more.
func (s *Shell) drawDropTarget(to page.Route) app.UI {
	into := "a new table of " + to.Account
	if to.Table != "" {
		into = to.Table
	}
	return app.Div().ID(dropID).Class(dropID).OnMouseMove(func(app.Context, app.Event) { s.dragged = false }).
		Body(ui.Span("words", "Drop here to import into "+into))
}

// drop opens the page that imports files.
func (s *Shell) drop(files []browser.File) {
	r, ok := s.dropRoute()
	if !ok {
		return
	}
	s.dropped = files
	s.changes++ // so that a page that is open already looks for it
	if !r.SamePage(s.route) {
		s.Navigate(r)
	}
}

// Dropped implements [page.Session].
func (s *Shell) Dropped() []browser.File {
	files := s.dropped
	s.dropped = nil
	return files
}

// Select implements [page.Session].
func (s *Shell) Select(rows page.Selection) { s.rows = rows }

// Selected implements [page.Session].
func (s *Shell) Selected() page.Selection {
	rows := s.rows
	s.rows = page.Selection{}
	return rows
}
