package course

import (
	"context"
	"fmt"
	"net/url"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

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
	if u, err := url.Parse(address); err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("lessons are at an address that begins with https")
	}
	answer, err := client.DefaultTransport().Do(ctx, client.Request{Method: "GET", URL: address, Limit: lesson.MaxCourse})
	if err != nil {
		return nil, fmt.Errorf("the lessons cannot be fetched from %s: %w", address, err)
	}
	if answer.Status != 200 {
		return nil, fmt.Errorf("the lessons cannot be fetched from %s: the answer is %d", address, answer.Status)
	}
	all, err := lesson.Unpack(answer.Body, languages())
	if err == nil {
		fetched[address] = all
		if from == "" {
			count(len(all))
		}
	}
	return all, err
}

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
