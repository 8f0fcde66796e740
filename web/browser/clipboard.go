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

// CopyLater copies the text that is given later and then calls done. It asks for the
// clipboard at once: WebKit grants it only in a click, others only shortly after one. If
// an error is given instead, the clipboard stays as it is, and done is not called.
func CopyLater(done func(ok bool)) (give func(text string, err error)) {
	clipboard, item := app.Window().Get("navigator").Get("clipboard"), app.Window().Get("ClipboardItem")
	if !clipboard.Truthy() || !item.Truthy() {
		return func(text string, err error) {
			if err == nil {
				CopyText(text, done)
			}
		}
	}
	var resolve, reject app.Value
	executor := app.FuncOf(func(_ app.Value, args []app.Value) any {
		resolve, reject = args[0], args[1]
		return nil
	})
	promise := app.Window().Get("Promise").New(executor)
	executor.Release()
	outcome := make(chan bool, 1)
	var copied, refused app.Func
	settle := func(ok bool) app.Func {
		return app.FuncOf(func(app.Value, []app.Value) any {
			copied.Release()
			refused.Release()
			outcome <- ok
			return nil
		})
	}
	copied, refused = settle(true), settle(false)
	clipboard.Call("write", []any{item.New(map[string]any{"text/plain": promise})}).Call("then", copied, refused)
	return func(text string, err error) {
		if err != nil {
			reject.Call("call", nil, app.Window().Get("Error").New(err.Error()))
			return
		}
		resolve.Call("call", nil, app.Window().Get("Blob").New([]any{text}, map[string]any{"type": "text/plain"}))
		go func() {
			if <-outcome {
				done(true)
				return
			}
			CopyText(text, done)
		}()
	}
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
