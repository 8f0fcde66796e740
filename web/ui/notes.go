package ui

import (
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Error draws a refusal or a failure in the place where it happened: the
// service's status and code if there are any, what it says, and what can be done. It is
// read out as soon as it appears.
func Error(code, message string, actions ...app.UI) app.HTMLDiv {
	var head app.UI
	if code != "" {
		head = Span("code-name", code)
	}
	return note("note error", head, message, actions)
}

// Notice draws something to decide on, with what can be done.
func Notice(title, message string, actions ...app.UI) app.HTMLDiv {
	return note("note notice", app.B().Text(title), message, actions)
}

func note(class string, head app.UI, message string, actions []app.UI) app.HTMLDiv {
	body := []app.UI{head, app.Span().Text(message)}
	if len(actions) > 0 {
		body = append(body, Div("row", actions...))
	}
	return app.Div().Class(class).Role("alert").Body(body...)
}

// Problem draws what is wrong with a field, next to it.
func Problem(text string) app.UI {
	return app.Div().Class("problem").Role("alert").Text(Sentence(text))
}

// Sentence returns the text with its first letter in upper case.
func Sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Empty draws a place in which there is nothing yet, and what to do about it.
func Empty(icon IconName, title, text string, actions ...app.UI) app.HTMLDiv {
	body := []app.UI{Icon(icon), app.H2().Text(title), app.P().Text(text)}
	if len(actions) > 0 {
		body = append(body, Div("row", actions...))
	}
	return Div("empty", body...)
}

// Bones draws the outline of lines that are on their way.
func Bones(lines int) app.UI {
	bones := []app.UI{Span("sr-only", "Loading")}
	for range lines {
		bones = append(bones, app.I())
	}
	return app.Div().Class("bones").Aria("busy", true).Body(bones...)
}

// Progress draws a moving line at the upper edge, but not in the first moments.
func Progress() app.HTMLDiv {
	return app.Div().Class("progress").Role("progressbar").Aria("label", "Loading")
}

// Mood is what a pill says by its colour.
type Mood string

// The moods.
const (
	Good Mood = "good"
	Wait Mood = "wait"
	Bad  Mood = "bad"
)

// Pill draws a state in a few words; details are shown when the pointer rests on it.
func Pill(mood Mood, words, details string) app.HTMLSpan {
	return app.Span().Class("pill", string(mood)).Role("status").Title(details).
		Body(Span("words", words))
}

// PillButton draws a state that says more when it is pressed.
func PillButton(mood Mood, words, details string, expanded bool, h app.EventHandler) app.HTMLButton {
	return app.Button().Type("button").Class("pill", string(mood)).Title(details).Aria("label", words).Aria("expanded", expanded).OnClick(h).
		Body(app.Span().Class("words").Role("status").Text(words))
}

// Banners draws what concerns the page as a whole above everything else.
func Banners(all []app.UI) app.UI { return Div("banners", all...) }

// Banner draws one of them: what is so, what that means, and what can be done.
// What is bad is read out at once, other things when there is a pause.
func Banner(mood Mood, title, text string, actions ...app.UI) app.HTMLDiv {
	role := "status"
	if mood == Bad {
		role = "alert"
	}
	body := []app.UI{app.P().Body(app.B().Text(title), app.Text(" "+text))}
	return app.Div().Class("banner", string(mood)).Role(role).DataSet("testid", "banner").Body(append(body, actions...)...)
}

// Problems draws what is in the way of everything, in words, with ways out.
func Problems(title, message string, actions ...app.UI) app.HTMLDiv {
	return note("note error", app.B().Text(title), message, actions)
}

// Fact is a line of [Facts].
type Fact struct{ Name, Value string }

// Facts draws names and values, one pair a line.
func Facts(all []Fact) app.UI {
	var body []app.UI
	for _, f := range all {
		body = append(body, app.Dt().Text(f.Name), app.Dd().Text(f.Value))
	}
	return app.Dl().Class("facts").Body(body...)
}

// Toast is a message about what was done, for a while.
type Toast struct {
	ID     int
	Text   string
	Action string // what its button does, such as "Undo"; "" for none
}

// Draw draws the message. Each one has elements of its own, so that the focus does not
// pass from one that goes away to the next. The handlers find which one they are about
// with [Data](e, "toast").
func (t Toast) Draw(act, dismiss app.EventHandler) app.UI {
	return &Keyed{Key: strconv.Itoa(t.ID), Draw: func() app.UI { return t.draw(act, dismiss) }}
}

func (t Toast) draw(act, dismiss app.EventHandler) app.UI {
	line := []app.UI{app.Span().Text(t.Text)}
	if t.Action != "" {
		line = append(line, app.Button().Type("button").Class("btn act").DataSet("testid", "toast-action").
			OnClick(act).Text(
			t.Action))
	}
	line = append(line, IconButton(Square, IconClose, "Dismiss", dismiss))
	return app.Div().Class("toast").DataSet("toast", t.ID).Body(line...)
}

// Toasts draws messages over the page and has them read out.
func Toasts(all []Toast, act, dismiss app.EventHandler) app.UI {
	var body []app.UI
	for _, t := range all {
		body = append(body, t.Draw(act, dismiss))
	}
	return app.Div().Class("toasts").Role("status").Aria("live", "polite").Body(body...)
}

// Question is something that must be answered before the page continues.
type Question struct {
	Title   string
	Text    string // what will be lost
	Confirm string // what the button does

	// Choice is a tick that the user can change, with a label; nil for none.
	Choice *bool
	Label  string
}

// AskID is the id of the dialog, for showModal.
const AskID = "ask"

// Ask draws a question as a dialog, which the caller then shows as a modal one.
func Ask(q Question, confirm, cancel app.EventHandler) app.HTMLDialog {
	body := []app.UI{app.H2().ID("ask-title").Text(q.Title), app.P().ID("ask-text").Text(q.Text)}
	if q.Choice != nil {
		body = append(body, app.Label().Class("check").Body(
			app.Input().Type("checkbox").Checked(*q.Choice).DataSet("testid", "ask-choice").
				OnChange(func(_ app.Context, e app.Event) { *q.Choice = e.Get("target").Get("checked").Bool() }),
			app.Text(q.Label)))
	}
	body = append(body, Div("row",
		Button(Plain, "Cancel", cancel).AutoFocus(true).DataSet("testid", "cancel"),
		Button(Danger, q.Confirm, confirm).DataSet("testid", "confirm"),
	))
	return app.Dialog().ID(AskID).Class("ask").Role("alertdialog").Aria("labelledby", "ask-title").Aria("describedby", "ask-text").
		On("cancel", cancel).Body(Div("inside", body...))
}

// Copyable draws a text with a button that copies it. The handler finds the
// text's name with [Data](e, "copy").
func Copyable(name, label, text string, copied bool, h app.EventHandler) app.HTMLDiv {
	return CopyableOf(name, label, copied, h, app.Text(text))
}

// CopyableOf is [Copyable] for a text in several parts.
func CopyableOf(name, label string, copied bool, h app.EventHandler, text ...app.UI) app.HTMLDiv {
	icon, words := IconCopy, "Copy"
	if copied {
		icon, words = IconDone, "Copied"
	}
	button := app.Button().Type("button").Class("btn small quiet").DataSet("copy", name).Aria("label", words+" "+label).
		OnClick(h).Body(Icon(icon), app.Text(words))
	return Div("copyable",
		Div("label", app.Span().Text(label), app.Span().Class("grow"), button),
		app.Pre().TabIndex(0).DataSet("testid", name).Body(text...),
	)
}
