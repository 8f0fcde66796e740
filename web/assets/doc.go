// Package assets holds the page's styles, scripts and icons as files, for the
// programs that serve or write the web app. The page itself does not import it:
// it would only carry the files twice.
package assets
