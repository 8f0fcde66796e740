// Package zipfile joins a few small text files into a ZIP archive, stored without
// compression. archive/zip does far more, and would add to the page's download.
package zipfile
