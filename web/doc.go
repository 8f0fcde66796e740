// Package web is the page: the shell with accounts and tables at the left, a
// table's entities in a grid, the panel in which one is edited, and the panel
// that says how to connect.
//
// It speaks HTTP, to the service worker's address or whatever else answers
// there, and knows neither the engine nor the server. [Routes] registers the
// pages with go-app, [Handler] configures what serves them; a main joins both
// with a service worker.
//
// One component, explorer, holds the state; the files page_*.go and panel_*.go
// draw its parts from it and say what their buttons do. What can be said
// without a component is said in packages of its own: draft, grid, remote,
// tableclient, ui.
//
// The state that a link must carry is in the query of the address (see
// [Place]), because a static host knows one path only.
package web
