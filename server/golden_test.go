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
)

// Recorded exchanges with the real service, and the tool that replays them,
// lie beside the project where it is developed, and are not part of it.
const (
	goldenTool   = "../../shared/tools/golden"
	goldenCorpus = "../../shared/golden"
)

var goldenCount = regexp.MustCompile(`(\d+) of (\d+) exchanges match`)

// TestGolden replays the recordings in both address styles: no answer differs.
func TestGolden(t *testing.T) {
	if _, err := os.Stat(goldenTool); err != nil {
		t.Skip("the recorded exchanges are not here: skipped")
	}
	for _, style := range []string{"path", "host"} {
		t.Run(style, func(t *testing.T) {
			f := newFixture(t)
			f.update(func(tx *engine.Tx) error {
				return tx.PutAccount(engine.Account{Name: testAccount, Keys: [2][]byte{testKey}, Access: engine.StrictAccess})
			})
			endpoint := httptest.NewServer(server.New(f.db, server.Options{}))
			t.Cleanup(endpoint.Close)
			address := endpoint.Listener.Addr().String()
			args := []string{"-endpoint", "http://" + address + "/" + testAccount}
			if style == "host" {
				args = []string{"-style", "host", "-endpoint", "http://" + testAccount + ".table.localhost", "-dial", address}
			}
			out := replay(t, args...)
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

func replay(t *testing.T, args ...string) string {
	t.Helper()
	corpus, err := filepath.Abs(goldenCorpus)
	if err != nil {
		t.Fatal(err)
	}
	args = append([]string{"run", ".", "replay", "-corpus", corpus, "-key", "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="}, args...)
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
