package jshttp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sandtable/server/message"
)

const address = "https://devstoreaccount1.table.core.windows.net/"

// handlerFunc is a Handler that is a function.
type handlerFunc func(message.ResponseWriter, *message.Request)

func (f handlerFunc) Serve(w message.ResponseWriter, r *message.Request) { f(w, r) }

func TestAnswer(t *testing.T) {
	tests := []struct {
		name    string
		method  string
		handler handlerFunc
		want    Response
	}{
		{"nothing written", "GET", func(message.ResponseWriter, *message.Request) {}, Response{Status: 200}},
		{"body without a status", "GET", func(w message.ResponseWriter, _ *message.Request) {
			fmt.Fprint(w, "a")
			fmt.Fprint(w, "b")
		}, Response{Status: 200, Body: []byte("ab")}},
		{"a body whose array is written again", "GET", func(w message.ResponseWriter, _ *message.Request) {
			body := []byte("kept")
			_, _ = w.Write(body)
			copy(body, "lost")
		}, Response{Status: 200, Body: []byte("kept")}},
		{"headers as of WriteHeader", "PUT", func(w message.ResponseWriter, _ *message.Request) {
			w.Header().Set("ETag", "W/\"1\"")
			w.Header().Set("Content-Type", "text/plain")
			w.Header()["X-Two"] = []string{"1", "2"}
			w.WriteHeader(message.StatusCreated)
			w.Header().Set("X-Late", "yes")
			w.WriteHeader(message.StatusAccepted)
			fmt.Fprint(w, "made")
		}, Response{Status: 201, Head: "Content-Type:text/plain\nEtag:W/\"1\"\nX-Two:1\nX-Two:2", Body: []byte("made")}},
		{"no answer", "GET", func(w message.ResponseWriter, _ *message.Request) {
			w.Header().Set("X-Late", "yes")
			panic(message.ErrAbort)
		}, Response{}},
		{"no body with 204", "DELETE", func(w message.ResponseWriter, _ *message.Request) {
			w.WriteHeader(message.StatusNoContent)
			fmt.Fprint(w, "never seen")
		}, Response{Status: 204}},
		{"no body with 205", "GET", func(w message.ResponseWriter, _ *message.Request) {
			w.WriteHeader(message.StatusResetContent)
			fmt.Fprint(w, "never seen")
		}, Response{Status: 205}},
		{"no body with 304", "GET", func(w message.ResponseWriter, _ *message.Request) {
			w.WriteHeader(message.StatusNotModified)
			fmt.Fprint(w, "never seen")
		}, Response{Status: 304}},
		{"no body for HEAD", "HEAD", func(w message.ResponseWriter, _ *message.Request) { fmt.Fprint(w, "never seen") }, Response{Status: 200}},
		{"informational statuses are ignored", "GET", func(w message.ResponseWriter, _ *message.Request) {
			w.WriteHeader(103)
			w.WriteHeader(message.StatusNotFound)
		}, Response{Status: 404}},
		{"bytes of a value are characters", "GET", func(w message.ResponseWriter, _ *message.Request) {
			w.Header().Set("X-Name", "caf\xc3\xa9")
		}, Response{Status: 200, Head: "X-Name:caf\u00c3\u00a9"}},
		{"line breaks and invalid names", "GET", func(w message.ResponseWriter, _ *message.Request) {
			w.Header()["X-Split"] = []string{"a\r\nx-evil: b\x00"}
			w.Header()["bad name"] = []string{"c"}
			w.Header()[""] = []string{"d"}
		}, Response{Status: 200, Head: "X-Split:a  x-evil: b "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, streamed := Answer(test.handler, test.method+" "+address, nil, nil, unexpected(t))
			if streamed || got.Status != test.want.Status || sorted(got.Head) != test.want.Head || string(got.Body) != string(test.want.Body) {
				t.Errorf("got %d %q %q", got.Status, got.Head, got.Body)
			}
			if len(test.want.Body) == 0 && got.Body != nil {
				t.Errorf("body is empty, not absent")
			}
		})
	}
}

func TestAnswerFailures(t *testing.T) {
	tests := []struct {
		name    string
		head    string
		handler handlerFunc
		status  int
		code    string
		logged  string
	}{
		{"invalid URL", "GET https://a/%zz", nil, 400, "InvalidUri", ""},
		{"panic", "GET " + address, func(message.ResponseWriter, *message.Request) { panic("tree lost") }, 500, "InternalError", "tree lost"},
		{"panic after a status", "GET " + address, func(w message.ResponseWriter, _ *message.Request) {
			w.WriteHeader(message.StatusOK)
			panic("too late")
		}, 500, "InternalError", "too late"},
		{"invalid status", "GET " + address, func(w message.ResponseWriter, _ *message.Request) { w.WriteHeader(1000) }, 500, "InternalError", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var logged string
			got, _ := Answer(test.handler, test.head, nil, nil, func(panicked any) { logged = fmt.Sprint(panicked) })
			if got.Status != test.status || logged != test.logged {
				t.Errorf("status %d, logged %q", got.Status, logged)
			}
			if !strings.Contains(got.Head, "x-ms-error-code:"+test.code) {
				t.Errorf("head %q", got.Head)
			}
			if code := errorCode(t, got.Body); code != test.code {
				t.Errorf("code %q", code)
			}
		})
	}
}

// sorted orders the lines of a head.
func sorted(head string) string {
	lines := strings.Split(head, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func errorCode(t *testing.T, body []byte) string {
	t.Helper()
	var document map[string]struct {
		Code    string
		Message struct{ Lang, Value string }
	}
	if err := json.Unmarshal(body, &document); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	failure := document["odata.error"]
	if failure.Message.Lang != "en-US" || failure.Message.Value == "" {
		t.Errorf("message %+v", failure.Message)
	}
	return failure.Code
}

// unexpected fails the test when a handler panics.
func unexpected(t *testing.T) func(any) {
	t.Helper()
	return func(panicked any) { t.Errorf("the handler panicked: %v", panicked) }
}
