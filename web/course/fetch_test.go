package course

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"sandtable/web/client"
	"sandtable/web/lesson"
)

func TestACourseThatCannotBeFetchedSaysWhy(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large.json":
			_, _ = w.Write(make([]byte, lesson.MaxCourse+1))
		case "/page.html":
			_, _ = w.Write([]byte("<html>"))
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	tests := []struct{ name, from, want string }{
		{"no answer", gone.URL + "/course.json", gone.URL + "/course.json cannot be opened: this browser is offline, or the site does not allow other sites to read it (no Access-Control-Allow-Origin)"},
		{"not found", site.URL + "/course.json", site.URL + "/course.json cannot be opened: the answer is 404"},
		{"too large", site.URL + "/large.json", "a course has at most 4 MiB"},
		{"another file", site.URL + "/page.html", site.URL + "/page.html cannot be opened: this is no file of lessons"},
		{"another scheme", "ftp://example.org/course.json", "begins with https"},
		{"a host that looks like another one", "http://\u0430pple.example/course.json", "write its host as xn--…"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Fetch(context.Background(), "http://host/", test.from)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if errors.Is(err, client.ErrNoAnswer) {
				t.Error("the page would say that the endpoint does not answer")
			}
		})
	}
	if _, err := Fetch(context.Background(), gone.URL+"/", ""); err == nil || strings.Contains(err.Error(), "Access-Control") || !strings.Contains(err.Error(), gone.URL) {
		t.Errorf("our own course: %v", err)
	}
}
