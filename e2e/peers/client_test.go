package main

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The signature was made by OpenSSL: printf of the text to sign, with
// dgst -sha256 -mac HMAC -macopt hexkey of the well-known key.
func TestSignature(t *testing.T) {
	decoded, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	got := signature(decoded, "Fri, 20 Nov 2026 23:00:00 GMT", "/devstoreaccount1/Customers(PartitionKey='p00001',RowKey='r0000501')")
	if want := "SharedKeyLite devstoreaccount1:KSa/UgcK/9lIcEU/BlGlPwKEwB7dScX+BC6yMP+00pw="; got != want {
		t.Errorf("signature = %q, want %q", got, want)
	}
}

func TestContinuation(t *testing.T) {
	for _, test := range []struct {
		name, partition, row, want string
	}{
		{"none", "", "", ""},
		{"both", "1!8!cDAwMDAx", "1!8!cjAx", "&NextPartitionKey=1%218%21cDAwMDAx&NextRowKey=1%218%21cjAx"},
		{"no row", "p/1", "", "&NextPartitionKey=p%2F1&NextRowKey="},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := http.Header{}
			h.Set("X-Ms-Continuation-Nextpartitionkey", test.partition)
			h.Set("x-ms-continuation-NextRowKey", test.row)
			if got := continuation(h); got != test.want {
				t.Errorf("continuation = %q, want %q", got, test.want)
			}
		})
	}
}

func TestCounts(t *testing.T) {
	if n := counted([]byte(`{"value":[{"PartitionKey":"a","RowKey":"1"},{"PartitionKey":"a","RowKey":"2"}]}`)); n != 2 {
		t.Errorf("counted %d entities, want 2", n)
	}
	body := []byte("--changesetresponse_1\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n--changesetresponse_1\r\n\r\nHTTP/1.1 409 Conflict\r\n")
	if n := created(body); n != 1 {
		t.Errorf("created %d, want 1", n)
	}
}

// The standard library parses the batch, independently of the code that wrote it.
func TestAppendBatch(t *testing.T) {
	outer := multipart.NewReader(bytes.NewReader(appendBatch(nil, "http://127.0.0.1:1/a/T", entities(0, 3))), "batch_peers")
	changeset, err := outer.NextPart()
	if err != nil {
		t.Fatal(err)
	}
	_, parameters, err := mime.ParseMediaType(changeset.Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	operations := 0
	for inner := multipart.NewReader(changeset, parameters["boundary"]); ; operations++ {
		part, err := inner.NextPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		want := string(entityAt(operations).json(nil))
		if !strings.HasPrefix(string(text), "POST http://127.0.0.1:1/a/T HTTP/1.1\r\n") || !strings.HasSuffix(string(text), "\r\n\r\n"+want) {
			t.Errorf("operation %d is %q", operations, text)
		}
	}
	if operations != 3 {
		t.Errorf("%d operations, want 3", operations)
	}
}

func TestProc(t *testing.T) {
	const status = "Name:\tnode\nVmHWM:\t  2048 kB\nVmRSS:\t  1024 kB\nThreads:\t11\n"
	for field, want := range map[string]int64{"VmRSS:": 1 << 20, "VmHWM:": 2 << 20, "VmSwap:": 0, "Threads:": 0} {
		if got := kilobytes(status, field); got != want {
			t.Errorf("%s %d, want %d", field, got, want)
		}
	}
	const stat = "42 (a (strange) name) S 1 42 42 0 -1 4194560 900 0 0 0 120 30 0 0 20 0 11 0 5 6 7"
	if got := ticks(stat); got != 1500*time.Millisecond {
		t.Errorf("ticks = %v, want 1.5s", got)
	}
	if got := ticks("42 (short) S 1"); got != 0 {
		t.Errorf("ticks of too few fields = %v, want 0", got)
	}
}
