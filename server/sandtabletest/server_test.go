//go:build !js

package sandtabletest_test

import (
	"context"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"sandtable/server/auth"
	"sandtable/server/sandtabletest"
	"sandtable/server/scenario"
)

// TestStart: the server checks signatures and stops after the test that started it.
func TestStart(t *testing.T) {
	var url string
	t.Run("running", func(t *testing.T) {
		s := sandtabletest.Start(t)
		url = s.URL
		endpoint, err := scenario.Connect(s.ConnectionString())
		if err != nil || endpoint.URL != s.URL || endpoint.Account != s.Account {
			t.Fatalf("%+v, %v", endpoint, err)
		}
		all, err := scenario.All()
		if err != nil {
			t.Fatal(err)
		}
		if failures, err := endpoint.Run(context.Background(), all[0]); err != nil || len(failures) > 0 {
			t.Errorf("%q: %v, %v", all[0].Title, failures, err)
		}
		response, err := http.Get(s.URL + "/Tables")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != 404 {
			t.Errorf("without a signature: status %d", response.StatusCode)
		}
	})
	if response, err := http.Get(url); err == nil {
		response.Body.Close()
		t.Errorf("after the test: status %d", response.StatusCode)
	}
}

func TestLoad(t *testing.T) {
	const archive = `{"@sandtable":"archive","version":1}
{"@sandtable":"account","name":"another1","access":"open"}
{"@sandtable":"table","name":"Kept"}
{"PartitionKey":"p","RowKey":"r","A":1}
{"@sandtable":"end","accounts":1,"tables":1,"entities":1}
`
	s := sandtabletest.Start(t)
	s.Load(t, strings.NewReader(archive))
	r, err := http.NewRequest("GET", s.URL+"/Kept(PartitionKey='p',RowKey='r')", nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := base64.StdEncoding.DecodeString(s.Key)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("x-ms-date", time.Now().UTC().Format(http.TimeFormat))
	r.Header.Set("Authorization", auth.SharedKeyLite(auth.Request{Method: r.Method, Path: r.URL.EscapedPath(), Header: r.Header}, s.Account, key))
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 200 {
		t.Errorf("status %d", response.StatusCode)
	}
}
