package batch

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sandtable/odata"
)

const mixed = "multipart/mixed; boundary=batch_b"

// withCRLF replaces line feeds with CRLF.
func withCRLF(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

const partHead = `Content-Type: application/http
Content-Transfer-Encoding: binary

`

const insert = `POST https://HOST/T HTTP/1.1
Accept: application/json;odata=minimalmetadata
Content-Type: application/json
Prefer: return-no-content
DataServiceVersion: 3.0

{"PartitionKey":"p","RowKey":"1"}
`

const remove = `DELETE https://HOST/T(PartitionKey='p',RowKey='2') HTTP/1.1
Accept: application/json;odata=minimalmetadata
If-Match: *


`

// changeset wraps operations like the reference.
func changeset(operations ...string) string {
	text := "--batch_b\nContent-Type: multipart/mixed; boundary=changeset_c\n\n"
	for _, op := range operations {
		text += "--changeset_c\n" + partHead + op
	}
	return text + "--changeset_c--\n--batch_b--\n"
}

func wantInsert() Operation {
	return Operation{
		Method: "POST", Target: "https://HOST/T",
		Header: Header{
			{"Accept", "application/json;odata=minimalmetadata"}, {"Content-Type", "application/json"},
			{"Prefer", "return-no-content"}, {"DataServiceVersion", "3.0"},
		},
		Body: []byte(`{"PartitionKey":"p","RowKey":"1"}`),
	}
}

func wantRemove() Operation {
	return Operation{
		Method: "DELETE", Target: "https://HOST/T(PartitionKey='p',RowKey='2')",
		Header: Header{{"Accept", "application/json;odata=minimalmetadata"}, {"If-Match", "*"}},
	}
}

func sameOperations(a, b []Operation) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		if string(x.Body) != string(y.Body) {
			return false
		}
		x.Body, y.Body = nil, nil
		if len(x.Header) == 0 && len(y.Header) == 0 {
			x.Header, y.Header = nil, nil
		}
		if !reflect.DeepEqual(x, y) {
			return false
		}
	}
	return true
}

func TestParse(t *testing.T) {
	text := changeset(insert, remove)
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }
	quoted := `multipart/mixed; charset="utf-8"; boundary="batch_b"`
	tests := []struct{ name, mediaType, body string }{
		{"as in the reference", mixed, withCRLF(text)},
		{"LF only", mixed, text},
		{"LF within CRLF", mixed, strings.Replace(text, "\n", "\r\n", 5)},
		{"boundary quoted after a charset", quoted, withCRLF(replace(
			"multipart/mixed; boundary=changeset_c", `multipart/mixed; charset="utf-8"; boundary="changeset_c"`))},
		{"parameters in another case", `MultiPart/Mixed;Boundary=batch_b;charset=utf-8`, withCRLF(text)},
		{"header names in any case", mixed, withCRLF(replace("Content-Type: multipart", "content-type:multipart", "Content-Transfer-Encoding", "CONTENT-TRANSFER-ENCODING"))},
		{"Content-ID of the part", mixed, withCRLF(replace("binary\n", "binary\nContent-ID: 7\n"))},
		{"empty lines around parts", mixed, withCRLF(replace("changeset_c\n\n", "changeset_c\n\n\n", "--changeset_c--", "\n\n--changeset_c--", "--batch_b--", "\n\n--batch_b--"))},
		{"empty lines before the request lines", mixed, withCRLF(replace("binary\n\n", "binary\n\n\n\n"))},
		{"empty lines after bodies", mixed, withCRLF(replace("\"1\"}\n", "\"1\"}\n\n\n"))},
		{"no empty line after the last header", mixed, withCRLF(replace("If-Match: *\n\n\n", "If-Match: *\n"))},
		{"one empty line after the last header", mixed, withCRLF(replace("If-Match: *\n\n\n", "If-Match: *\n\n"))},
		{"text before and after", mixed, withCRLF("This is a batch.\n" + text + "\nThat was it.\n")},
		{"no last line end", mixed, withCRLF(strings.TrimSuffix(text, "\n"))},
		{"no closing delimiter of the batch", mixed, withCRLF(strings.TrimSuffix(text, "--batch_b--\n"))},
		{"no closing delimiter of the changeset", mixed, withCRLF(replace("--changeset_c--\n", ""))},
		{"blanks after delimiters", mixed, withCRLF(replace("--changeset_c\n", "--changeset_c \t\n", "--batch_b--", "--batch_b-- "))},
		{"folded header", mixed, withCRLF(replace("multipart/mixed; boundary", "multipart/mixed;\n boundary"))},
		{"other lines that begin like a delimiter", mixed, withCRLF(replace("This", "", "--changeset_c--\n", "--changeset_cc\n--changeset_c-\n--changeset_c--\n"))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse(tt.mediaType, []byte(tt.body), odata.MaxBatchOperations)
			want := []Operation{wantInsert(), wantRemove()}
			if strings.HasPrefix(tt.name, "other lines") {
				// These are not delimiters, so they belong to the part before.
				want[1].Body = []byte("--changeset_cc\r\n--changeset_c-")
			}
			if err != nil || got.Query || !sameOperations(got.Operations, want) {
				t.Errorf("Parse returns %+v, %v, want %+v", got, err, want)
			}
		})
	}
}

func TestParseOperation(t *testing.T) {
	tests := []struct {
		name, text string
		want       Operation
	}{
		{"path without a host", "PUT /T(PartitionKey='p',RowKey='r') HTTP/1.1\n\n{}\n",
			Operation{Method: "PUT", Target: "/T(PartitionKey='p',RowKey='r')", Body: []byte("{}")}},
		{"path style", "MERGE http://127.0.0.1:10002/devstoreaccount1/T(PartitionKey='p',RowKey='r')?$format=application%2Fjson HTTP/1.1\n\n{}\n",
			Operation{Method: "MERGE", Target: "http://127.0.0.1:10002/devstoreaccount1/T(PartitionKey='p',RowKey='r')?$format=application%2Fjson", Body: []byte("{}")}},
		{"blank in a key", "DELETE /T(PartitionKey='p', RowKey='a b') HTTP/1.1\n\n\n",
			Operation{Method: "DELETE", Target: "/T(PartitionKey='p', RowKey='a b')"}},
		{"two blanks", "PATCH  /T  HTTP/1.1\n\n\n", Operation{Method: "PATCH", Target: "/T"}},
		{"Content-ID of the operation", "POST /T HTTP/1.1\ncontent-id:  1 \n\n{}\n",
			Operation{Method: "POST", Target: "/T", Header: Header{{"content-id", "1"}}, ContentID: "1", Body: []byte("{}")}},
		{"wrong length", "POST /T HTTP/1.1\nContent-Length: 1000\n\n{}\n",
			Operation{Method: "POST", Target: "/T", Header: Header{{"Content-Length", "1000"}}, Body: []byte("{}")}},
		{"short length", "POST /T HTTP/1.1\nContent-Length: 1\n\n{}\n",
			Operation{Method: "POST", Target: "/T", Header: Header{{"Content-Length", "1"}}, Body: []byte("{}")}},
		{"colons in values, and empty values", "POST /T HTTP/1.1\nIf-Match: W/\"datetime'2013:1'\"\nX-Empty:\n\n{}\n",
			Operation{Method: "POST", Target: "/T", Header: Header{{"If-Match", `W/"datetime'2013:1'"`}, {"X-Empty", ""}}, Body: []byte("{}")}},
		{"body of several lines", "POST /T HTTP/1.1\n\n{\n\"a\":1\n\n}\n",
			Operation{Method: "POST", Target: "/T", Body: []byte("{\r\n\"a\":1\r\n\r\n}")}},
		{"letters in a body", "POST /T HTTP/1.1\n\n{\"a\":\"é\"}\n", Operation{Method: "POST", Target: "/T", Body: []byte(`{"a":"é"}`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Parse(mixed, []byte(withCRLF(changeset(tt.text))), odata.MaxBatchOperations)
			if err != nil || got.Query || !sameOperations(got.Operations, []Operation{tt.want}) {
				t.Errorf("Parse returns %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
}

func TestParseQuery(t *testing.T) {
	text := "--batch_b\n" + partHead + "GET /T(PartitionKey='p',RowKey='r')?$select=a HTTP/1.1\nAccept: application/json\n\n\n"
	want := []Operation{{Method: "GET", Target: "/T(PartitionKey='p',RowKey='r')?$select=a", Header: Header{{"Accept", "application/json"}}}}
	for name, body := range map[string]string{
		"CRLF": withCRLF(text + "--batch_b--\n"), "LF": text + "--batch_b--", "cut": withCRLF(text),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(mixed, []byte(body), odata.MaxBatchOperations)
			if err != nil || !got.Query || !sameOperations(got.Operations, want) {
				t.Errorf("Parse returns %+v, %v", got, err)
			}
		})
	}
}

func TestParseEmptyChangeset(t *testing.T) {
	got, err := Parse(mixed, []byte(changeset()), odata.MaxBatchOperations)
	if err != nil || got.Query || len(got.Operations) != 0 {
		t.Errorf("Parse returns %+v, %v", got, err)
	}
}

func TestParseRefuses(t *testing.T) {
	const get = "GET /T(PartitionKey='p',RowKey='r') HTTP/1.1\n\n\n"
	query := "--batch_b\n" + partHead + get
	whole := strings.TrimSuffix(changeset(insert), "--batch_b--\n")
	tests := []struct {
		name, mediaType, body string
		want                  error
	}{
		{"no media type", "", changeset(insert), ErrBoundary},
		{"other media type", "application/json", changeset(insert), ErrBoundary},
		{"other multipart", "multipart/form-data; boundary=batch_b", changeset(insert), ErrBoundary},
		{"no boundary", "multipart/mixed", changeset(insert), ErrBoundary},
		{"empty boundary", "multipart/mixed; boundary=", changeset(insert), ErrBoundary},
		{"empty quoted boundary", `multipart/mixed; boundary=""`, changeset(insert), ErrBoundary},
		{"boundary too long", "multipart/mixed; boundary=" + strings.Repeat("b", 71), changeset(insert), ErrBoundary},
		{"boundary of another name", "multipart/mixed; xboundary=batch_b", changeset(insert), ErrBoundary},
		{"missing boundary", "multipart/mixed; boundary=batch", changeset(insert), ErrBoundary},
		{"nothing", mixed, "", ErrBoundary},
		{"boundary within a line", mixed, "x--batch_b\n", ErrBoundary},
		{"changeset without its boundary", mixed, "--batch_b\nContent-Type: multipart/mixed; boundary=c\n\n--d--\n--batch_b--", ErrBoundary},
		{"changeset without a boundary", mixed, "--batch_b\nContent-Type: multipart/mixed\n\n--c--\n--batch_b--", ErrSyntax},
		{"empty batch", mixed, "--batch_b--\n", ErrSyntax},
		{"truncated after its delimiter", mixed, "--batch_b", ErrSyntax},
		{"truncated after an operation", mixed, strings.TrimSuffix(whole, "--changeset_c--\n"), ErrSyntax},
		{"truncated between operations", mixed, changeset(insert)[:len(changeset(insert))/2], ErrSyntax},
		{"query in a changeset", mixed, changeset(insert, get), ErrQueryMixed},
		{"two queries", mixed, query + query + "--batch_b--", ErrQueryMixed},
		{"query before a changeset", mixed, query + changeset(insert), ErrQueryMixed},
		{"query after a changeset", mixed, whole + query + "--batch_b--", ErrQueryMixed},
		{"query after an empty changeset", mixed, strings.TrimSuffix(changeset(), "--batch_b--\n") + query + "--batch_b--", ErrQueryMixed},
		{"two changesets", mixed, whole + changeset(insert), ErrChangesets},
		{"change outside of a changeset", mixed, "--batch_b\n" + partHead + insert + "--batch_b--", ErrSyntax},
		{"changeset within a changeset", mixed, changeset("Content-Type: multipart/mixed; boundary=d\n\n--d--\n"), ErrOperation},
		{"nothing in a part", mixed, "--batch_b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n\n--c--\n--batch_b--", ErrOperation},
		{"no request line", mixed, changeset(""), ErrOperation},
		{"request line without a version", mixed, changeset("POST /T\n\n{}\n"), ErrOperation},
		{"request line without a target", mixed, changeset("POST HTTP/1.1\n\n{}\n"), ErrOperation},
		{"request line with a blank for a target", mixed, changeset("POST   HTTP/1.1\n\n{}\n"), ErrOperation},
		{"invalid method", mixed, changeset("PO@ST /T HTTP/1.1\n\n{}\n"), ErrOperation},
		{"control character in a target", mixed, changeset("POST /T\x00 HTTP/1.1\n\n{}\n"), ErrOperation},
		{"header without a colon", mixed, changeset("POST /T HTTP/1.1\nAccept\n\n{}\n"), ErrOperation},
		{"header without a name", mixed, changeset("POST /T HTTP/1.1\n: x\n\n{}\n"), ErrOperation},
		{"blank in a header's name", mixed, changeset("POST /T HTTP/1.1\nA b: x\n\n{}\n"), ErrOperation},
		{"folded line without a header", mixed, changeset("POST /T HTTP/1.1\n x\n\n{}\n"), ErrOperation},
		{"return within a header", mixed, changeset("POST /T HTTP/1.1\nContent-ID: 1\rX: 2\n\n{}\n"), ErrOperation},
		{"NUL within a header", mixed, changeset("POST /T HTTP/1.1\nContent-ID: \x00\n\n{}\n"), ErrOperation},
		{"too many headers", mixed, changeset("POST /T HTTP/1.1\n" + strings.Repeat("a: b\n", 101) + "\n{}\n"), ErrOperation},
		{"headers of a part without a colon", mixed, "--batch_b\nContent-Type\n\n--batch_b--", ErrSyntax},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := Parse(tt.mediaType, []byte(tt.body), odata.MaxBatchOperations); !errors.Is(err, tt.want) {
				t.Errorf("Parse returns %+v, %v, want %v", got, err, tt.want)
			}
		})
	}
}

// Parse reads a hundred operations and stops at the next one.
func TestParseManyOperations(t *testing.T) {
	for _, n := range []int{1, odata.MaxBatchOperations, odata.MaxBatchOperations + 1, 5000} {
		operations := make([]string, n)
		for i := range operations {
			operations[i] = fmt.Sprintf("DELETE /T(PartitionKey='p',RowKey='%d') HTTP/1.1\nIf-Match: *\n\n\n", i)
		}
		got, err := Parse(mixed, []byte(withCRLF(changeset(operations...))), odata.MaxBatchOperations)
		if want := min(n, odata.MaxBatchOperations+1); err != nil || len(got.Operations) != want {
			t.Errorf("of %d operations Parse reads %d, %v, want %d", n, len(got.Operations), err, want)
		}
	}
}

// Parsing takes linear time even for a body of delimiter prefixes; otherwise this test
// would time out.
func TestParseIsLinear(t *testing.T) {
	for name, piece := range map[string]string{
		"delimiters":       "--batch_b\n",
		"almost delimiter": "--batch_b-",
		"dashes":           "-",
		"line ends":        "\n",
		"headers":          "a: b\n",
	} {
		body := strings.Repeat(piece, odata.MaxBodySize/len(piece))
		for _, prefix := range []string{"", "--batch_b\nContent-Type: multipart/mixed; boundary=batch_b-\n\n"} {
			if got, err := Parse(mixed, []byte(prefix+body), odata.MaxBatchOperations); err == nil {
				t.Errorf("%s: Parse returns %d operations", name, len(got.Operations))
			}
		}
	}
}

func TestAppendRequest(t *testing.T) {
	operations := []Operation{wantInsert(), wantRemove()}
	got := string(AppendRequest([]byte("x"), "batch_b", "changeset_c", operations))
	if want := "x" + withCRLF(changeset(insert, remove)); got != want {
		t.Errorf("AppendRequest returns\n%s, want\n%s", got, want)
	}
	operations[0].ContentID = "1"
	operations[1].Header = append(operations[1].Header, Field{"content-id", "2"})
	operations[1].ContentID = "2"
	text := AppendRequest(nil, "batch_b", "changeset_c", operations)
	if n := strings.Count(strings.ToLower(string(text)), "content-id"); n != 2 {
		t.Errorf("%d fields for two content IDs in\n%s", n, text)
	}
	read, err := Parse(mixed, text, odata.MaxBatchOperations)
	if err != nil || read.Operations[0].ContentID != "1" || read.Operations[1].ContentID != "2" {
		t.Errorf("it reads as %+v, %v", read, err)
	}
	query := []Operation{{Method: "GET", Target: "/T", Header: Header{{"Accept", "application/json"}}}}
	text = AppendRequest(nil, "batch_b", "", query)
	if want := withCRLF("--batch_b\n" + partHead + "GET /T HTTP/1.1\nAccept: application/json\n\n\n--batch_b--\n"); string(text) != want {
		t.Errorf("AppendRequest of a query returns\n%s, want\n%s", text, want)
	}
}

func TestHeaderGet(t *testing.T) {
	h := Header{{"Accept", "a"}, {"ACCEPT", "b"}, {"X", ""}}
	for name, want := range map[string]string{"accept": "a", "Accept": "a", "x": "", "y": "", "": ""} {
		if got := h.Get(name); got != want {
			t.Errorf("Get(%q) = %q, want %q", name, got, want)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	operations := make([]string, 100)
	for i := range operations {
		operations[i] = insert
	}
	body := []byte(withCRLF(changeset(operations...)))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(mixed, body, odata.MaxBatchOperations); err != nil {
			b.Fatal(err)
		}
	}
}

// TestHeadersDoNotDependOnTheLast reads each header alone and after each other one.
func TestHeadersDoNotDependOnTheLast(t *testing.T) {
	texts := []string{
		"A: 1\r\nB: 2\r\nC: 3\r\n\r\nbody", "A: 1\r\nB: 20\r\nC: 3\r\n\r\nbody", "A: 10\r\nB: 2\r\nC: 3\r\n\r\nbody",
		"A: 1\r\nB: 2\r\n\r\n", "A: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n\r\n", "B: 2\r\nC: 3\r\n\r\n",
		"A: 1\nB: 2\nC: 3\n\n", "A: 1\r\n B: 2\r\nC: 3\r\n\r\n", "A: 1\r\nB: 2\r\n\tfolded\r\nC: 3\r\n\r\n",
		"\r\nbody", "", "A: 1\r\nB: 2", "A: 1\r\nB: 2\r\n", "A: 1", " folded first\r\n\r\n", "A: 1\r\nno colon\r\n\r\n", "A: \x01\r\n\r\n",
	}
	for _, first := range texts {
		for _, second := range texts {
			var h headers
			before, _, _ := h.cut([]byte(first))
			unchanged := slices.Clone(before)
			got, rest, ok := h.cut([]byte(second))
			want, wantRest, wantOK := new(headers).cut([]byte(second))
			if ok != wantOK || string(rest) != string(wantRest) || ok && !slices.Equal(got, want) {
				t.Errorf("after %q, %q is %q, %q, %t; want %q, %q, %t", first, second, got, rest, ok, want, wantRest, wantOK)
			}
			if !slices.Equal(before, unchanged) {
				t.Errorf("reading %q changed the header before it, %q, to %q", second, unchanged, before)
			}
		}
	}
}
