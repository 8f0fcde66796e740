package course

import (
	"fmt"
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"sandtable/web/lesson"
)

func TestProgressMergesItsOwnText(t *testing.T) {
	one, other := Progress{}.whole(), Progress{}.whole()
	one.SetDone("a", 0, 2)
	other.SetDone("a", 1, 2)
	other.Code[CodeKey("a", 1)] = "code"
	merged, omitted, err := one.Merge(other.Text())
	if err != nil || omitted != 0 {
		t.Fatalf("%d omitted, %v", omitted, err)
	}
	if !merged.Done["a"].All() || merged.Code["a/2"] != "code" {
		t.Errorf("merged: %+v", merged)
	}
	if one.Done["a"].All() || len(one.Code) > 0 {
		t.Errorf("what was there has changed: %+v", one)
	}
}

func TestMergeKeepsCodeThatIsHere(t *testing.T) {
	one, other := Progress{}.whole(), Progress{}.whole()
	one.Code["a/1"], other.Code["a/1"] = "mine", "of the file"
	one.Code["a/2"], other.Code["a/2"] = "same", "same"
	other.Code["a/3"] = "new"
	merged, omitted, err := one.Merge(other.Text())
	if err != nil || omitted != 1 || merged.Code["a/1"] != "mine" || merged.Code["a/3"] != "new" {
		t.Errorf("got %v, %d omitted, %v", merged.Code, omitted, err)
	}
}

// TestUndoOfAMergeKeepsWhatWasDoneSince: the offer stays for a while.
func TestUndoOfAMergeKeepsWhatWasDoneSince(t *testing.T) {
	before, other := Progress{}.whole(), Progress{}.whole()
	before.SetDone("a", 0, 3)
	before.Code["a/1"] = "mine"
	other.SetDone("a", 0, 3)
	other.SetDone("a", 1, 3)
	other.SetDone("b", 0, 1)
	other.Code["a/2"], other.Code["a/3"] = "of the file", "of the file"
	merged, _, err := before.Merge(other.Text())
	if err != nil {
		t.Fatal(err)
	}
	now := merged
	now.SetDone("a", 3, 4)
	now.SetDone("c", 0, 1)
	now.Code["a/3"], now.Code["c/1"] = "changed since", "new"
	now.Unmerge(before, other.Text())
	if got, want := fmt.Sprint(now.Done), "map[a:{[true false false true] 4} c:{[true] 1}]"; got != want {
		t.Errorf("done are %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(now.Code), "map[a/1:mine a/3:changed since c/1:new]"; got != want {
		t.Errorf("the programs are %s, want %s", got, want)
	}
}

func TestProgressRefusesOtherFiles(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": "done", "another format": `{"sandtableProgress":2}`, "nothing": "{}",
		"more steps than there are": `{"sandtableProgress":1,"done":{"a":{"steps":[true,true],"total":1}}}`,
		"too much code":             `{"sandtableProgress":1,"code":{"a/1":"` + strings.Repeat("x", MaxCode+1) + `"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			p, _, err := Progress{}.whole().Merge([]byte(text))
			if err == nil || len(p.Done)+len(p.Code) > 0 {
				t.Error("it was accepted")
			}
		})
	}
}

// TestMergedProgressCanBeRead: more than is kept is refused, and what was there stays.
func TestMergedProgressCanBeRead(t *testing.T) {
	one, other := Progress{}.whole(), Progress{}.whole()
	for i := range maxKept {
		one.SetDone(fmt.Sprint("a", i), 0, 1)
		other.Code[CodeKey("b", i)] = "code"
	}
	one, _, err := one.Merge(other.Text())
	if err != nil || len(one.Code) != maxKept {
		t.Errorf("as much as is kept: %v", err)
	}
	other.Code[CodeKey("c", 0)] = "code"
	delete(other.Code, CodeKey("b", 1))
	one, _, err = one.Merge(other.Text())
	if err != errTooMuch {
		t.Errorf("one program too many: %v", err)
	}
	if len(one.Code) != maxKept || !one.valid() {
		t.Error("what was there has changed")
	}
}

// TestProgressWithoutStorage: there is no localStorage here.
func TestProgressWithoutStorage(t *testing.T) {
	t.Cleanup(func() { unkept = nil })
	p := Read()
	p.SetDone("a", 0, 1)
	if p.Save(); !strings.Contains(app.HTMLString(Unkept()), "Export progress") {
		t.Error("nothing says that it is not kept")
	}
	if !Read().Done["a"].All() {
		t.Error("the progress is lost before the page is closed")
	}
}

// TestLessonWithOtherStepsThanBefore: its author has added some, or removed some.
func TestLessonWithOtherStepsThanBefore(t *testing.T) {
	p := Progress{}.whole()
	for step := range 3 {
		p.SetDone("a", step, 3)
	}
	for steps, want := range map[int]string{2: "2 true 1", 3: "3 true 2", 5: "3 false 3"} {
		d := p.Of("a", steps)
		if got := fmt.Sprint(d.Count(), d.All(), d.Next(steps)); got != want {
			t.Errorf("%d steps: %s, want %s", steps, got, want)
		}
	}
	if d := p.Of("b", 1); d.All() || d.Count() != 0 {
		t.Errorf("another lesson: %v", d)
	}
}

func TestNextStep(t *testing.T) {
	for _, test := range []struct {
		done []bool
		want int
	}{{nil, 0}, {[]bool{true}, 1}, {[]bool{false, true}, 0}, {[]bool{true, true, true}, 2}} {
		if got := (Done{test.done, 3}).Next(3); got != test.want {
			t.Errorf("after %v comes %d, want %d", test.done, got, test.want)
		}
	}
}

func TestFigure(t *testing.T) {
	p := Progress{}.whole()
	if got := p.figure(); got != "" {
		t.Errorf("before the course is read: %q", got)
	}
	p.Lessons = 2
	p.SetDone("a", 0, 1)
	p.SetDone("b", 0, 2)
	p.SetDone("https://example.org/lessons.json#c", 0, 1)
	if got := p.figure(); got != "1 / 2" {
		t.Errorf("got %q", got)
	}
	p.SetDone("b", 1, 2)
	p.SetDone("old", 0, 1) // is no lesson any more
	if got := p.figure(); got != "2 / 2" {
		t.Errorf("got %q", got)
	}
}

func TestResetKeepsTheCodeUnlessItIsToGo(t *testing.T) {
	for _, code := range []bool{false, true} {
		p := Progress{}.whole()
		for _, key := range []string{"a", "a-b", Key("https://x.example/c.json", "a")} {
			p.SetDone(key, 0, 1)
			p.Code[CodeKey(key, 0)] = "code"
		}
		p.Reset("", []lesson.Lesson{{Name: "a"}}, code)
		if _, done := p.Done["a"]; done || len(p.Done) != 2 {
			t.Errorf("code %v: done are %v", code, p.Done)
		}
		if _, kept := p.Code["a/1"]; kept == code || len(p.Code) != 3-map[bool]int{true: 1}[code] {
			t.Errorf("code %v: the programs are %v", code, p.Code)
		}
	}
}
