package server

import (
	"net/http"

	"sandtable/server/nethttp"
)

// ServeHTTP is here for the tests, which are clients of net/http on every
// platform.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { nethttp.Serve(h, w, r) }
