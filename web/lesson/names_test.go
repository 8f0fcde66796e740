package lesson

import (
	"strings"
	"testing"
)

func TestNamesOfFolders(t *testing.T) {
	tests := []struct {
		folder, name string
		ok           bool
	}{
		{"etags", "etags", true},
		{"03-etags", "etags", true},
		{"3-2-1", "2-1", true},
		{"12", "12", true},
		{"12-", "12-", true},
		{"12--a", "12--a", true},
		{"-a", "", false},
		{"", "", false},
		{"Etags", "", false},
		{"a/b", "", false},
		{"été", "", false},
		{strings.Repeat("a", 60), strings.Repeat("a", 60), true},
		{strings.Repeat("a", 61), "", false},
	}
	for _, test := range tests {
		t.Run(test.folder, func(t *testing.T) {
			if name, ok := lessonName(test.folder); ok != test.ok || ok && name != test.name {
				t.Errorf("got %q, %v", name, ok)
			}
		})
	}
}

func TestNamesOfFiles(t *testing.T) {
	tests := []struct {
		name string
		want bool
	}{
		{"lesson.md", true},
		{"checks.json", true},
		{"data.jsonl", true},
		{"start-1.js", true},
		{"solution-10.js", true},
		{"wrong-1-no-filter.js", true},
		{"right-1-batch.js", true},
		{"wrong-1--.js", true},
		{"wrong-1-.js", false},
		{"wrong-a-b.js", false},
		{"wrong--b.js", false},
		{"wrong-1-B.js", false},
		{"start.js", false},
		{"stop-1.js", false},
		{"start-1.ts", false},
		{"lesson.de.md", true},
		{"lesson.pt-BR.md", true},
		{"lesson.zh-Hant-TW-x1.md", true},
		{"lesson.zh-Hant-TW-x1-x2.md", false},
		{"lesson..md", false},
		{"lesson.d.md", false},
		{"lesson.d1.md", false},
		{"lesson.de-.md", false},
		{"lesson.de-abcdefghi.md", false},
		{"lesson.de", false},
		{"", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := belongs(test.name); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
