package playground

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/browser"
	"sandtable/web/editor"
	"sandtable/web/httpfile"
	"sandtable/web/ui"
)

// The languages of the editor.
const (
	javaScript = "js"
	requests   = "http"
)

// sendScript is what a program of requests begins with. It has no comments, so
// that it can stand on one line.
//
//go:embed send.js
var sendScript string

// sending returns sendScript on one line: what follows keeps its line numbers.
func sending() string {
	var b strings.Builder
	for line := range strings.Lines(sendScript) {
		b.WriteString(strings.TrimSpace(line) + " ")
	}
	return b.String()
}

// compile returns the program that sends requests in turn, each on the line that
// it has in its file, and ends at the first that fails. So requests run in the
// same sandbox as programs.
func compile(all []httpfile.Request) string {
	var b strings.Builder
	b.WriteString("all: { ")
	line := 1
	for _, r := range all {
		for ; line < r.Line; line++ {
			b.WriteByte('\n')
		}
		headers := [][2]string{}
		for _, h := range r.Headers {
			headers = append(headers, [2]string{h.Name, h.Value})
		}
		body := literal(r.Body)
		if r.Body == "" {
			body = "null"
		}
		fmt.Fprintf(&b, `{ const r = await send(%s, %s, %s, %s); for (const part of r.parts) console.log(part); if (!r.ok) break all; } `,
			literal(r.Method), literal(r.URL), literal(headers), body)
	}
	b.WriteString("}\n")
	return b.String()
}

// literal returns a value as JavaScript writes it, which JSON is.
func literal(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings always have JSON
	}
	return string(text)
}

var errNoRequest = errors.New("there is no request at the caret: put it into one, or press Send all")

// send sends the request at the caret, or all.
func (p *Page) send(all bool) {
	list, err := httpfile.Parse(p.code)
	if err == nil && !all {
		at := httpfile.At(list, editor.CaretLine(editorID))
		if at < 0 {
			err = errNoRequest
		} else {
			list = list[at : at+1]
		}
	}
	if err == nil && len(list) == 0 {
		err = errors.New("there is no request here: write one, such as GET " + origin + "/Tables")
	}
	if p.problem = err; err != nil {
		return
	}
	p.signedSend = isSigned(list)
	p.prepare(func(before string) { p.start(before+sending(), compile(list)) })
}

func (p *Page) onSend(app.Context, app.Event)    { p.send(false) }
func (p *Page) onSendAll(app.Context, app.Event) { p.send(true) }

// onLanguage shows the program of the other language: each keeps its own.
func (p *Page) onLanguage(_ app.Context, event app.Event) {
	if http := ui.Data(event, "choice") == requests; http != p.http {
		code := cmp.Or(p.kept().other, firstSample(http).Code)
		p.kept().other, p.http, p.problem, p.signed = p.code, http, nil, nil
		p.show(code)
		p.save()
	}
}

func (p *Page) drawLanguage() app.UI {
	chosen := javaScript
	if p.http {
		chosen = requests
	}
	return ui.Segments("Language", chosen, []ui.Choice{{Value: javaScript, Label: "JavaScript"}, {Value: requests, Label: "HTTP"}}, p.onLanguage)
}

// drawRun draws the buttons that run the program or send its requests.
func (p *Page) drawRun(busy bool) []app.UI {
	if !p.http {
		return []app.UI{ui.Button(ui.Primary, "Run", p.onRun).Disabled(busy).Title("Run the program (Ctrl+Enter)").DataSet("testid", "run")}
	}
	return []app.UI{
		ui.Button(ui.Plain, "Send all", p.onSendAll).Disabled(busy).Title("Send the requests in turn, up to the first that fails").DataSet("testid", "run"),
		ui.Button(ui.Primary, "Send", p.onSend).Disabled(busy).Title("Send the request at the caret (Ctrl+Enter)").DataSet("testid", "send")}
}

// onSaveFile saves the program as a file: an address cannot hold every length of code.
func (p *Page) onSaveFile(app.Context, app.Event) {
	name, mediaType := "playground.mjs", "text/javascript"
	if p.http {
		name, mediaType = "playground.http", "text/plain"
	}
	browser.SaveFile(name, mediaType, []byte(p.code))
}
