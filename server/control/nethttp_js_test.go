package control

import (
	"net/http"

	"sandtable/server/nethttp"
)

// ServeHTTP is for the tests, which use net/http clients on every platform.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { nethttp.Serve(h, w, r) }
