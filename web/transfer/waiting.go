package transfer

import (
	"slices"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/humanize"
	"sandtable/web/tabular"
	"sandtable/web/ui"
)

// take opens the first of these files, and puts the others ahead of those that wait. While
// an import is running, all of them wait, behind the others.
func (p *Import) take(files []browser.File) {
	if len(files) == 0 {
		return
	}
	r := p.run()
	if r != nil && r.report == nil {
		r.waiting = append(r.waiting, files...)
		p.Session.Notify("Waiting for the import of " + r.name + ": " + fileNames(files))
		return
	}
	p.waiting = append(slices.Clone(files[1:]), p.rest()...)
	delete(p.desk, p.place())
	p.open(files[0], tabular.Detect)
}

// rest returns the files that wait. A run keeps them when the page is left.
func (p *Import) rest() []browser.File {
	if r := p.run(); r != nil {
		return r.waiting
	}
	return p.waiting
}

// onNext opens the next of the files that wait.
func (p *Import) onNext(app.Context, app.Event) {
	files := p.rest()
	delete(p.desk, p.place())
	p.waiting = nil
	p.take(files)
}

// drawNext draws the button that opens the next file, or nothing if none waits.
func (p *Import) drawNext(label string) app.UI {
	if len(p.rest()) == 0 {
		return app.Span().Hidden(true)
	}
	return ui.Button(ui.Plain, label, p.onNext).DataSet("testid", "next-file")
}

// andNext adds the files that wait to the facts about the present one.
func (p *Import) andNext(facts string) string {
	if files := p.rest(); len(files) > 0 {
		return facts + " · next: " + fileNames(files)
	}
	return facts
}

// fileNames names the first of these files, and says how many more there are.
func fileNames(files []browser.File) string {
	if more := len(files) - 1; more > 0 {
		return files[0].Name + " and " + humanize.Number(more) + " more"
	}
	return files[0].Name
}
