package course

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/client"
	"sandtable/web/lesson"
)

// FromArg is the argument of a route that names another site's course.
const FromArg = "from"

// fetched are the courses that this page has read, by their addresses.
var fetched = map[string][]lesson.Lesson{}

// Known returns a course that was fetched before.
func Known(base, from string) []lesson.Lesson { return fetched[addressOf(base, from)] }

// Fetch returns the lessons of a course: ours, which is among the app's files, or
// the one at the address from.
func Fetch(ctx context.Context, base, from string) ([]lesson.Lesson, error) {
	address := addressOf(base, from)
	if all := fetched[address]; all != nil {
		return all, nil
	}
	switch u, err := url.Parse(address); {
	case err != nil || u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("lessons are at an address that begins with https")
	case strings.ContainsFunc(u.Host, func(c rune) bool { return c > '~' }):
		// The page shows the host, by which readers know whose lessons they read.
		return nil, fmt.Errorf("the address of the lessons has letters of other scripts: write its host as xn--…")
	}
	answer, err := client.DefaultTransport().Do(ctx, client.Request{Method: "GET", URL: address, Limit: lesson.MaxCourse})
	switch {
	case errors.Is(err, client.ErrTooLong):
		err = fmt.Errorf("a course has at most %d MiB", lesson.MaxCourse>>20)
	case errors.Is(err, client.ErrNoAnswer) && from == "":
		err = errOffline
	case errors.Is(err, client.ErrNoAnswer):
		err = errBlocked
	case err == nil && answer.Status != 200:
		err = fmt.Errorf("the answer is %d", answer.Status)
	}
	var all []lesson.Lesson
	if err == nil {
		all, err = lesson.Unpack(answer.Body, languages())
	}
	if err != nil {
		return nil, fmt.Errorf("the lessons at %s cannot be opened: %w", address, err)
	}
	fetched[address] = all
	if from == "" {
		count(len(all))
	} else {
		browser.Save(lastName, from)
	}
	return all, nil
}

// Browsers do not say why there is no answer. The errors do not wrap that of the
// client, which pages show as one of the endpoint.
var (
	errOffline = errors.New("this browser is offline, or the site does not answer")
	errBlocked = errors.New("this browser is offline, or the site does not allow other sites to read it (no Access-Control-Allow-Origin)")
)

func addressOf(base, from string) string {
	if from == "" {
		return base + "web/lessons.json"
	}
	there, err := url.Parse(base)
	if err == nil {
		if u, err := there.Parse(from); err == nil {
			return u.String()
		}
	}
	return from
}

// languages returns those that the reader prefers, the first one first.
func languages() (all []string) {
	list := app.Window().Get("navigator").Get("languages")
	if !list.Truthy() {
		return nil
	}
	for i := range list.Length() {
		all = append(all, list.Index(i).String())
	}
	return all
}
