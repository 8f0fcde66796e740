package batch

import (
	"bytes"
	"errors"
	"testing"

	"sandtable/odata"
)

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		changeset(insert, remove), withCRLF(changeset(insert, remove)), changeset(),
		"--batch_b\n" + partHead + "GET /T HTTP/1.1\n\n\n--batch_b--", "--batch_b", "--batch_b--",
		"--batch_b\nContent-Type: multipart/mixed; charset=\"utf-8\"; boundary=\"c\"\n\n--c\n\nPUT /T HTTP/1.1\nA: b\n c\n\n{}\n--c--",
	} {
		f.Add(mixed, []byte(seed))
	}
	f.Add(`multipart/mixed; a="b;c"; boundary="x y"`, []byte("--x y\r\n\r\n--x y--"))
	f.Fuzz(func(t *testing.T, mediaType string, body []byte) {
		got, err := Parse(mediaType, body, odata.MaxBatchOperations)
		if err != nil {
			if !errors.Is(err, ErrBoundary) && !errors.Is(err, ErrSyntax) && !errors.Is(err, ErrOperation) && !errors.Is(err, ErrQueryMixed) && !errors.Is(err, ErrChangesets) {
				t.Errorf("%q returns an undocumented error: %v", body, err)
			}
			return
		}
		if len(got.Operations) > odata.MaxBatchOperations+1 || got.Query && (len(got.Operations) != 1 || got.Operations[0].Method != "GET") {
			t.Fatalf("%q gives %+v", body, got)
		}
		checkRequest(t, got)
	})
}

// checkRequest writes the batch and reads it again. A body can contain the
// boundaries chosen here only if a fuzzer guesses them.
func checkRequest(t *testing.T, want Request) {
	t.Helper()
	inner := "changeset_0123456789abcdef"
	if want.Query {
		inner = ""
	}
	text := AppendRequest(nil, "batch_0123456789abcdef", inner, want.Operations)
	got, err := Parse("multipart/mixed; boundary=batch_0123456789abcdef", text, odata.MaxBatchOperations)
	if err != nil || got.Query != want.Query || !sameOperations(got.Operations, want.Operations) {
		t.Errorf("%q reads as %+v, %v, want %+v", text, got, err, want)
	}
}

func FuzzParseResponses(f *testing.F) {
	const mediaType = "multipart/mixed; boundary=b"
	f.Add(mediaType, AppendResponses(nil, "b", "c", []Response{{Status: 204, Header: Header{{"ETag", "a"}}}, {Status: 409, Body: []byte("{}")}}))
	f.Add(mediaType, AppendResponses(nil, "b", "", []Response{{Status: 200, Body: []byte("{}")}}))
	f.Add(mediaType, []byte("--b\nContent-Type: multipart/mixed; boundary=b\n\n--b--"))
	f.Fuzz(func(t *testing.T, mediaType string, body []byte) {
		want, err := ParseResponses(mediaType, body)
		if err != nil {
			return
		}
		text := AppendResponses(nil, "batch_0123456789abcdef", "changeset_0123456789abcdef", want)
		got, err := ParseResponses("multipart/mixed; boundary=batch_0123456789abcdef", text)
		if err != nil || !sameResponses(got, want) {
			t.Errorf("%q reads as %+v, %v, want %+v", text, got, err, want)
		}
		for _, r := range got {
			if bytes.HasSuffix(r.Body, []byte("\n")) {
				t.Errorf("a body ends in a line end: %q", r.Body)
			}
		}
	})
}
