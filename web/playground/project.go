package playground

import (
	"context"
	_ "embed"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/page"
	"sandtable/web/zipfile"
)

// The files of a Node.js project next to the program.
var (
	//go:embed node/package.json
	projectPackage string
	//go:embed node/README.md
	projectReadme string
	//go:embed node/tables.mjs
	projectTables string
)

const projectName = "sandtable-playground"

// project returns the files of a Node.js project that runs a program of the
// playground against the account of a connection string. Only the name of the
// module that it imports is another one.
func project(code string) []zipfile.File {
	program := withModule(code, "@azure/data-tables", "./tables.mjs")
	if !strings.Contains(program, "./tables.mjs") { // it may use fetch
		program = `import "./tables.mjs";` + "\n" + program
	}
	if !strings.HasSuffix(program, "\n") {
		program += "\n"
	}
	return []zipfile.File{
		{Name: projectName + "/package.json", Text: projectPackage},
		{Name: projectName + "/README.md", Text: projectReadme},
		{Name: projectName + "/index.mjs", Text: program},
		{Name: projectName + "/tables.mjs", Text: projectTables},
	}
}

// onSaveProject saves the program as a Node.js project, unless the sandbox refuses it:
// there is nothing in it that could not be tried here first.
func (p *Page) onSaveProject(app.Context, app.Event) {
	code := p.code
	promise := app.Window().Get("sandtablePlayground").Call("check", p.sandbox(), code)
	page.Background(p.ctx, func(context.Context) func() {
		_, err := browser.Await(promise)
		return func() {
			if err != nil {
				p.fail(err)
				return
			}
			p.failed = nil
			browser.SaveFile(projectName+".zip", "application/zip", zipfile.Pack(project(code)))
		}
	})
}

// withModule returns a program that imports one module instead of another.
func withModule(code, old, module string) string {
	var b strings.Builder
	for {
		i := strings.Index(code, old)
		if i < 0 {
			b.WriteString(code)
			return b.String()
		}
		b.WriteString(code[:i])
		if isImport(code[:i], code[i+len(old):]) {
			b.WriteString(module)
		} else {
			b.WriteString(old)
		}
		code = code[i+len(old):]
	}
}

// isImport reports whether what stands between these two parts of a program is the
// name of a module that it imports: a string after one of two words.
func isImport(before, after string) bool {
	quoted := false
	for _, quote := range []string{`"`, "'"} {
		if strings.HasSuffix(before, quote) && strings.HasPrefix(after, quote) {
			quoted = true
		}
	}
	if !quoted {
		return false
	}
	before = strings.TrimRight(before[:len(before)-1], " \t\r\n")
	for _, word := range []string{"from", "import"} {
		if rest, ok := strings.CutSuffix(before, word); ok {
			return rest == "" || !strings.ContainsAny(rest[len(rest)-1:], wordCharacters)
		}
	}
	return false
}

const wordCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$"
