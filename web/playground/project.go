package playground

import (
	_ "embed"
	"regexp"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
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

// sdkImport matches where a program imports the SDK.
var sdkImport = regexp.MustCompile(`\b((?:from|import)\s*)(["'])@azure/data-tables["']`)

// project returns the files of a Node.js project that runs a program of the
// playground against the account of a connection string. Only the name of the
// module that it imports is another one.
func project(code string) []zipfile.File {
	program := sdkImport.ReplaceAllString(code, `${1}${2}./tables.mjs${2}`)
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

// onSaveProject saves the program as a Node.js project.
func (p *Page) onSaveProject(app.Context, app.Event) {
	var file browser.Download
	_, _ = file.Write(zipfile.Pack(project(p.code))) // never fails
	file.Save(projectName+".zip", "application/zip")
}
