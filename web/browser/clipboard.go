package browser

import "github.com/maxence-charriere/go-app/v10/pkg/app"

// CopyText copies a text to the clipboard and then calls done. Where the
// clipboard is absent, as on pages that are not secure, or refused, it copies
// a selection.
func CopyText(text string, done func(ok bool)) {
	clipboard := app.Window().Get("navigator").Get("clipboard")
	if !clipboard.Truthy() {
		done(copySelection(text))
		return
	}
	var copied, refused app.Func
	release := func() {
		copied.Release()
		refused.Release()
	}
	copied = app.FuncOf(func(app.Value, []app.Value) any {
		release()
		done(true)
		return nil
	})
	refused = app.FuncOf(func(app.Value, []app.Value) any {
		release()
		done(copySelection(text))
		return nil
	})
	clipboard.Call("writeText", text).Call("then", copied, refused)
}

// copySelection copies through a selected field.
func copySelection(text string) bool {
	document := app.Window().Get("document")
	if !document.Truthy() {
		return false
	}
	field := document.Call("createElement", "textarea")
	field.Set("value", text)
	field.Get("style").Set("position", "fixed")
	document.Get("body").Call("appendChild", field)
	defer field.Call("remove")
	field.Call("select")
	return document.Call("execCommand", "copy").Truthy()
}
