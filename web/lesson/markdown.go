package lesson

import "strings"

// Block is a part of a text: a paragraph, or what its fields say.
type Block struct {
	Text    []Span     // of a paragraph or a heading
	Heading bool       // below the step's own
	Items   [][]Span   // of a list
	Ordered bool       // the list is numbered
	Rows    [][][]Span // of a table, the first is its head
	Code    string     // of a fenced block
}

// Span is a piece of a line.
type Span struct {
	Text string
	Kind SpanKind
	Href string // of a link
}

// SpanKind is how a span is written.
type SpanKind uint8

// The kinds.
const (
	Plain SpanKind = iota
	Code
	Strong
	Emphasis
	Link
)

// markdown reads the subset of Markdown that texts are written in: paragraphs,
// ### headings, lists, tables, fenced code, `code`, **strong**, *emphasis* and
// links to https addresses. All else, HTML above all, is text.
func markdown(lines []string) (blocks []Block) {
	for i := 0; i < len(lines); {
		line := strings.TrimSpace(lines[i])
		switch {
		case line == "":
			i++
		case strings.HasPrefix(line, "```"):
			end := i + 1
			for end < len(lines) && strings.TrimSpace(lines[end]) != "```" {
				end++
			}
			blocks = append(blocks, Block{Code: strings.Join(lines[i+1:min(end, len(lines))], "\n")})
			i = end + 1
		case strings.HasPrefix(line, "### "):
			blocks = append(blocks, Block{Heading: true, Text: Spans(line[4:])})
			i++
		case line[0] == '|':
			b := Block{}
			for ; i < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[i]), "|"); i++ {
				if row := strings.TrimSpace(lines[i]); strings.Trim(row, "|-: ") != "" {
					b.Rows = append(b.Rows, cells(row))
				}
			}
			if b.Rows != nil {
				blocks = append(blocks, b)
			}
		case item(line) != "":
			b := Block{Ordered: line[0] != '-' && line[0] != '*'}
			for i < len(lines) && item(strings.TrimSpace(lines[i])) != "" {
				var text string
				text, i = joined(item(strings.TrimSpace(lines[i])), lines, i+1)
				b.Items = append(b.Items, Spans(text))
			}
			blocks = append(blocks, b)
		default:
			var text string
			text, i = joined(line, lines, i+1)
			blocks = append(blocks, Block{Text: Spans(text)})
		}
	}
	return blocks
}

// joined returns a line with those that continue it, from i on, and the index after them.
func joined(line string, lines []string, i int) (text string, next int) {
	parts := []string{line}
	for ; i < len(lines) && continues(lines[i]); i++ {
		parts = append(parts, strings.TrimSpace(lines[i]))
	}
	return strings.Join(parts, " "), i
}

// continues reports whether a line continues the paragraph or item above it.
func continues(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && item(line) == "" && line[0] != '|' && !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "### ")
}

// item returns the text of a list's item, "" for another line.
func item(line string) string {
	if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") {
		return strings.TrimSpace(line[2:])
	}
	digits := strings.TrimLeft(line, "0123456789")
	if text, ok := strings.CutPrefix(digits, ". "); ok && len(digits) < len(line) {
		return strings.TrimSpace(text)
	}
	return ""
}

func cells(row string) (all [][]Span) {
	row = strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|")
	for cell := range strings.SplitSeq(row, "|") {
		all = append(all, Spans(strings.TrimSpace(cell)))
	}
	return all
}

// marks are what encloses spans, the longest first.
var marks = []struct {
	mark string
	kind SpanKind
}{{"`", Code}, {"**", Strong}, {"*", Emphasis}}

// Spans reads the marks in a line, such as a hint. A mark without its partner is text.
func Spans(line string) (all []Span) {
	plain := 0
	add := func(i, end int, s Span) int {
		if i > plain {
			all = append(all, Span{Text: line[plain:i]})
		}
		all = append(all, s)
		plain = end
		return end
	}
next:
	for i := 0; i < len(line); {
		for _, m := range marks {
			if !strings.HasPrefix(line[i:], m.mark) {
				continue
			}
			from := i + len(m.mark)
			if n := strings.Index(line[from:], m.mark); n > 0 && (m.kind == Code || line[from] != ' ' && line[from+n-1] != ' ') {
				i = add(i, from+n+len(m.mark), Span{Text: line[from : from+n], Kind: m.kind})
				continue next
			}
			i += len(m.mark)
			continue next
		}
		if line[i] == '[' {
			if text, href, end := link(line[i:]); end > 0 {
				i = add(i, i+end, Span{Text: text, Kind: Link, Href: href})
				continue
			}
		}
		i++
	}
	if plain < len(line) {
		all = append(all, Span{Text: line[plain:]})
	}
	return all
}

// link reads a link at the start of a line; end is 0 if there is none. It looks no
// further than the next bracket, so a line of brackets is read in linear time.
func link(line string) (text, href string, end int) {
	n := strings.IndexAny(line[1:], "[]")
	if n < 0 {
		return "", "", 0
	}
	text = line[1 : 1+n]
	rest, ok := strings.CutPrefix(line[1+n:], "](")
	closed := strings.IndexAny(rest, ")[")
	if !ok || closed < 0 || rest[closed] != ')' || !strings.HasPrefix(rest, "https://") {
		return "", "", 0
	}
	return text, rest[:closed], 1 + n + 2 + closed + 1
}

// pieces returns about how many elements draw blocks.
func pieces(blocks []Block) (n int) {
	for _, b := range blocks {
		n += 1 + len(b.Text)
		for _, item := range b.Items {
			n += 1 + len(item)
		}
		for _, row := range b.Rows {
			n++
			for _, cell := range row {
				n += 1 + len(cell)
			}
		}
	}
	return n
}
