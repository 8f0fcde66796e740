package lesson

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// outline writes blocks on one line each.
func outline(blocks []Block) string {
	var lines []string
	for _, b := range blocks {
		switch {
		case b.Items != nil:
			for _, item := range b.Items {
				lines = append(lines, "item "+drawnSpans(item))
			}
		case b.Rows != nil:
			for _, row := range b.Rows {
				line := "row"
				for _, cell := range row {
					line += " | " + drawnSpans(cell)
				}
				lines = append(lines, line)
			}
		case b.Code != "":
			lines = append(lines, "code "+b.Code)
		case b.Heading:
			lines = append(lines, "heading "+drawnSpans(b.Text))
		default:
			lines = append(lines, "text "+drawnSpans(b.Text))
		}
	}
	return strings.Join(lines, "\n")
}

func drawnSpans(all []Span) (text string) {
	for _, s := range all {
		if s.Kind == Plain {
			text += s.Text
			continue
		}
		text += fmt.Sprintf("{%d %s%s}", s.Kind, s.Text, s.Href)
	}
	return text
}

func TestMarkdown(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"paragraphs", "one\ntwo\n\nthree", "text one two\ntext three"},
		{"marks", "a `b` **c** *d*", "text a {1 b} {2 c} {3 d}"},
		{"marks inside code", "`**a**`", "text {1 **a**}"},
		{"a mark alone", "2 * 3 and ` and **", "text 2 * 3 and ` and **"},
		{"a link", "see [it](https://x.example/a)", "text see {4 ithttps://x.example/a}"},
		{"a script is no link", "[it](javascript:alert(1))", "text [it](javascript:alert(1))"},
		{"HTML is text", "<b onclick=x>a</b>", "text <b onclick=x>a</b>"},
		{"a list", "- one\n  more\n- two\n\nend", "item one more\nitem two\ntext end"},
		{"a list with stars", "* *one*\n  more\n* two\n\n*end*", "item {3 one} more\nitem two\ntext {3 end}"},
		{"a numbered list", "1. one\n2. two", "item one\nitem two"},
		{"a table", "| a | b |\n| --- | --- |\n| `c` | d |", "row | a | b\nrow | {1 c} | d"},
		{"code", "```js\n## a\n\n- b\n```\nend", "code ## a\n\n- b\ntext end"},
		{"code without an end", "```\na", "code a"},
		{"brackets before a link", "[a [b](https://x.example)", "text [a {4 bhttps://x.example}"},
		{"a link that is not closed", "[a](https://x [b](https://y)", "text [a](https://x {4 bhttps://y}"},
		{"a heading", "### One\ntwo", "heading One\ntext two"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := outline(markdown(strings.Split(test.text, "\n"))); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// TestMarkdownIsLinear: a link can open a lesson of anybody's, so its size must not
// multiply. Each line of a paragraph once copied all lines before it.
func TestMarkdownIsLinear(t *testing.T) {
	for name, text := range map[string]string{
		"a paragraph": strings.Repeat("a\n", 20_000),
		"an item":     "- a\n" + strings.Repeat("a\n", 20_000),
		"brackets":    strings.Repeat("[", maxFile),
		"links":       strings.Repeat("[a](https://", maxFile/12),
	} {
		t.Run(name, func(t *testing.T) {
			lines := strings.Split(text, "\n")
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			markdown(lines)
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
				t.Errorf("%d bytes of text allocate %d", len(text), got)
			}
		})
	}
}
