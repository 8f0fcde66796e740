//go:build !js

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
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
