package editor

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/ui"
)

// Language decides about the colours.
type Language string

// The languages.
const (
	JavaScript Language = "js"
	HTTP       Language = "http"
)

// Editor is what a field for code shows.
type Editor struct {
	ID, Key   string // another key makes a new field, with Text
	Text      string
	Language  Language
	Label     string
	Described string // the id of a description
	ErrorLine int    // is marked until it is changed; 0 for none
}

// Draw draws the field. [ui.Text] finds the text in the event that onInput gets.
func (e Editor) Draw(onInput app.EventHandler) app.UI {
	return &ui.Keyed{Key: e.Key, Draw: func() app.UI {
		return app.Elem("code-editor").ID(e.ID).DataSet("language", string(e.Language)).DataSet("error-line", e.ErrorLine).DataSet("testid", "code").Body(
			app.Textarea().Aria("label", e.Label).Aria("describedby", e.Described).Spellcheck(false).OnInput(onInput).Body(app.Text(e.Text)))
	}}
}

// SelectLine selects a line of the field with an id and moves the focus there.
// The first is 1.
func SelectLine(id string, line int) {
	if field := app.Window().GetElementByID(id); field.Truthy() {
		field.Call("selectLine", line)
	}
}

// CaretLine returns the line of the caret, the first is 1.
func CaretLine(id string) int {
	if field := app.Window().GetElementByID(id); field.Truthy() {
		return field.Get("caretLine").Int()
	}
	return 1
}
