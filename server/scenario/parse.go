package scenario

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
)

//go:embed testdata/*.txt
var files embed.FS

// Scenario is a sequence of exchanges with tables of its own.
type Scenario struct {
	File, Title string
	Tables      []string
	Inserts     []Insert
	Exchanges   []Exchange
}

// Insert is an entity that is there before the first exchange.
type Insert struct{ Table, Entity string }

// Exchange is one request and the answer it must get.
type Exchange struct {
	Line         int // where the request begins in its file
	Method, Path string
	Header       []Field
	Body         string
	Want         Answer
}

// Field is a header field. In a request, Absent leaves a default out; in an
// answer it says that the field must not be there.
type Field struct {
	Name, Value string
	Absent      bool
}

// Answer is what an exchange expects. Body is a pattern, see the package's
// documentation.
type Answer struct {
	Status int
	Header []Field
	Body   string
}

// All returns the scenarios of this package, in the order of their files.
func All() ([]Scenario, error) {
	var all []Scenario
	names, err := fs.Glob(files, "testdata/*.txt")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		scenarios, err := parse(path.Base(name), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, scenarios...)
	}
	return all, nil
}

// parse reads the scenarios of one file. Errors name the file and the line.
func parse(file, text string) ([]Scenario, error) {
	p := parser{file: file, lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
	for p.at < len(p.lines) {
		if err := p.statement(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, p.at, err)
		}
	}
	return p.scenarios, nil
}

type parser struct {
	file      string
	lines     []string
	at        int // lines read so far, and so the number of the last one
	scenarios []Scenario
}

func (p *parser) next() string {
	p.at++
	return p.lines[p.at-1]
}

// statement reads a line outside of requests and answers, and the exchange that
// it begins.
func (p *parser) statement() error {
	line := strings.TrimSpace(p.next())
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case line == "" || strings.HasPrefix(line, "//"):
		return nil
	case word == "==" && rest != "":
		p.scenarios = append(p.scenarios, Scenario{File: p.file, Title: rest})
		return nil
	case len(p.scenarios) == 0:
		return errors.New("expected == and a title")
	}
	s := &p.scenarios[len(p.scenarios)-1]
	switch {
	case word == "table" && rest != "":
		s.Tables = append(s.Tables, rest)
		return nil
	case word == "insert" && rest != "":
		table, entity, _ := strings.Cut(rest, " ")
		s.Inserts = append(s.Inserts, Insert{Table: table, Entity: entity})
		return nil
	case line == ">>>":
		e, err := p.exchange()
		s.Exchanges = append(s.Exchanges, e)
		return err
	}
	return fmt.Errorf("unknown statement %q", line)
}

func (p *parser) exchange() (Exchange, error) {
	e := Exchange{Line: p.at + 1}
	head, err := p.line("a method and a path")
	if err != nil {
		return e, err
	}
	var ok bool
	if e.Method, e.Path, ok = strings.Cut(head, " "); !ok {
		return e, fmt.Errorf("expected a method and a path, found %q", head)
	}
	if e.Header, e.Body, err = p.message(func(line string) bool { return line == "<<<" }); err != nil {
		return e, err
	}
	if p.at == len(p.lines) || p.next() != "<<<" {
		return e, errors.New("expected <<< and the answer")
	}
	status, err := p.line("a status")
	if err != nil {
		return e, err
	}
	if e.Want.Status, err = strconv.Atoi(status); err != nil {
		return e, fmt.Errorf("expected a status, found %q", status)
	}
	e.Want.Header, e.Want.Body, err = p.message(func(line string) bool {
		return line == ">>>" || strings.HasPrefix(line, "== ") || strings.HasPrefix(line, "// ")
	})
	return e, err
}

func (p *parser) line(what string) (string, error) {
	if p.at == len(p.lines) {
		return "", errors.New("expected " + what)
	}
	return p.next(), nil
}

// message reads header fields and a body up to the line that ends it.
func (p *parser) message(end func(string) bool) (header []Field, body string, err error) {
	for p.at < len(p.lines) && !end(p.lines[p.at]) {
		line := p.next()
		if line == "" {
			return header, p.body(end), nil
		}
		name, value, found := strings.Cut(line, ":")
		absent, isAbsent := strings.CutPrefix(line, "!")
		switch {
		case isAbsent:
			header = append(header, Field{Name: absent, Absent: true})
		case found:
			header = append(header, Field{Name: name, Value: strings.TrimSpace(value)})
		default:
			return nil, "", fmt.Errorf("expected a header field, found %q", line)
		}
	}
	return header, "", nil
}

// body reads up to the end and leaves out empty lines before it.
func (p *parser) body(end func(string) bool) string {
	start := p.at
	for p.at < len(p.lines) && !end(p.lines[p.at]) {
		p.at++
	}
	return expand(strings.TrimRight(strings.Join(p.lines[start:p.at], "\n"), "\n"))
}

var (
	repeated  = regexp.MustCompile(`(?s)\{repeat (\d+)\}\n(.*?)\{end\}\n?`)
	character = regexp.MustCompile(`\{(.)\*(\d+)\}`)
)

// expand writes repetitions out.
func expand(text string) string {
	text = repeated.ReplaceAllStringFunc(text, func(match string) string {
		parts := repeated.FindStringSubmatch(match)
		times, _ := strconv.Atoi(parts[1])
		var b strings.Builder
		for i := range times {
			b.WriteString(strings.ReplaceAll(parts[2], "{i}", strconv.Itoa(i)))
		}
		return b.String()
	})
	return character.ReplaceAllStringFunc(text, func(match string) string {
		parts := character.FindStringSubmatch(match)
		times, _ := strconv.Atoi(parts[2])
		return strings.Repeat(parts[1], times)
	})
}

// ChangesProperties reports whether the scenario changes the service properties,
// which belong to the whole account.
func (s Scenario) ChangesProperties() bool {
	for _, x := range s.Exchanges {
		if x.Method == "PUT" && strings.Contains(x.Path, "comp=properties") {
			return true
		}
	}
	return false
}
