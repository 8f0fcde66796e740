package client

import (
	"context"
	"net/url"
	"syscall/js"

	"sandtable/odata/connection"
)

// pageOrigin returns the origin of the page, which CORS rules name; in Node.js
// there is none.
func pageOrigin() string {
	location := js.Global().Get("location")
	if location.IsUndefined() {
		return ""
	}
	return location.Get("origin").String()
}

// Diagnose returns why fetch got no answer from an address, which browsers hide. It
// tells an unreachable server from one blocked by CORS: a no-cors request succeeds
// if the server is up.
func (fetchTransport) Diagnose(ctx context.Context, address string) Reason {
	u, err := url.Parse(address)
	if err != nil {
		return Down
	}
	local := connection.IsLoopback(u.Host)
	if !local && js.Global().Get("location").Get("protocol").String() == "https:" && u.Scheme == "http" {
		return MixedContent
	}
	if !local && js.Global().Get("navigator").Get("onLine").Equal(js.ValueOf(false)) {
		return Offline
	}
	abort := js.Global().Get("AbortController").New()
	stop := context.AfterFunc(ctx, func() { abort.Call("abort") })
	defer stop()
	if _, err := await(js.Global().Call("fetch", address, map[string]any{"mode": "no-cors", "cache": "no-store", "signal": abort.Get("signal")})); err != nil {
		return Down
	}
	return CORSBlocked
}
