// Package shell is the frame around the pages: the top bar, the sidebar with
// accounts and tables, the tabs, messages and questions. It finds the engine,
// keeps an eye on its worker, follows the address, mounts the page that the
// [page.Route] names, and is that page's [page.Session].
//
// It knows pages only by their definitions.
package shell
