//go:build !js

package control

import (
	"net/http"

	"sandtable/server/nethttp"
)

// ServeHTTP answers one request of a net/http server. A worker's Handler has no
// such method: it would link net/http.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { nethttp.Serve(h, w, r) }
