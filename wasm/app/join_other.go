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

// firstScripts run before the page is painted: the one that repairs pages whose other
// files are gone, and the one that sets the theme.
var firstScripts = []string{"/web/js/parts.js", "/web/js/theme.js"}

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
	code, err := shortened(name, all.String(), loader)
	if err != nil {
		return "", err
	}
	return "/" + s.hash(name, code), nil
}

// shortened removes comments and indentation.
func shortened(name, code string, loader api.Loader) ([]byte, error) {
	result := api.Transform(code, api.TransformOptions{
		Loader: loader, MinifyWhitespace: true, Target: api.ES2022, Charset: api.CharsetUTF8, LegalComments: api.LegalCommentsNone,
	})
	if len(result.Errors) > 0 {
		return nil, fmt.Errorf("%s: %s", name, result.Errors[0].Text)
	}
	return result.Code, nil
}

// inline puts the first scripts into the pages, before the style sheet, for which they
// would wait. On a slow line, a file of its own takes a round trip or two, and nothing
// is painted meanwhile. The server allows these scripts by their hashes.
func (s site) inline(pages []string) error {
	const styles = `    <link href="./web/css/`
	var scripts bytes.Buffer
	for _, name := range firstScripts {
		code, err := shortened(name, string(s[name[1:]]), api.LoaderJS)
		if err != nil {
			return err
		}
		fmt.Fprintf(&scripts, "    <script>%s</script>\n", bytes.TrimSpace(code))
	}
	for _, page := range pages {
		for _, name := range firstScripts {
			s[page] = bytes.Replace(s[page], fmt.Appendf(nil, "    <script src=\".%s\"></script>\n", name), nil, 1)
		}
		if !bytes.Contains(s[page], []byte(styles)) {
			return fmt.Errorf("%s has no %s", page, styles)
		}
		s[page] = bytes.Replace(s[page], []byte(styles), append(scripts.Bytes(), styles...), 1)
	}
	for _, name := range firstScripts {
		delete(s, name[1:])
	}
	return nil
}
