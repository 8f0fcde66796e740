package jshttp

import (
	"net/http"
	"syscall/js"
)

// Func returns the function that the script calls for each fetch,
//
//	handle(id, head, body)
//
// with a text and an Uint8Array or null. It returns at once; a goroutine asks
// the handler and then calls
//
//	settle(id, status, head, body)
//
// exactly once, with an Uint8Array or null for the body. The caller releases
// the function.
func Func(h http.Handler, settle js.Value, log func(panicked any)) js.Func {
	array := js.Global().Get("Uint8Array")
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		id, head, body := args[0], args[1].String(), bytesOf(args[2])
		go func() {
			response := Answer(h, head, body, log)
			settle.Invoke(id, response.Status, response.Head, arrayOf(array, response.Body))
		}()
		return nil
	})
}

// bytesOf copies an Uint8Array; null is no bytes.
func bytesOf(value js.Value) []byte {
	if value.IsNull() {
		return nil
	}
	b := make([]byte, value.Length())
	js.CopyBytesToGo(b, value)
	return b
}

// arrayOf copies bytes into a new Uint8Array; no bytes are null, which every
// status allows as a body.
func arrayOf(array js.Value, b []byte) js.Value {
	if len(b) == 0 {
		return js.Null()
	}
	value := array.New(len(b))
	js.CopyBytesToJS(value, b)
	return value
}
