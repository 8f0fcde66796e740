package page

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
)

// Copy copies a text to the clipboard, then calls done on go-app's goroutine,
// or says in a message that the browser refused.
func Copy(ctx app.Context, s Session, text string, done func()) {
	browser.CopyText(text, report(ctx, s, done))
}

// CopyLater is Copy for a text that is given later. It is called in the click. An error
// that is given instead is the caller's to show.
func CopyLater(ctx app.Context, s Session, done func()) (give func(text string, err error)) {
	return browser.CopyLater(report(ctx, s, done))
}

func report(ctx app.Context, s Session, done func()) func(ok bool) {
	return func(ok bool) {
		ctx.Dispatch(func(app.Context) {
			if !ok {
				s.Notify("The browser did not let the page copy. Select the text and copy it.")
				return
			}
			done()
		})
	}
}
