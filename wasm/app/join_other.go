//go:build !js

package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// firstScripts run before the page is painted: the ones that repair pages whose other
// files are gone, set the theme, and repair the address. The web app has them in its
// pages. The explorer of an embedding site loads them, because its policy allows only files.
var firstScripts = []string{"/web/js/parts.js", "/web/js/theme.js", "/web/js/address.js"}

// join makes one file of a page's styles and one of the scripts that can wait: on a
// slow line, each file is a round trip.
func (s site) join(handler *app.Handler) error {
	styles, err := s.joined("web/css/page.css", handler.Styles, api.LoaderCSS)
	if err != nil {
		return err
	}
	first := func(name string) bool { return slices.Contains(firstScripts, name) }
	scripts, err := s.joined("web/js/page.js", slices.DeleteFunc(slices.Clone(handler.Scripts), first), api.LoaderJS)
	if err != nil {
		return err
	}
	handler.Styles, handler.Scripts = []string{styles}, append(slices.Clone(firstScripts), scripts+" defer")
	return nil
}

// joined replaces files by one without comments and indentation, whose name contains
// its hash, and returns its address.
func (s site) joined(name string, files []string, loader api.Loader) (string, error) {
	var all bytes.Buffer
	for _, file := range files {
		file = strings.TrimPrefix(file, "/")
		content, ok := s[file]
		if !ok {
			return "", fmt.Errorf("the page needs %s, which is missing", file)
		}
		all.Write(content)
		all.WriteByte('\n')
		delete(s, file)
	}
	code, err := minified(name, all.String(), loader)
	if err != nil {
		return "", err
	}
	return "/" + s.hash(name, code), nil
}

// inlineStyles puts the joined style sheet into the pages: nothing is painted before it
// is there, and as a file it takes a round trip more.
func (s site) inlineStyles(handler *app.Handler) {
	for _, name := range handler.Styles {
		name = strings.TrimPrefix(name, "/")
		handler.RawHeaders = append(handler.RawHeaders, fmt.Sprintf("<style>%s</style>", bytes.TrimSpace(s[name])))
		delete(s, name)
	}
	handler.Styles = nil
}

// minified returns code without comments and indentation.
func minified(name, code string, loader api.Loader) ([]byte, error) {
	result := api.Transform(code, api.TransformOptions{
		Loader: loader, MinifyWhitespace: true, Target: api.ES2022, Charset: api.CharsetUTF8, LegalComments: api.LegalCommentsNone,
	})
	if len(result.Errors) > 0 {
		return nil, fmt.Errorf("%s: %s", name, result.Errors[0].Text)
	}
	return result.Code, nil
}

// inlined returns the replacements that put the first scripts into the pages, before
// everything else. On a slow line, a file of its own takes a round trip or two, and
// nothing is painted meanwhile. The server allows these scripts by their hashes. The
// files themselves are removed.
func (s site) inlined(pages []string) (all []replacement, err error) {
	const start = `<meta charset="UTF-8">`
	scripts := start
	for _, name := range firstScripts {
		code, err := minified(name, string(s[name[1:]]), api.LoaderJS)
		if err != nil {
			return nil, err
		}
		scripts += fmt.Sprintf("\n    <script>%s</script>", bytes.TrimSpace(code))
		for _, page := range pages {
			all = append(all, replacement{page, fmt.Sprintf("    <script src=%q></script>\n", name), ""})
		}
		delete(s, name[1:])
	}
	for _, page := range pages {
		all = append(all, replacement{page, start, scripts})
	}
	return all, nil
}
