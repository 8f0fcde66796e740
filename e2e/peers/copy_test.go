package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	azuriteFolder = "node_modules/azurite"
	ourProgram    = "../../bin/sandtable"
)

// archiveOfTypes is an archive with an entity for each awkward value and key, and a
// table of many partitions.
func archiveOfTypes() string {
	const timestamp = `"Timestamp":"2026-01-01T00:00:00Z"`
	values := map[string]string{
		"binary": `"V@odata.type":"Edm.Binary","V":"AP8i"`, "bool": `"V":true`, "whole": `"V@odata.type":"Edm.Double","V":5.0`,
		"nan": `"V@odata.type":"Edm.Double","V":"NaN"`, "infinite": `"V@odata.type":"Edm.Double","V":"-Infinity"`, "tiny": `"V@odata.type":"Edm.Double","V":5e-324`,
		"negative zero": `"V@odata.type":"Edm.Double","V":-0.0`, "guid": `"V@odata.type":"Edm.Guid","V":"dead0000-0000-0000-0000-000000000001"`,
		"int32": `"V":-2147483648`, "int64": `"V@odata.type":"Edm.Int64","V":"9223372036854775807"`, "text": `"V":"a\u0000\u2028\"\\\ud83d\ude00"`, "empty": `"V":""`,
		"first": `"V@odata.type":"Edm.DateTime","V":"1601-01-01T00:00:00Z"`, "ticks": `"V@odata.type":"Edm.DateTime","V":"1970-01-01T00:00:01.0000001Z"`,
		"": `"V":1`, "50%": `"V":1`, "it's": `"V":1`, "\U0001F600": `"V":1`, "\uFF5E": `"V":1`, "\u00e4": `"V":1`, "a+b&c=d": `"V":1`, "{}[]": `"V":1`,
	}
	var b strings.Builder
	fmt.Fprintln(&b, `{"@sandtable":"archive","version":1}`+"\n"+`{"@sandtable":"account","name":"devstoreaccount1","access":"strict"}`)
	fmt.Fprintln(&b, `{"@sandtable":"table","name":"Many"}`)
	const many = 2500
	for i := range many {
		fmt.Fprintf(&b, `{"PartitionKey":"p%d","RowKey":"%05d",%s,"N":%d,"Price":%d.0}`+"\n", i/400, i, timestamp, i, i)
	}
	fmt.Fprintln(&b, `{"@sandtable":"table","name":"Types"}`)
	keys := []string{}
	for key := range values {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if a == "\U0001F600" { // a surrogate pair comes before U+FF5E
			a = "\uD7FF"
		}
		if b == "\U0001F600" {
			b = "\uD7FF"
		}
		return strings.Compare(a, b)
	})
	for _, key := range keys {
		fmt.Fprintf(&b, `{"PartitionKey":"p","RowKey":%q,%s,%s}`+"\n", key, timestamp, values[key])
	}
	fmt.Fprintf(&b, `{"@sandtable":"end","accounts":1,"tables":2,"entities":%d}`+"\n", many+len(values))
	return b.String()
}

// TestCopyWithAzurite copies to Azurite and back. What Azurite does not keep is
// listed here and in docs/copy.md.
func TestCopyWithAzurite(t *testing.T) {
	for _, needed := range []string{azuriteFolder, ourProgram} {
		if _, err := os.Stat(needed); err != nil {
			t.Skipf("%v: \"make test-azurite\" installs Azurite and builds the program", err)
		}
	}
	server, err := azurite(azuriteFolder).start(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer server.kill()
	archive, back := filepath.Join(t.TempDir(), "source.jsonl"), filepath.Join(t.TempDir(), "back")
	if err := os.WriteFile(archive, []byte(archiveOfTypes()), 0o600); err != nil {
		t.Fatal(err)
	}
	endpoint := "DefaultEndpointsProtocol=http;AccountName=" + account + ";AccountKey=" + key + ";TableEndpoint=" + server.client.base
	copying := func(flags ...string) string {
		out, _ := exec.CommandContext(t.Context(), ourProgram, append([]string{"copy", "-verify", "-retry-for", "20s"}, flags...)...).CombinedOutput()
		return string(out)
	}
	if got := copying("-tables", "Many", archive, endpoint); !strings.Contains(got, "entities: 2500 ") || !strings.Contains(got, "differences: 0") {
		t.Errorf("many entities to Azurite:\n%s", got)
	}
	// It stores -0 as 0.
	got := copying("-tables", "Types", archive, endpoint)
	if !strings.Contains(got, `Types("p", "negative zero"): properties differ`) || !strings.Contains(got, "differences: 1\n") {
		t.Errorf("all types to Azurite:\n%s", got)
	}
	if got := copying("-properties", endpoint, back); !strings.Contains(got, "differences: 0") {
		t.Errorf("back from Azurite:\n%s", got)
	}
	if got := copying("-properties", "-policies", back, endpoint); !strings.Contains(got, "differences: 0") {
		t.Errorf("again to Azurite:\n%s", got)
	}
}
