package lessons

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/course"
	"sandtable/web/lesson"
	"sandtable/web/ui"
)

// exhibits is the list without what needs a session.
func exhibits() []ui.Exhibit {
	return []ui.Exhibit{{Name: "Lessons", Draw: func() []app.UI {
		all := []lesson.Lesson{
			{Name: "one", Title: "Entities and types", Group: "Basics", Minutes: 5, Steps: make([]lesson.Step, 2)},
			{Name: "two", Title: "Keys and partitions", Group: "Basics", Minutes: 7, Teaches: "Two keys make an entity unique.", Steps: []lesson.Step{{Title: "One"}, {Title: "Two"}}},
			{Name: "three", Title: "Filters by type", Group: "Queries", Minutes: 8, Steps: make([]lesson.Step, 5)},
		}
		progress := course.Progress{Done: map[string]course.Done{"one": {Steps: []bool{true, true}, Total: 2}, "two": {Steps: []bool{true, false}, Total: 2}}}
		finished := course.Progress{Done: map[string]course.Done{"one": {Steps: []bool{true, true}, Total: 2}}}
		return []app.UI{(&Page{progress: progress}).drawCourse(all), (&Page{progress: finished}).drawCourse(all[:1])}
	}}}
}
