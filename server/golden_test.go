package server_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/nethttp"
)

// The exchanges recorded from the real services, and the tool that replays them, are
// kept next to the project and are not part of it.
const (
	goldenTool   = "../../shared/tools/golden"
	goldenCorpus = "../../shared/golden"
	cosmosCorpus = "../../shared/golden-cosmos"
)

var goldenCount = regexp.MustCompile(`(\d+) of (\d+) exchanges match`)

// TestGolden replays the recordings: the Table service's in both address styles, and
// Cosmos DB's at one of its hosts. No response may differ.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name, corpus string
		host         string // "" for an account in the path
	}{
		{"path", goldenCorpus, ""},
		{"host", goldenCorpus, testAccount + ".table.localhost"},
		{"cosmos", cosmosCorpus, testAccount + ".table.cosmosdb.azure.com:80"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := os.Stat(c.corpus); err != nil {
				t.Skip("the recorded exchanges are not available")
			}
			f := newFixture(t)
			f.putAccount(engine.Account{Name: testAccount, Keys: [2][]byte{testKey}, Access: engine.StrictAccess})
			endpoint := httptest.NewServer(nethttp.Handler(f.newHandler(server.Options{})))
			t.Cleanup(endpoint.Close)
			address := endpoint.Listener.Addr().String()
			args := []string{"-endpoint", "http://" + address + "/" + testAccount}
			if c.host != "" {
				args = []string{"-style", "host", "-endpoint", "http://" + c.host, "-dial", address}
			}
			if c.corpus == goldenCorpus {
				args = append(args, "-order") // of properties; Cosmos DB's is not always ours (C37 in docs/compatibility.md)
			}
			out := replay(t, c.corpus, args...)
			count := goldenCount.FindStringSubmatch(out)
			t.Log(count[0])
			if count[1] != count[2] || count[1] == "0" {
				t.Error(count[0])
			}
			for line := range strings.Lines(out) {
				if strings.HasPrefix(line, "test_") {
					t.Error(strings.TrimSpace(line))
				}
			}
		})
	}
}

func replay(t *testing.T, corpus string, args ...string) string {
	t.Helper()
	corpus, err := filepath.Abs(corpus)
	if err != nil {
		t.Fatal(err)
	}
	args = append([]string{"run", ".", "replay", "-wipe", "yes", "-corpus", corpus, "-key", server.WellKnownKey}, args...)
	command := exec.Command("go", args...)
	command.Dir = goldenTool
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil || !goldenCount.Match(out) {
		t.Fatal(fmt.Errorf("replay: %w\n%s%s", err, out, stderr.String()))
	}
	return string(out)
}
