//go:build !js

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// script is an entry point among the modules of wasm/js. Each is bundled into one
// file, because browsers update a worker as a whole and authors copy one file.
type script struct {
	entry  string
	banner string
	format api.Format
}

var (
	appWorker = script{"app-worker.js", "// Sandtable's service worker, bundled from wasm/js.", api.FormatIIFE}
	// A classic script, so that another worker can import it.
	embedWorker = script{"embed-worker.js", "// Sandtable's worker, for any site: see README.md next to it.", api.FormatIIFE}
	pageModule  = script{"client/page.js", "// Sandtable's client for pages, an ES module: see README.md next to it.", api.FormatESModule}
	// A classic script: it has to run before the page's program is loaded.
	explorerScript = script{"client/explorer.js", "// The explorer's connection to the page that embeds Sandtable, bundled from wasm/js.", api.FormatIIFE}
	portScript     = script{"client/app-port.js", "// The explorer's port to its worker, bundled from wasm/js.", api.FormatIIFE}
	elementsModule = script{"elements/elements.js", "// Sandtable's elements for documentation pages, an ES module: see README.md next to it.", api.FormatESModule}
	nodeModule     = script{"client/nodejs.js", "// Sandtable for Node.js, an ES module: see README.md next to it.", api.FormatESModule}
)

// bundle joins the modules of a script. The engine's file name contains its hash, so
// another engine changes the script.
func (s script) bundle(in sources, engine string) ([]byte, error) {
	exec, err := os.ReadFile(in.exec)
	if err != nil {
		return nil, err
	}
	program, err := os.ReadFile(in.engine)
	if err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(in.worker)
	if err != nil {
		return nil, err
	}
	defines := map[string]string{}
	for name, value := range map[string]string{"VERSION": version, "PROGRAM": engine, "DIGEST": digest(program), "FILES": keptFiles, "PAGES": namesPages} {
		quoted, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		defines[name] = string(quoted)
	}
	platform := api.PlatformBrowser
	if s == nodeModule {
		platform = api.PlatformNode
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir: folder,
		EntryPoints:   []string{filepath.Join(folder, filepath.FromSlash(s.entry))},
		Bundle:        true,
		Format:        s.format,
		Platform:      platform,
		Target:        api.ES2022,
		Charset:       api.CharsetUTF8,
		LegalComments: api.LegalCommentsNone,
		Banner:        map[string]string{"js": s.banner},
		Define:        defines,
		Loader:        map[string]api.Loader{".css": api.LoaderText},
		Plugins:       []api.Plugin{wasmExec(exec), published(s)},
	})
	if len(result.Errors) > 0 {
		messages := api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage})
		return nil, fmt.Errorf("bundle %s: %s", s.entry, strings.TrimSpace(strings.Join(messages, "")))
	}
	return result.OutputFiles[0].Contents, nil
}

// published keeps the client out of other scripts for pages: all of a page's scripts
// use one sandtable.js.
func published(s script) api.Plugin {
	return api.Plugin{Name: "published", Setup: func(build api.PluginBuild) {
		if s == pageModule {
			return
		}
		build.OnResolve(api.OnResolveOptions{Filter: `/client/page\.js$`}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: "./sandtable.js", External: true}, nil
		})
	}}
}

// wasmExec provides the module "wasm_exec": Go's loader as a function of its global
// object. It is part of every script, so no file of another build can replace it.
func wasmExec(exec []byte) api.Plugin {
	const name = "wasm_exec"
	return api.Plugin{Name: name, Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: "^" + name + "$"}, func(api.OnResolveArgs) (api.OnResolveResult, error) {
			return api.OnResolveResult{Path: name, Namespace: name}, nil
		})
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: name}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
			contents := "export function loadGo(globalThis) {\n" + string(exec) + "\nreturn globalThis.Go;\n}\n"
			return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, nil
		})
	}}
}
