package lesson

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// small is a whole lesson.
func small() map[string]string {
	return map[string]string{
		"lesson.md":     "---\ntitle: One\nteaches: This.\nminutes: 5\n---\nIntro.\n\n## First\n\nText.\n",
		"checks.json":   `{"steps": [{"checks": [{"want": "It exists", "table": {"name": "T"}, "hints": [{"say": "Create it."}]}]}]}`,
		"data.jsonl":    "{\"table\":\"Tab\"}\n{\"PartitionKey\":\"a\",\"RowKey\":\"1\",\"n\":1}\n",
		"start-1.js":    "start\n",
		"solution-1.js": "solution\n",
		"wrong-1-no.js": "// Hint: Create\nwrong\n",
	}
}

func TestLoad(t *testing.T) {
	l, problems := load("07-one", small(), nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if l.Name != "one" || l.Title != "One" || l.Minutes != 5 || len(l.Steps) != 1 || l.Steps[0].Title != "First" ||
		l.Steps[0].Solution != "solution\n" || len(l.Tables) != 1 || len(l.Tables[0].Entities) != 1 {
		t.Errorf("got %+v", l)
	}
}

// TestDataIsInTheOrderOfTheTable: the page draws it partition by partition.
func TestDataIsInTheOrderOfTheTable(t *testing.T) {
	files := small()
	files["data.jsonl"] = `{"table":"Tab"}
{"PartitionKey":"b","RowKey":"1"}
{"PartitionKey":"a","RowKey":"2"}
{"PartitionKey":"b","RowKey":"0"}
{"PartitionKey":"a","RowKey":"10"}
`
	l, problems := load("one", files, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var keys []string
	for _, e := range l.Tables[0].Entities {
		keys = append(keys, e.PartitionKey+e.RowKey)
	}
	if got := strings.Join(keys, " "); got != "a10 a2 b0 b1" {
		t.Errorf("got %s", got)
	}
}

func TestValidateFindsTheLine(t *testing.T) {
	tests := []struct{ name, file, content, want string }{
		{"no title", "lesson.md", "---\nteaches: a\nminutes: 5\n---\n## A\n", "lesson.md:1: there is no title"},
		{"no front matter", "lesson.md", "# One\n", "lesson.md:1: the file does not begin"},
		{"unknown field", "lesson.md", "---\ntitle: a\nteaches: a\nminutes: 5\nauthor: me\n---\n## A\n", `unknown field "author"`},
		{"front matter without an end", "lesson.md", "---\ntitle: a\nteaches: a\nminutes: 5\n## A\nText\n", "lesson.md:1: the lines from --- on are not closed by a second ---"},
		{"a step without a title", "lesson.md", "---\ntitle: a\nteaches: a\nminutes: 5\n---\n## \n", "lesson.md:6: the step has no title"},
		{"no steps", "lesson.md", "---\ntitle: a\nteaches: a\nminutes: 5\n---\nText\n", "1 to 10 steps"},
		{"an unclosed code block", "lesson.md", "---\ntitle: a\nteaches: a\nminutes: 5\n---\n## A\n```js\na()\n\n## B\n", "lesson.md:7: the code block is not closed"},
		{"an unclosed code block before another", "lesson.md", "---\ntitle: a\nteaches: a\nminutes: 5\n---\n## A\n```js\na()\n\n## B\n```js\nb()\n```\n", "lesson.md:7: the code block is not closed"},
		{"an unclosed code block of a translation", "lesson.fr.md", "---\ntitle: a\nteaches: a\n---\n## A\n```\n", "lesson.fr.md:6: the code block is not closed"},
		{"another number of steps", "lesson.md", "---\ntitle: a\nteaches: a\nminutes: 5\n---\n## A\n## B\n", "checks.json: it has 1 step, lesson.md 2"},
		{"no JSON", "checks.json", "{\n\"steps\": [}\n", "checks.json:2: invalid character"},
		{"unknown rule", "checks.json", "{\"steps\": [{\"checks\": [\n{\"want\": \"x\",\n\"tabel\": {}, \"hints\": []}]}]}", `checks.json:3: unknown field "tabel"`},
		{"two rules", "checks.json", "{\"steps\": [{\"checks\": [\n{\"want\": \"x\", \"prints\": \"a\", \"fails\": \"b\", \"hints\": [{\"say\": \"Create it.\"}]}]}]}", "checks.json:2: a rule has one of"},
		{"the second of two checks with the same want", "checks.json", "{\"steps\": [{\"checks\": [\n{\"want\": \"x\", \"prints\": \"a\", \"hints\": [{\"say\": \"Create it.\"}]},\n{\"want\": \"x\", \"hints\": []}]}]}", "checks.json:3: a check has"},
		{"a text for a number", "checks.json", "{\"steps\": [{\"checks\": [\n{\"want\": \"x\", \"requests\": {\"status\": \"412\"}}]}]}", "checks.json:2: status has the wrong type: string"},
		{"a text for a range", "checks.json", "{\"steps\": [{\"checks\": [\n{\"want\": \"x\", \"requests\": {\"count\": \"3\"}}]}]}", "checks.json: count has the wrong type: string"},
		{"a method in small letters", "checks.json", `{"steps": [{"checks": [{"want": "x", "requests": {"method": "get"}, "hints": [{"say": "Create it."}]}]}]}`, `there is no method "get"`},
		{"no hint", "checks.json", `{"steps": [{"checks": [{"want": "x", "prints": "a", "hints": []}]}]}`, "1 to 10 hints"},
		{"no hint for other mistakes", "checks.json", `{"steps": [{"checks": [{"want": "x", "prints": "a", "hints": [{"if": {"fails": "b"}, "say": "Create it."}]}]}]}`, "the last hint"},
		{"no plan", "checks.json", `{"steps": [{"checks": [{"want": "x", "requests": {"plan": "full scan"}, "hints": [{"say": "Create it."}]}]}]}`, `there is no plan "full scan"`},
		{"no operation", "checks.json", `{"steps": [{"checks": [{"want": "x", "requests": {"operation": "Insert entity"}, "hints": [{"say": "Create it."}]}]}]}`, `there is no operation "Insert entity"`},
		{"no type", "checks.json", `{"steps": [{"checks": [{"want": "x", "table": {"name": "Tab", "where": {"n": {"type": "Int32"}}}, "hints": [{"say": "Create it."}]}]}]}`, `n: there is no type "Int32"`},
		{"a value of another type", "checks.json", `{"steps": [{"checks": [{"want": "x", "entity": {"table": "Tab", "properties": {"n": {"type": "Edm.Int32", "value": 1.5}}}, "hints": [{"say": "Create it."}]}]}]}`, "n: an Int32 is a whole number"},
		{"bounds of a table that exclude each other", "checks.json", "{\"steps\": [{\"checks\": [\n" + `{"want": "x", "table": {"name": "Tab", "largest": {"min": 3, "max": 2}}, "hints": [{"say": "Create it."}]}]}]}`, "checks.json:2: no number is at least 3 and at most 2"},
		{"bounds of requests that exclude each other", "checks.json", `{"steps": [{"checks": [{"want": "x", "requests": {"since": {"examined": {"min": 3, "max": 2}}}, "hints": [{"say": "Create it."}]}]}]}`, "no number is at least 3 and at most 2"},
		{"a rule without parts", "checks.json", `{"steps": [{"checks": [{"want": "x", "all": [], "hints": [{"say": "Create it."}]}]}]}`, "this one has 0"},
		{"a want with signs of HTML", "checks.json", "{\"steps\": [{\"checks\": [\n{\"want\": \"a <b> & \\\"é\\\"\", \"hints\": []}]}]}", "checks.json:2:"},
		{"the same table twice", "data.jsonl", "{\"table\":\"Tab\"}\n{\"table\":\"tab\"}", "data.jsonl:2: the table tab is there already"},
		{"no effect", "checks.json", `{"steps": [{"faults": {"rules": [{"effect": "Busy"}]}, "checks": [{"want": "x", "prints": "a", "hints": [{"say": "Create it."}]}]}]}`, `step 1: rule 1 of faults: there is no effect "Busy"`},
		{"faults of no operation", "checks.json", `{"steps": [{"faults": {"rules": [{"effect": "ServerBusy", "operation": "any query"}]}, "checks": [{"want": "x", "prints": "a", "hints": [{"say": "Create it."}]}]}]}`, `step 1: rule 1 of faults: there is no operation "any query"`},
		{"data without a table", "data.jsonl", `{"PartitionKey":"a","RowKey":"1"}`, "data.jsonl:1: the first line"},
		{"data that is no JSON", "data.jsonl", "{\"table\":\"Tab\"}\n{\"PartitionKey\":\"a\",\n\"RowKey\":\"1\"}", "data.jsonl:2: the line is not JSON as a whole"},
		{"a table with spaces", "data.jsonl", "{ \"table\": \"Tab\" }\n{\"RowKey\":\"1\"}", "data.jsonl:2: key is missing"},
		{"data without a key", "data.jsonl", "{\"table\":\"Tab\"}\n\n{\"RowKey\":\"1\"}", "data.jsonl:3:"},
		{"the same entity twice", "data.jsonl", "{\"table\":\"Tab\"}\n{\"PartitionKey\":\"a\",\"RowKey\":\"1\"}\n{\"PartitionKey\":\"a\",\"RowKey\":\"1\"}", "data.jsonl:3: an entity with these keys"},
		{"another file", "notes.txt", "x", "notes.txt: no such file"},
		{"a step too many", "wrong-2-x.js", "// Hint: Create\n", "wrong-2-x.js: there is no step 2"},
		{"a right answer without a reason", "right-1.js", "x\n", "right-1.js: names are"},
		{"a wrong answer without a hint", "wrong-1-no.js", "wrong\n", "wrong-1-no.js:1: the first line"},
		{"a wrong answer with another hint", "wrong-1-no.js", "// Hint: Delete\n", "wrong-1-no.js:1: no check"},
		{"too large", "start-1.js", strings.Repeat("x", maxFile+1), "start-1.js: the file has more"},
		{"a text that is too long to draw", "lesson.md", "---\ntitle: a\nteaches: a\nminutes: 5\n---\n## A\n" + strings.Repeat("`a` b ", maxPieces/2) + "\n", "lesson.md: the text has more than 2000 paragraphs"},
		{"a hint that is too long to draw", "checks.json", `{"steps": [{"checks": [{"want": "x", "prints": "a", "hints": [{"say": "` + strings.Repeat("`a` ", maxText/4) + ` b"}]}]}]}`, "more than 4000 bytes"},
		{"more checks than are read", "checks.json", `{"steps": [{"checks": [` + strings.Repeat("{},", maxFile/4) + "{}]}]}", "1 to 20 checks"},
		{"no UTF-8", "start-1.js", "\xff", "start-1.js: the file is not UTF-8"},
		{"a translation of other steps", "lesson.fr.md", "---\ntitle: a\nteaches: a\n---\n", "lesson.fr.md: it has 0 steps"},
		{"a translation of other checks", "lesson.fr.md", "---\ntitle: a\nteaches: a\n---\n## A\n### Checks\n- one\n", "lesson.fr.md:5: the step's checks and hints have 2 texts, the translation has 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files := small()
			files[test.file] = test.content
			problems := Validate("01-one", files)
			if !slices.ContainsFunc(problems, func(p Problem) bool { return strings.Contains(p.String(), test.want) }) {
				t.Errorf("got %v, want %q", problems, test.want)
			}
		})
	}
}

func TestTranslationIsChosen(t *testing.T) {
	files := small()
	files["lesson.zh-Hant.md"] = "---\ntitle: 一\nteaches: 這。\n---\n## 第一\n\n### Checks\n\n- 它存在\n- 建立它。\n"
	for _, test := range []struct{ languages, title string }{
		{"", "One"}, {"en-GB zh-Hant", "One"}, {"fr zh-TW", "一"}, {"zh-Hant-HK", "一"}, {"zh-CN", "One"}, {"zh-hant", "一"},
	} {
		l, problems := load("one", files, strings.Fields(test.languages))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		if l.Title != test.title {
			t.Errorf("%q: got %s, want %s", test.languages, l.Title, test.title)
		}
		if want := map[string]string{"One": "en", "一": "zh-Hant"}[test.title]; l.Language != want {
			t.Errorf("%q: the texts are in %q, want %q", test.languages, l.Language, want)
		}
		if c := l.Steps[0].Checks[0]; test.title == "一" && (c.Want != "它存在" || c.Hints[0].Say != "建立它。") {
			t.Errorf("the checks are %+v", c)
		}
	}
}

// TestOurLessons: what Pack takes, Unpack gives back.
func TestOurLessons(t *testing.T) {
	packed, err := Pack(os.DirFS("lessons"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := Unpack(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	folders, err := Folders(os.DirFS("lessons"))
	if err != nil || len(folders) != len(all) {
		t.Fatalf("%d of %d lessons, %v", len(all), len(folders), err)
	}
	for i, l := range all {
		if !strings.HasSuffix(folders[i], l.Name) {
			t.Errorf("%s became %s", folders[i], l.Name)
		}
	}
}

func TestFilesMayBeginWithAByteOrderMark(t *testing.T) {
	fsys := fstest.MapFS{}
	for name, text := range small() {
		fsys["01-one/"+name] = &fstest.MapFile{Data: []byte("\ufeff" + text)}
	}
	files, err := Files(fsys, "01-one")
	if err != nil {
		t.Fatal(err)
	}
	if problems := Validate("01-one", files); len(problems) > 0 {
		t.Error(problems)
	}
}

func TestTwoLessonsOfOneName(t *testing.T) {
	fsys := fstest.MapFS{"01-one/lesson.md": {}, "02-two/lesson.md": {}, "3-one/lesson.md": {}}
	if names, err := Folders(fsys); err == nil || !strings.Contains(err.Error(), `two lessons "one": 01-one and 3-one`) {
		t.Errorf("got %v, %v", names, err)
	}
}

func TestUnpackRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON": "x", "another format": `{"sandtableLessons":2}`, "nothing": `{"sandtableLessons":1}`,
		"an incomplete lesson": `{"sandtableLessons":1,"lessons":[{"name":"a","files":{}}]}`,
		"too much":             strings.Repeat(" ", MaxCourse+1),
	} {
		if _, err := Unpack([]byte(text), nil); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func FuzzLoad(f *testing.F) {
	s := small()
	f.Add(s["lesson.md"], s["checks.json"], s["data.jsonl"])
	f.Add("---\n---\n## a\n```\n## b\n| a | b |\n|-|-|\n- `x` **y** *z* [l](https://a)\n1. n\n", `{"steps":[{"checks":[{"not":{"all":[{}]}}]}]}`, `{"table":"Tab"}`)
	f.Fuzz(func(t *testing.T, text, checks, data string) {
		files := small()
		maps.Copy(files, map[string]string{"lesson.md": text, "checks.json": checks, "data.jsonl": data, "lesson.fr.md": text})
		l, problems := load("one", files, []string{"fr"})
		if len(problems) > 0 {
			return
		}
		for _, s := range l.Steps {
			s.Check(Run{Tables: l.Tables}) // must not panic
			s.Detailed()
		}
	})
}

func TestUnpackOfOtherJSON(t *testing.T) {
	if _, err := Unpack([]byte(`{"name": "sandtable"}`), nil); err == nil || err.Error() != "this is no file of lessons" {
		t.Errorf("got %v", err)
	}
}

func TestFolderWithCapitals(t *testing.T) {
	folder := fstest.MapFS{}
	for name, text := range small() {
		folder["01-One/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	if _, err := Pack(folder); err == nil || err.Error() != "01-One: a folder's name has small letters, digits and hyphens" {
		t.Errorf("got %v", err)
	}
}
