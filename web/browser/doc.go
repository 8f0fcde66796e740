// Package browser is what pages need of the browser around them: the clipboard,
// promises, events of the window, the keyboard's focus, storage that may be
// cleared at any time, its time zone, and whether the site's data is persistent.
//
// Natively, where pages are only rendered for a static host, everything is
// empty and nothing fails.
package browser
