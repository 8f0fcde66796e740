package shell

import (
	"errors"
	"maps"
	"slices"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/control"
	"sandtable/web/remote"
	"sandtable/web/ui"
)

// Exhibits shows the parts of the frame in each of their states.
func Exhibits() []ui.Exhibit {
	return []ui.Exhibit{{Name: "Account with faults", Draw: func() []app.UI {
		return []app.UI{drawAccountItem(control.Account{Name: "classroom", Faults: true}), drawAccountItem(control.Account{Name: "devstoreaccount1"})}
	}}, {Name: "Pills", Draw: pillExhibit}, {Name: "Banners", Draw: bannerExhibit}, {Name: "No engine", Draw: bootExhibit}}
}

func pillExhibit() []app.UI {
	var pills []app.UI
	for _, state := range []remote.Value[control.Status]{
		{}, remote.Of(control.Status{Build: "1", Store: "indexeddb"}), remote.Of(control.Status{Build: "1", Store: "memory"}),
		remote.Value[control.Status]{}.Answered(control.Status{}, errors.New("no answer")),
	} {
		mood, words, details := pillOf(state, health{})
		pills = append(pills, ui.Pill(mood, words, details))
	}
	return pills
}

func bannerExhibit() []app.UI {
	var all []app.UI
	for _, h := range []health{
		{unreachable: errBypassed, full: true, emptied: true, mixed: true},
		{update: readyUpdate}, {update: activating}, {update: activated},
	} {
		all = append(all, (&Shell{health: h}).banners()...)
	}
	return []app.UI{ui.Banners(all)}
}

func bootExhibit() []app.UI {
	var all []app.UI
	for _, reason := range slices.Sorted(maps.Keys(startProblems)) {
		all = append(all, new(Shell).drawBootError(&client.ServiceError{Status: 503, Message: "What is the case, and what can be done.", Reason: reason}))
	}
	return all
}
