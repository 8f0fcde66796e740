package batch

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"sandtable/odata"
)

const (
	batchID     = "batchresponse_0f9d6fc5-663b-43d9-988f-bce3c8708d3c"
	changesetID = "changesetresponse_2b74bcb1-08fb-4c85-90b7-56e517921ade"
)

// TestAppendCosmosResponses: LF after the delimiters and the fields around a
// response, CRLF within it and after the changeset's own fields.
func TestAppendCosmosResponses(t *testing.T) {
	parts := []Response{
		{Status: 204, Header: Header{{"ETag", "a"}, {"Content-ID", "1"}}},
		{Status: 404, Header: Header{{"Content-Type", "application/json"}}, Body: []byte("{}")},
	}
	want := "--b\nContent-Type: multipart/mixed; boundary=c\r\n\r\n" +
		"--c\nContent-Type: application/http\nContent-Transfer-Encoding: binary\n\n" +
		"HTTP/1.1 204 No Content\r\nETag: a\r\nContent-ID: 1\r\n\r\n\r\n" +
		"--c\nContent-Type: application/http\nContent-Transfer-Encoding: binary\n\n" +
		"HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n\r\n{}\r\n" +
		"--c--\n--b--\r\n"
	got := AppendCosmosResponses(nil, "b", "c", parts)
	if string(got) != want {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	if read, err := ParseResponses("multipart/mixed; boundary=b", got); err != nil || len(read) != 2 {
		t.Errorf("reads as %d responses, %v", len(read), err)
	}
}

func TestAppendResponses(t *testing.T) {
	const start = "--" + batchID + "\nContent-Type: multipart/mixed; boundary=" + changesetID + "\n\n"
	const end = "--" + changesetID + "--\n--" + batchID + "--\n"
	inserted := Response{Status: 204, Header: Header{
		{"X-Content-Type-Options", "nosniff"}, {"Cache-Control", "no-cache"}, {"Preference-Applied", "return-no-content"},
		{"DataServiceVersion", "3.0;"}, {"Location", "https://HOST/T(PartitionKey='partition',RowKey='1')"},
		{"DataServiceId", "https://HOST/T(PartitionKey='partition',RowKey='1')"}, {"ETag", `W/"datetime'2021-11-08T18%3A50%3A34.2343565Z'"`},
	}}
	const insertedText = "--" + changesetID + "\n" + partHead + `HTTP/1.1 204 No Content
X-Content-Type-Options: nosniff
Cache-Control: no-cache
Preference-Applied: return-no-content
DataServiceVersion: 3.0;
Location: https://HOST/T(PartitionKey='partition',RowKey='1')
DataServiceId: https://HOST/T(PartitionKey='partition',RowKey='1')
ETag: W/"datetime'2021-11-08T18%3A50%3A34.2343565Z'"


`
	failed := Response{Status: 409, Header: Header{{"Content-Type", "application/json"}}, Body: []byte(`{"odata.error":{}}`)}
	tests := []struct {
		name, changeset string
		parts           []Response
		want            string
	}{
		{"success", changesetID, []Response{inserted, inserted}, start + insertedText + insertedText + end},
		{"failure", changesetID, []Response{failed},
			start + "--" + changesetID + "\n" + partHead + "HTTP/1.1 409 Conflict\nContent-Type: application/json\n\n{\"odata.error\":{}}\n" + end},
		{"nothing", changesetID, nil, start + end},
		{"query", "", []Response{{Status: 200, Header: Header{{"ETag", "a"}}, Body: []byte("{}")}},
			"--" + batchID + "\n" + partHead + "HTTP/1.1 200 OK\nETag: a\n\n{}\n--" + batchID + "--\n"},
		{"query without a match", "", []Response{{Status: 404, Body: []byte("{}")}},
			"--" + batchID + "\n" + partHead + "HTTP/1.1 404 Not Found\n\n{}\n--" + batchID + "--\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := AppendResponses([]byte("x"), batchID, tt.changeset, tt.parts)
			if want := "x" + withCRLF(tt.want); string(got) != want {
				t.Errorf("AppendResponses returns\n%s, want\n%s", got, want)
			}
			read, err := ParseResponses("multipart/mixed; boundary="+batchID, got[1:])
			if err != nil || !sameResponses(read, tt.parts) {
				t.Errorf("it reads as %+v, %v, want %+v", read, err, tt.parts)
			}
		})
	}
}

func sameResponses(a, b []Response) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		headers := len(a[i].Header) == 0 && len(b[i].Header) == 0 || reflect.DeepEqual(a[i].Header, b[i].Header)
		if a[i].Status != b[i].Status || !headers || string(a[i].Body) != string(b[i].Body) {
			return false
		}
	}
	return true
}

func TestAppendResponsesAllocations(t *testing.T) {
	parts := make([]Response, 100)
	for i := range parts {
		parts[i] = Response{Status: 204, Header: Header{{"Cache-Control", "no-cache"}}}
	}
	buf := make([]byte, 0, 1<<16)
	allocations := testing.AllocsPerRun(10, func() { buf = AppendResponses(buf[:0], batchID, changesetID, parts) })
	if allocations != 0 {
		t.Errorf("AppendResponses allocates %v times", allocations)
	}
}

func TestReason(t *testing.T) {
	for status, want := range map[int]string{
		200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 304: "Not Modified", 400: "Bad Request",
		401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 409: "Conflict",
		411: "Length Required", 412: "Precondition Failed", 413: "Request Entity Too Large", 415: "Unsupported Media Type",
		500: "Internal Server Error", 501: "Not Implemented", 503: "Service Unavailable", 299: "",
	} {
		if got := reason(status); got != want {
			t.Errorf("the reason of %d is %q, want %q", status, got, want)
		}
	}
}

func TestParseResponsesRefuses(t *testing.T) {
	part := func(text string) string { return "--batch_b\n" + partHead + text + "\n--batch_b--\n" }
	tests := []struct {
		name, mediaType, body string
		want                  error
	}{
		{"error of the whole", "application/json", "{}", ErrBoundary},
		{"boundary that is not there", mixed, "{}", ErrBoundary},
		{"changeset without its boundary", mixed, "--batch_b\nContent-Type: multipart/mixed; boundary=c\n\n\n--batch_b--\n", ErrBoundary},
		{"truncated", mixed, strings.TrimSuffix(part("HTTP/1.1 204 No Content\n"), "--batch_b--\n"), ErrSyntax},
		{"no status line", mixed, part(""), ErrSyntax},
		{"status that is not a number", mixed, part("HTTP/1.1 OK\n"), ErrSyntax},
		{"status of two digits", mixed, part("HTTP/1.1 20 OK\n"), ErrSyntax},
		{"status with a sign", mixed, part("HTTP/1.1 -20 OK\n"), ErrSyntax},
		{"request line", mixed, part("GET /T HTTP/1.1\n"), ErrSyntax},
		{"malformed header", mixed, part("HTTP/1.1 200 OK\nx\n"), ErrSyntax},
		{"malformed header of the part", mixed, "--batch_b\nx\n\n--batch_b--", ErrSyntax},
		{"changeset within a changeset", mixed,
			"--batch_b\nContent-Type: multipart/mixed; boundary=c\n\n--c\nContent-Type: multipart/mixed; boundary=d\n\n--d--\n--c--\n--batch_b--", ErrSyntax},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := ParseResponses(tt.mediaType, []byte(tt.body)); !errors.Is(err, tt.want) {
				t.Errorf("ParseResponses returns %+v, %v, want %v", got, err, tt.want)
			}
		})
	}
}

// message is one side of a recorded exchange.
type message struct {
	Path    string
	Body    string
	Headers map[string]string
}

// recordings calls each with every recorded batch. The recordings may not be published
// and are outside the repository; without them the test is skipped.
func recordings(t *testing.T, each func(t *testing.T, request, response message)) {
	t.Helper()
	files, err := filepath.Glob("../../../shared/golden/*.json")
	if err != nil || len(files) == 0 {
		t.Skip("no recordings of the service: ../shared/golden does not exist next to the repository")
	}
	seen := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var scenario struct {
			Exchanges []struct{ Request, Response message }
		}
		if err := json.Unmarshal(data, &scenario); err != nil {
			t.Fatalf("%s: %v", filepath.Base(name), err)
		}
		for _, x := range scenario.Exchanges {
			if x.Request.Path != "/$batch" {
				continue
			}
			seen++
			t.Run(strings.TrimSuffix(filepath.Base(name), ".json"), func(t *testing.T) { each(t, x.Request, x.Response) })
		}
	}
	if seen < 20 {
		t.Errorf("only %d batches were recorded", seen)
	}
}

func TestRecordedRequests(t *testing.T) {
	requestLine := regexp.MustCompile(`(?m)^([A-Z]+) (/\S+) HTTP/1\.1\r?$`)
	recordings(t, func(t *testing.T, request, _ message) {
		got, err := Parse(request.Headers["Content-Type"], []byte(request.Body), odata.MaxBatchOperations)
		if err != nil {
			t.Fatalf("%v in\n%s", err, request.Body)
		}
		lines := requestLine.FindAllStringSubmatch(request.Body, -1)
		if len(lines) > 101 {
			lines = lines[:101]
		}
		if len(got.Operations) != len(lines) {
			t.Fatalf("%d operations, want %d", len(got.Operations), len(lines))
		}
		for i, op := range got.Operations {
			if op.Method != lines[i][1] || op.Target != lines[i][2] {
				t.Errorf("operation %d is %s %s, want %s", i, op.Method, op.Target, lines[i][0])
			}
			if len(op.Body) > 0 && !json.Valid(op.Body) || (len(op.Body) == 0) != (op.Method == "DELETE" || op.Method == "GET") {
				t.Errorf("operation %d has the body %q", i, op.Body)
			}
		}
	})
}

// A recorded response is the same after parsing and encoding.
func TestRecordedResponses(t *testing.T) {
	changeset := regexp.MustCompile(`boundary=(changesetresponse_\S+)`)
	recordings(t, func(t *testing.T, _, response message) {
		mediaType := response.Headers["Content-Type"]
		parts, err := ParseResponses(mediaType, []byte(response.Body))
		if err != nil {
			t.Fatalf("%v in\n%s", err, response.Body)
		}
		_, outer, _ := strings.Cut(mediaType, "boundary=")
		inner := ""
		if found := changeset.FindStringSubmatch(response.Body); found != nil {
			inner = found[1]
		}
		if got := string(AppendResponses(nil, outer, inner, parts)); got != response.Body {
			t.Errorf("encoded again:\n%q, want\n%q", got, response.Body)
		}
	})
}
