package playground

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"sandtable/web/inspect"
)

// answer is what a request of HTTP got.
type answer struct {
	Method     string      `json:"method"`
	URL        string      `json:"url"`
	Status     int         `json:"status"`
	StatusText string      `json:"statusText"`
	Headers    [][2]string `json:"headers"`
	Bytes      int         `json:"bytes"` // of the body
	Cut        bool        `json:"cut"`   // the body is longer than what is shown

	body string
	line int // of the request in its file
}

// answersIn returns the answers that a program of requests has printed: each as
// a line that begins with H and holds the head and the beginning of the body,
// and lines that begin with B for the rest.
func answersIn(lines []output) []answer {
	var all []answer
	var text strings.Builder
	line := 0
	end := func() {
		head, body, _ := strings.Cut(text.String(), "\n")
		a := answer{body: body, line: line}
		if text.Len() > 0 && json.Unmarshal([]byte(head), &a) == nil {
			all = append(all, a)
		}
		text.Reset()
	}
	for _, o := range lines {
		if begins := strings.HasPrefix(o.Text, "H"); begins {
			end()
			line = o.Line
		}
		if len(o.Text) > 0 {
			text.WriteString(o.Text[1:])
		}
	}
	end()
	return all
}

func (a answer) failed() bool { return a.Status >= 400 }

// header returns the value of a header, whose names are in lower case.
func (a answer) header(name string) string {
	for _, h := range a.Headers {
		if h[0] == name {
			return h[1]
		}
	}
	return ""
}

// statusNames are the names of the statuses of the service, as net/http has them,
// which would make the page's download a tenth larger.
var statusNames = map[int]string{
	200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 304: "Not Modified",
	400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
	408: "Request Timeout", 409: "Conflict", 411: "Length Required", 412: "Precondition Failed",
	413: "Request Entity Too Large", 414: "Request URI Too Long", 415: "Unsupported Media Type", 429: "Too Many Requests",
	431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
	503: "Service Unavailable", 504: "Gateway Timeout", 507: "Insufficient Storage",
}

// title is the status with its name, which HTTP/2 and service workers leave out.
func (a answer) title() string {
	return strings.TrimSpace(strconv.Itoa(a.Status) + " " + cmp.Or(a.StatusText, statusNames[a.Status]))
}

// resource is the path and the query of the request, readable.
func (a answer) resource() string {
	u, err := url.Parse(a.URL)
	if err != nil {
		return a.URL
	}
	text := u.Path
	if query, err := url.QueryUnescape(u.RawQuery); err == nil && query != "" {
		text += "?" + query
	}
	return text
}

// pretty is the body with indents, if it is JSON.
func (a answer) pretty() string {
	if a.Cut {
		return a.body
	}
	return inspect.Pretty([]byte(a.body))
}

// raw is the answer as it was received, as far as scripts can see it: browsers
// report neither the version of HTTP nor the case of headers.
func (a answer) raw() string {
	var b strings.Builder
	b.WriteString(a.title() + "\n")
	for _, h := range a.Headers {
		b.WriteString(h[0] + ": " + h[1] + "\n")
	}
	b.WriteString("\n" + a.body)
	return b.String()
}
