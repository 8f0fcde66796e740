//go:build !js

package server

import (
	"net/http"

	"sandtable/server/nethttp"
)

// ServeHTTP answers one request of a server of net/http. A worker's Handler
// has no such method: it would bring net/http along.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { nethttp.Serve(h, w, r) }
