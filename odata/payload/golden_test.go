package payload

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sandtable/odata"
)

// exchange is a recorded request to the real service and its response.
type exchange struct {
	Request struct {
		Method, Path, Query, Body string
		Headers                   map[string]string
	}
	Response struct {
		Status  int
		Body    string
		Headers map[string]string
	}
}

// recordings calls each with every recorded exchange. The recordings are not ours
// to publish and live outside of the repository; without them the test skips.
func recordings(t *testing.T, each func(t *testing.T, x exchange)) {
	t.Helper()
	files, err := filepath.Glob("../../../shared/golden/*.json")
	if err != nil || len(files) == 0 {
		t.Skip("no recordings of the service: ../shared/golden does not exist next to the repository")
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var scenario struct{ Exchanges []exchange }
		if err := json.Unmarshal(data, &scenario); err != nil {
			t.Fatalf("%s: %v", filepath.Base(name), err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".json"), func(t *testing.T) {
			for _, x := range scenario.Exchanges {
				each(t, x)
			}
		})
	}
}

// recordedContext returns the Context of a recorded response.
func recordedContext(x exchange) Context {
	c := Context{Base: "https://{account}.table.core.windows.net", Account: "{account}"}
	for _, level := range []Level{NoMetadata, MinimalMetadata, FullMetadata} {
		if strings.Contains(x.Response.Headers["Content-Type"], level.String()) {
			c.Level = level
		}
	}
	query, _ := url.ParseQuery(x.Request.Query)
	c.HasSelect, c.SelectText = query.Has("$select"), query.Get("$select")
	c.Select = ParseSelect(c.SelectText)
	return c
}

// A recorded response is the same after decoding and encoding.
func TestRecordedResponses(t *testing.T) {
	seen := 0
	recordings(t, func(t *testing.T, x exchange) {
		if !strings.HasPrefix(x.Response.Headers["Content-Type"], "application/json") {
			return
		}
		seen++
		if got := rewritten(t, x); got != x.Response.Body {
			t.Errorf("%s %s?%s: written again, the response is\n%s, want\n%s", x.Request.Method, x.Request.Path, x.Request.Query, got, x.Response.Body)
		}
	})
	if !t.Skipped() && seen < 100 {
		t.Errorf("only %d responses were JSON", seen)
	}
}

func rewritten(t *testing.T, x exchange) string {
	t.Helper()
	body := []byte(x.Response.Body)
	path, err := odata.ParsePath(x.Request.Path)
	if err != nil {
		t.Fatalf("%s: %v", x.Request.Path, err)
	}
	c := recordedContext(x)
	switch {
	case x.Response.Status >= 400:
		e, err := DecodeErrorResponse(body)
		if err != nil {
			t.Fatal(err)
		}
		return string(AppendError(nil, e.Code, e.Message))
	case path.Resource == odata.TableResource, path.Resource == odata.TablesResource && x.Request.Method == "POST":
		name, err := DecodeTableName(body)
		if err != nil {
			t.Fatal(err)
		}
		return string(c.AppendTable(nil, name))
	case path.Resource == odata.TablesResource && x.Request.Method == "GET":
		names, err := DecodeTablesResponse(body)
		if err != nil {
			t.Fatal(err)
		}
		return string(c.AppendTables(nil, names))
	case path.Resource == odata.EntitiesResource && x.Request.Method == "GET":
		all, err := DecodeEntitiesResponse(body)
		if err != nil {
			t.Fatal(err)
		}
		es := make([]*odata.Entity, len(all))
		for i := range all {
			es[i] = stamped(t, &all[i])
		}
		return string(c.AppendEntities(nil, path.Table, slices.Values(es)))
	case path.Resource == odata.EntityResource, path.Resource == odata.EntitiesResource:
		r, err := DecodeEntityResponse(body)
		if err != nil {
			t.Fatal(err)
		}
		r.Entity.PartitionKey, r.Entity.RowKey = path.Key.PartitionKey, path.Key.RowKey
		return string(c.AppendEntity(nil, path.Table, stamped(t, &r)))
	}
	t.Fatalf("%s %s is not a resource with JSON", x.Request.Method, x.Request.Path)
	return ""
}

// stamped returns the entity with the Timestamp of its ETag, if a $select left the
// Timestamp out, and checks that they agree otherwise.
func stamped(t *testing.T, r *Received) *odata.Entity {
	t.Helper()
	text, _ := strings.CutPrefix(strings.ReplaceAll(r.ETag, "%3A", ":"), `W/"datetime'`)
	if at, ok := odata.ParseDateTime(strings.TrimSuffix(text, `'"`)); ok {
		if r.Entity.Timestamp != 0 && r.Entity.Timestamp != at {
			t.Errorf("the tag %s is not that of %s", r.ETag, r.Entity.Timestamp)
		}
		r.Entity.Timestamp = at
	}
	return &r.Entity
}

// Recorded requests are accepted or refused as the service did.
func TestRecordedRequests(t *testing.T) {
	recordings(t, func(t *testing.T, x exchange) {
		if x.Request.Body == "" || !strings.HasPrefix(x.Request.Headers["Content-Type"], "application/json") {
			return
		}
		body, err := []byte(x.Request.Body), error(nil)
		if x.Request.Path == "/Tables" {
			var name string
			if name, err = DecodeTableName(body); err == nil {
				err = odata.CheckTableName(name)
			}
		} else {
			var b Body
			if b, err = DecodeEntity(body); err == nil && x.Request.Method == "POST" {
				_, err = b.Key()
			}
		}
		if refused := x.Response.Status == 400; (err != nil) != refused {
			t.Errorf("%s %s: %v, and the service says %d %s", x.Request.Method, x.Request.Path, err, x.Response.Status, x.Response.Body)
		}
	})
}
