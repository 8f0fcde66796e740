package course

import (
	"net/url"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
)

// lastName is where the address of another site's course, the one opened last, is
// in localStorage.
const lastName = "sandtable course"

// Last returns the address of another site's course that was opened last in this
// browser, "" for none.
func Last() string {
	from, _ := browser.Load(lastName, func(from string) bool { return from != "" && len(from) <= 2000 })
	return from
}

// Forget forgets the course that Last returns. Its progress stays.
func Forget(base string) {
	delete(fetched, addressOf(base, Last())) // so that it is remembered when it is opened again
	browser.Forget(lastName)
}

// Site returns the host that a course comes from.
func Site(base, from string) string {
	address := addressOf(base, from)
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}

// Source says from which site a course is, if it is not ours.
func Source(base, from string) app.UI {
	if from == "" {
		return app.Div().Hidden(true)
	}
	return app.P().Class("lessons-source").Lang("en").Title(addressOf(base, from)).DataSet("testid", "lessons-source").Body(
		app.Text("Lessons from "), app.B().Text(Site(base, from)))
}
