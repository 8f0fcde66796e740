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
// files are gone, which keeps its name for ever and so is still there, and the one
// that sets the theme.
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
	result := api.Transform(all.String(), api.TransformOptions{
		Loader: loader, MinifyWhitespace: true, Target: api.ES2022, Charset: api.CharsetUTF8, LegalComments: api.LegalCommentsNone,
	})
	if len(result.Errors) > 0 {
		return "", fmt.Errorf("%s: %s", name, result.Errors[0].Text)
	}
	return "/" + s.hash(name, result.Code), nil
}
