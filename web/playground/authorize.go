package playground

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/client"
	"sandtable/web/editor"
	"sandtable/web/httpfile"
	"sandtable/web/page"
	"sandtable/web/sas"
)

// signed is a request that Authorize has signed.
type signed struct {
	account, text string // text is the string to sign
	method        string
}

// signedParts are the names of the lines of a string to sign.
var signedParts = []string{"Method", "Content-MD5", "Content-Type", "x-ms-date", "Resource"}

var errForeign = errors.New("only requests to " + origin + " can be signed here: the key is that of its account")

// authorize returns the headers that sign a request with an account's key, and
// the string that they sign. The bodies of this service are JSON unless the
// request says something else; without a version, it would assume one that has none.
func authorize(r httpfile.Request, account string, key []byte, now time.Time) ([]httpfile.Header, string, error) {
	u, err := url.Parse(r.URL)
	if err != nil || u.Scheme+"://"+u.Host != origin {
		return nil, "", errForeign
	}
	var set []httpfile.Header
	contentType := r.Header("Content-Type")
	if contentType == "" && r.Body != "" {
		contentType = "application/json"
		set = append(set, httpfile.Header{Name: "Content-Type", Value: contentType})
	}
	if r.Header("x-ms-version") == "" {
		set = append(set, httpfile.Header{Name: "x-ms-version", Value: "2019-02-02"})
	}
	date := now.UTC().Format(client.TimeFormat)
	request := sas.Request{Method: r.Method, Path: cmp.Or(u.EscapedPath(), "/"), Comp: u.Query().Get("comp"), ContentMD5: r.Header("Content-MD5"), ContentType: contentType, Date: date}
	set = append(set, httpfile.Header{Name: "x-ms-date", Value: date}, httpfile.Header{Name: "Authorization", Value: sas.SharedKey(account, key, request)})
	return set, request.StringToSign(account), nil
}

// isSigned reports whether one of the requests has credentials.
func isSigned(list []httpfile.Request) bool {
	return slices.ContainsFunc(list, func(r httpfile.Request) bool { return r.Header("Authorization") != "" })
}

// onAuthorize signs the request at the caret: the headers appear in the editor,
// and what they sign next to it.
func (p *Page) onAuthorize(app.Context, app.Event) {
	list, err := httpfile.Parse(p.code)
	at := -1
	if err == nil {
		if at = httpfile.At(list, editor.CaretLine(editorID)); at < 0 {
			err = errNoRequest
		}
	}
	if p.problem = err; err != nil || p.starting || p.console.running {
		return
	}
	p.starting, p.failed, p.tab = true, nil, consoleTab
	fresh := p.claim()
	account, code := p.account, p.code
	page.Background(p.ctx, func(c context.Context) func() {
		text, s, err := p.sign(c, account, fresh, code, list[at])
		return func() {
			p.starting = false
			switch {
			case errors.Is(err, errForeign):
				p.problem = err
			case err != nil:
				p.failed = err
				p.unclaim(fresh, err)
			case p.code == code: // nothing was typed in the meantime
				p.replace(text, "The request is signed.")
				p.signed = s
				p.ctx.Defer(func(app.Context) { editor.SelectLine(editorID, list[at].Line) }) // the caret stays in the request
			}
		}
	})
}

// sign returns the code with a request signed.
func (p *Page) sign(c context.Context, account string, fresh bool, code string, r httpfile.Request) (string, *signed, error) {
	if fresh {
		if err := p.create(c, account); err != nil {
			return "", nil, err
		}
	}
	keys, err := p.Session.Control().Keys(c, account)
	if err != nil {
		return "", nil, err
	}
	key, err := sas.DecodeKey(keys.Primary)
	if err != nil {
		return "", nil, err
	}
	set, text, err := authorize(r, account, key, time.Now())
	if err != nil {
		return "", nil, err
	}
	return httpfile.SetHeaders(code, r, set), &signed{account: account, text: text, method: r.Method + " " + strings.TrimPrefix(r.URL, origin)}, nil
}
