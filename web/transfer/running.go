package transfer

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/bulk"
	"sandtable/web/client"
	"sandtable/web/humanize"
	"sandtable/web/page"
	"sandtable/web/tabular"
	"sandtable/web/ui"
)

func (p *Import) onStart(app.Context, app.Event) {
	for _, rows := range p.writes {
		for i := range rows {
			rows[i].Write = p.write
		}
	}
	r := newRun(p.client(), p.target(), p.writes)
	r.name, r.source, r.write, r.create = p.file.Name, p.source, p.write, p.Route.Table == ""
	r.problems, r.skipped, r.waiting = p.plan.Problems, p.plan.ProblemRows(), p.waiting
	p.source, p.plan, p.writes, p.waiting = nil, tabular.Plan{}, nil, nil
	p.counting.stop()
	p.begin(r)
}

// onRest writes what an import has left.
func (p *Import) onRest(app.Context, app.Event) { p.begin(p.run().again(p.client())) }

// begin starts a run, which goes on without the page.
func (p *Import) begin(r *run) {
	session, route := p.Session, p.Route
	p.desk[p.place()] = r
	c, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	stay := browser.AskToStay()
	session.Background(func(context.Context) func() {
		start := time.Now()
		unsaved := takeSnapshot(c, session, route.Account, r.name)
		report := r.perform(c)
		took := time.Since(start)
		return func() {
			cancel()
			stay()
			r.unsaved = unsaved
			r.end(report, took)
			session.WroteTo(route.Account)
			if !r.shown {
				session.Offer(summary(r), "Report", func() { session.Navigate(route) })
			}
		}
	})
	p.follow()
	browser.Focus(p.ctx, dialogID)
}

// takeSnapshot names the state before an import of a file. If it fails,
// the import runs nevertheless, and its report gives the reason.
func takeSnapshot(c context.Context, session page.Session, account, file string) error {
	if _, connected := session.Connected(account); connected {
		return nil
	}
	name := []rune("before import of " + file)
	_, err := session.Control().TakeSnapshot(c, account, string(name[:min(len(name), 100)]), "import")
	return err
}

// follow shows the page's import while it is running.
func (p *Import) follow() {
	r := p.run()
	if r == nil {
		return
	}
	r.shown = true
	page.Follow(p.ctx, func() bool { return p.run() == r && r.report == nil })
}

func (p *Import) onCancel(app.Context, app.Event) {
	if r := p.run(); r != nil {
		r.cancelled = true
		r.cancel()
	}
}

// drawRunning draws how far an import is.
func (p *Import) drawRunning(r *run) app.UI {
	s := r.state()
	done := s.Written + s.Refused
	parts, complete := fill(r.partitions, s.Transactions)
	fraction := float64(done) / float64(max(1, r.rows))
	content := []app.UI{
		ui.Div("count",
			app.B().DataSet("testid", "written").Text(humanize.Number(s.Written)),
			ui.Span("hint grow", "of "+humanize.Count(r.rows, "entity", "entities")),
			app.B().Text(strconv.Itoa(int(100*fraction))+" %")),
		ui.Track("Import", fraction),
		ui.Div("tiles",
			tile("Rate", humanize.Number(int(s.rate))+" rows/s", "", spark(s.rates)),
			tile("Remaining", about(s.remaining), exactly(s.elapsed)+" so far"),
			tile("Transactions", humanize.Number(s.Transactions)+" / "+humanize.Number(len(r.job.Transactions)), "each is all or nothing"),
			tile("Skipped", humanize.Number(r.skipped+s.Refused), skippedText(r.skipped, s.Refused))),
		caption("Partitions"), strip(r.partitions, parts),
		ui.Div("ends",
			app.Span().Text(fmt.Sprintf("%s of %s complete", humanize.Number(complete), humanize.Number(len(r.partitions)))),
			app.Span().Text(nowText(s.Progress))),
		ui.P("hint", "Cancel stops after the transactions in progress. What is written stays; the report lists the rows that are not."),
	}
	cancel := "Cancel"
	if r.cancelled {
		cancel = "Stopping…"
	}
	return sheet(ui.IconFile, "Importing "+r.name+" into "+r.table,
		humanize.Count(r.rows, "entity", "entities")+" in "+humanize.Count(len(r.job.Transactions), "transaction", "transactions")+" · "+writeLabel(r.write)+p.andNext(" · you can keep working meanwhile"),
		p.onClose, content, []app.UI{
			ui.Span("hint grow", "only durable rows are counted"),
			ui.Button(ui.Plain, "Run in the background", p.onClose).DataSet("testid", "background"),
			ui.Button(ui.Danger, cancel, p.onCancel).Disabled(r.cancelled).DataSet("testid", "cancel-import")})
}

func skippedText(planned, refused int) string {
	if refused == 0 {
		return "by the dry run"
	}
	return humanize.Number(planned) + " by the dry run, " + humanize.Number(refused) + " refused"
}

func nowText(p bulk.Progress) string {
	if p.Transactions == 0 {
		return ""
	}
	return "now " + p.Partition
}

// summary is the result of an import in a sentence.
func summary(r *run) string {
	x := r.report
	text := "Imported " + humanize.Count(len(x.Written), "entity", "entities") + " into " + r.table
	if skipped := r.skipped + len(x.Refused); skipped > 0 {
		text += ", skipped " + humanize.Number(skipped)
	}
	if len(x.Left) > 0 {
		text += ", " + humanize.Number(len(x.Left)) + " left"
	}
	return text
}

// drawReport accounts for every row of an import that has ended.
func (p *Import) drawReport(r *run) app.UI {
	x := r.report
	title := "Imported " + r.name + " into " + r.table
	content := []app.UI{app.Div().Class("tiles").DataSet("testid", "report").Body(
		tile("Written", humanize.Number(len(x.Written)), "in "+exactly(r.ended)),
		tile("Refused", humanize.Number(len(x.Refused)), "by the service"),
		tile("Skipped", humanize.Number(r.skipped), "by the dry run"),
		tile("Left", humanize.Number(len(x.Left)), "not tried"))}
	switch {
	case errors.Is(x.Err, context.Canceled):
		title = "Import of " + r.name + " cancelled"
		content = append(content, app.P().Text("What is written stays. The rows that are left were not sent."))
	case client.HasCode(x.Err, client.CodeTableNotFound):
		title = "Import of " + r.name + " stopped"
		content = append(content, ui.Failure(x.Err),
			app.P().Text("The table was deleted, with what was written to it. Create it again, and import the whole file."))
	case x.Err != nil:
		title = "Import of " + r.name + " stopped"
		content = append(content, ui.Failure(x.Err),
			app.P().Text("What is written stays. Some of the rows that are left may have been written, if the answer was lost: an upsert of them does no harm."))
	}
	if r.unsaved != nil && !errors.Is(r.unsaved, context.Canceled) {
		content = append(content, app.P().Text("There is no snapshot of the account before this import: "+r.unsaved.Error()))
	}
	if rows := len(r.lines()); rows > 0 {
		content = append(content, problemTable(r.source.Unit(), reportProblems(r), len(r.problems)+len(x.Refused), app.Span().Hidden(true)),
			ui.Div("row",
				ui.Button(ui.Plain, "Download the "+humanize.Count(rows, "row", "rows")+" not imported", p.onDownloadRest).DataSet("testid", "download-rest"),
				ui.Button(ui.Plain, "Download the report", p.onDownloadReport).DataSet("testid", "download-report")))
	}
	table := page.Route{Account: p.Route.Account, Table: r.table}
	another := app.UI(ui.Button(ui.Quiet, "Import another file", p.onAnother))
	if len(r.waiting) > 0 {
		another = p.drawNext("Next file")
	}
	buttons := []app.UI{another, app.Span().Class("grow")}
	if len(x.Left) > 0 {
		buttons = append(buttons, ui.Button(ui.Plain, "Import the "+humanize.Number(len(x.Left))+" left", p.onRest).DataSet("testid", "import-rest"))
	}
	buttons = append(buttons, app.A().Class(string(ui.Primary)).Href(table.Href()).DataSet("testid", "done").Text("Open "+r.table))
	return sheet(ui.IconFile, title, p.andNext(summary(r)), p.onClose, content, buttons)
}

// onAnother forgets the report.
func (p *Import) onAnother(app.Context, app.Event) {
	delete(p.desk, p.place())
	p.source, p.err, p.file, p.table = nil, nil, browser.File{}, ""
}

// reportProblems returns why rows were not imported, the first of them.
func reportProblems(r *run) []tabular.Problem {
	var all []tabular.Problem
	for _, refused := range r.report.Refused[:min(len(r.report.Refused), fewLines)] {
		all = append(all, refusedProblem(refused))
	}
	return append(all, r.problems[:min(len(r.problems), fewLines-len(all))]...)
}

func (p *Import) onDownloadRest(app.Context, app.Event) {
	r := p.run()
	p.save(r.source.ExtractName(r.name, "not-imported"), "text/plain;charset=utf-8", r.source.Extract(r.lines()))
}

func (p *Import) onDownloadReport(app.Context, app.Event) {
	r := p.run()
	p.save(r.name+"-report.csv", "text/csv;charset=utf-8", reportFile(r))
}
