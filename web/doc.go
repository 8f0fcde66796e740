// Package web is the page: a shell (web/shell) around pages that each have a
// package of their own, named by their noun. [pages] is the list of them;
// adding a page adds a line there.
//
// The page speaks HTTP to whatever endpoint it shows, through web/client and
// web/control, and knows neither the engine nor the server. [Routes] registers it with go-app,
// [Handler] configures what serves it; a main joins both with a service worker.
//
// Pages import the contract in web/page, the components in web/ui and the logic
// in draft, grid, client, control and others, never each other or the shell; a test holds
// that. Logic has no components in it.
package web
