//go:build !js

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sandtable/engine"
	"sandtable/server"
	"sandtable/server/control"
	"sandtable/server/servertest"
	"sandtable/web/lesson"
)

const ourLessons = "../../../web/lesson/lessons"

func TestLessonsCheck(t *testing.T) {
	var stdout strings.Builder
	if code := run(t.Context(), []string{"lessons", "check", ourLessons}, &stdout, os.Stderr); code != exitSuccess {
		t.Errorf("our lessons: %d, %s", code, stdout.String())
	}
	folder := filepath.Join(t.TempDir(), "mine")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if code := run(t.Context(), []string{"lessons", "check", folder}, io.Discard, io.Discard); code != exitFailure {
		t.Errorf("an empty folder: %d", code)
	}
	if err := os.WriteFile(filepath.Join(folder, "lesson.md"), []byte("---\ntitle: Mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	stdout.Reset()
	if code := run(t.Context(), []string{"lessons", "check", folder}, &stdout, io.Discard); code != exitFailure || !strings.Contains(stdout.String(), folder+"/checks.json: the file is missing") {
		t.Errorf("an incomplete lesson: %d, %s", code, stdout.String())
	}
}

func TestLessonsPack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lessons.json")
	if code := run(t.Context(), []string{"lessons", "pack", ourLessons, file}, io.Discard, os.Stderr); code != exitSuccess {
		t.Fatal(code)
	}
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "sandtableLessons") || strings.Contains(string(text), "// Hint: ") {
		t.Errorf("%.100s, %v", text, err)
	}
	for _, args := range [][]string{{"lessons"}, {"lessons", "check"}, {"lessons", "sell", "x"}, {"lessons", "pack", t.TempDir(), file}} {
		if code := run(t.Context(), args, io.Discard, io.Discard); code != exitFailure {
			t.Errorf("%q: %d", args, code)
		}
	}
}

// TestLessonsFaults: a lesson is refused if the endpoint would refuse its faults. The
// page checks them itself, because it contains no server.
func TestLessonsFaults(t *testing.T) {
	db, err := engine.Open(new(engine.MemoryStorage), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	account := server.WellKnown(engine.OpenAccess)
	if err := db.Update(func(tx *engine.Tx) error { return tx.PutAccount(account) }); err != nil {
		t.Fatal(err)
	}
	endpoint := control.New(db, server.Options{}, control.Options{})
	defer endpoint.Close()
	for _, rule := range []string{
		`"effect": "ServerBusy", "operation": "any write", "every": 3, "hits": 1`, `"effect": "answerLost"`, `"effect": "Busy"`,
		`"effect": "ServerBusy", "operation": "any query"`, `"effect": "ServerBusy", "every": -4`, `"effect": "ServerBusy", "every": 1000000001`,
		`"effect": "ServerBusy", "every": 0`, `"effect": "ServerBusy", "share": 0`, `"effect": "ServerBusy", "hits": 0`, `"effect": "latency", "median": 40, "p99": 0`,
		`"effect": "ServerBusy", "median": 0`, `"effect": "ServerBusy", "entitiesPerSecond": 0`,
		`"effect": "ServerBusy", "share": 7`, `"effect": "ServerBusy", "share": -0.1`, `"effect": "ServerBusy", "share": 1`,
		`"effect": "ServerBusy", "share": 0.1, "every": 2`, `"effect": "ServerBusy", "hits": -1`, `"effect": "ServerBusy", "hits": 1000000001`,
		`"effect": "ServerBusy", "median": 5`, `"effect": "ServerBusy", "entitiesPerSecond": 5`, `"effect": "ServerBusy", "per": "account"`,
		`"effect": "ServerBusy", "table": "` + strings.Repeat("a", 64) + `"`, `"effect": "ServerBusy", "table": "` + strings.Repeat("a", 65) + `"`,
		`"effect": "throttle"`, `"effect": "throttle", "entitiesPerSecond": 0.5, "per": "account"`, `"effect": "throttle", "entitiesPerSecond": 5, "per": "table"`,
		`"effect": "throttle", "entitiesPerSecond": 5, "share": 0.5`, `"effect": "throttle", "entitiesPerSecond": 1000000001`,
		`"effect": "latency"`, `"effect": "latency", "median": 40`, `"effect": "latency", "median": 50, "p99": 40`, `"effect": "latency", "median": 30001`,
		`"effect": "latency", "median": 40, "p99": 30001`, `"effect": "latency", "median": 40, "share": 0.5`,
	} {
		t.Run(rule, func(t *testing.T) {
			faults := `{"seed": 1, "rules": [{` + rule + `}]}`
			status, _, body := servertest.Send(t, endpoint, servertest.NewRequest("PUT", "http://localhost/_sandtable/accounts/"+account.Name+"/faults", faults))
			problems := lesson.Validate("one", map[string]string{
				"lesson.md":     "---\ntitle: One\nteaches: This.\nminutes: 5\n---\nIntro.\n\n## First\n\nText.\n",
				"checks.json":   `{"steps": [{"faults": ` + faults + `, "checks": [{"want": "It exists", "table": {"name": "T"}, "hints": [{"say": "Create it."}]}]}]}`,
				"start-1.js":    "start\n",
				"solution-1.js": "solution\n",
				"wrong-1-no.js": "// Hint: Create\nwrong\n",
			})
			if status != 200 && status != 400 || (status == 200) != (len(problems) == 0) {
				t.Errorf("the endpoint answers %d %s, the lesson has the problems %v", status, body, problems)
			}
		})
	}
}
