package tabular

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sandtable/odata"
	"sandtable/odata/rowfile"
)

// Plan is what an import would write.
type Plan struct {
	Rows       []PlannedRow // in the order of their partitions, then of the file
	Partitions int
	Problems   []Problem // by line
	Found      []Found   // one per column
}

// ProblemRows returns how many rows have a problem.
func (p *Plan) ProblemRows() int {
	rows, last := 0, 0
	for _, problem := range p.Problems {
		if problem.Line != last {
			rows, last = rows+1, problem.Line
		}
	}
	return rows
}

// PlannedRow is an entity and the line of the file that it comes from.
type PlannedRow struct {
	Line   int
	Entity *odata.Entity
}

// Plan turns the rows into entities. Of rows with the same keys the first
// counts, and the others are problems. The error is that of a step.
func (s *Source) Plan(step Step) (Plan, error) {
	p := planner{source: s, seen: map[odata.Key]int{}, problems: slices.Clone(s.Broken), found: make([]columnFound, len(s.Columns))}
	p.fixed, p.numbered = s.FillKeys && !s.becomes(odata.PartitionKeyName), s.FillKeys && !s.becomes(odata.RowKeyName)
	if missing := s.MissingKey(); missing != "" && !s.FillKeys {
		p.problems = append(p.problems, Problem{Column: missing, Text: "no column becomes the " + missing, Reason: "PropertiesNeedValue"})
	} else {
		p.rows = make([]PlannedRow, 0, len(s.rows))
		for i, r := range s.rows {
			if err := step.at("Checking", i, len(s.rows)); err != nil {
				return Plan{}, err
			}
			p.add(r)
		}
	}
	slices.SortStableFunc(p.problems, func(a, b Problem) int { return a.Line - b.Line })
	if err := p.sort(step); err != nil {
		return Plan{}, err
	}
	plan := Plan{Problems: p.problems, Rows: p.rows}
	for i, r := range p.rows {
		if err := step.at("Counting partitions", i, len(p.rows)); err != nil {
			return Plan{}, err
		}
		if i == 0 || r.Entity.PartitionKey != p.rows[i-1].Entity.PartitionKey {
			plan.Partitions++
		}
	}
	for i, f := range p.found {
		plan.Found = append(plan.Found, Found{Text: f.text(s.Columns[i], len(s.rows), plan.Partitions), Problems: f.problems})
	}
	return plan, nil
}

// MissingKey returns the key that no column becomes, "" if there are both.
func (s *Source) MissingKey() string {
	for _, name := range []string{odata.PartitionKeyName, odata.RowKeyName} {
		if !s.becomes(name) {
			return name
		}
	}
	return ""
}

// HasKeys reports whether columns become both keys.
func (s *Source) HasKeys() bool { return s.MissingKey() == "" }

// becomes reports whether a column becomes this property.
func (s *Source) becomes(property string) bool {
	return slices.ContainsFunc(s.Columns, func(c Column) bool { return c.Target == property })
}

type planner struct {
	source   *Source
	rows     []PlannedRow
	seen     map[odata.Key]int // the line of each key
	problems []Problem
	found    []columnFound
	fixed    bool // the PartitionKey is the same for all rows
	numbered bool // the RowKey is the number of the line
}

// add turns a row into an entity, or notes why it cannot.
func (p *planner) add(r row) {
	e := &odata.Entity{Properties: make([]odata.Property, 0, len(r.cells))}
	if p.fixed {
		e.PartitionKey = p.source.Partition
	}
	if p.numbered {
		e.RowKey = fmt.Sprintf("%09d", r.line)
	}
	before := len(p.problems)
	for i, cell := range r.cells {
		c := p.source.Columns[i]
		if c.Target == "" {
			continue
		}
		if !cell.Present {
			p.found[i].empty++
			if p.source.Format != rowfile.CSV && (c.Target == odata.PartitionKeyName || c.Target == odata.RowKeyName) {
				p.problems = append(p.problems, Problem{Line: r.line, Column: c.Name, Text: "there is no " + c.Target, Reason: "PropertiesNeedValue"})
			}
			continue
		}
		v, err := rowfile.Set(e, c.Target, c.Type, cell)
		if err == nil {
			p.found[i].add(v)
		} else {
			p.found[i].problems++
			p.problems = append(p.problems, Problem{Line: r.line, Column: c.Name, Text: quoted(cell.Text) + ": " + reason(c, err), Reason: hint(cell.Text, err)})
		}
	}
	if len(p.problems) > before {
		return
	}
	if err := rowfile.Check(e); err != nil {
		p.problems = append(p.problems, Problem{Line: r.line, Text: err.Error(), Reason: code(err)})
		return
	}
	if first, twice := p.seen[e.Key()]; twice {
		p.problems = append(p.problems, Problem{Line: r.line, Column: p.keys(), Text: fmt.Sprintf("the same keys as %s %d", p.source.Unit(), first), Reason: "duplicate keys"})
		return
	}
	p.seen[e.Key()] = r.line
	p.rows = append(p.rows, PlannedRow{Line: r.line, Entity: e})
}

// keys names the columns that become keys.
func (p *planner) keys() string {
	var names []string
	for _, c := range p.source.Columns {
		if c.Target == odata.PartitionKeyName || c.Target == odata.RowKeyName {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, ", ")
}

// reason says why a cell cannot become a value.
func reason(c Column, err error) string {
	var outOfRange *odata.OutOfRangeError
	if errors.As(err, &outOfRange) && (c.Target == odata.PartitionKeyName || c.Target == odata.RowKeyName) {
		return "a " + c.Target + ` may not contain / \ # ? or control characters`
	}
	return err.Error()
}

// sort orders the rows by partition.
func (p *planner) sort(step Step) (err error) {
	n := 0
	slices.SortStableFunc(p.rows, func(a, b PlannedRow) int {
		if n++; err == nil && n%(10*stepRows) == 0 {
			err = step.call(Progress{Doing: "Sorting", Rows: len(p.rows), Fraction: 1})
		}
		if err != nil {
			return 0 // rows that are all equal are sorted
		}
		return odata.Compare(a.Entity.PartitionKey, b.Entity.PartitionKey)
	})
	return err
}

// codes are the service's codes of the limits that a row can pass.
var codes = []struct {
	err  error
	code string
}{
	{odata.ErrPropertyNameInvalid, "PropertyNameInvalid"},
	{odata.ErrPropertyNameTooLong, "PropertyNameTooLong"},
	{odata.ErrPropertyValueTooLarge, "PropertyValueTooLarge"},
	{odata.ErrTooManyProperties, "TooManyProperties"},
	{odata.ErrEntityTooLarge, "EntityTooLarge"},
}

func code(err error) string {
	var outOfRange *odata.OutOfRangeError
	if errors.As(err, &outOfRange) {
		return "OutOfRangeInput"
	}
	for _, known := range codes {
		if errors.Is(err, known.err) {
			return known.code
		}
	}
	return ""
}

// hint explains a value that looks right in another notation.
func hint(text string, err error) string {
	if known := code(err); known != "" {
		return known
	}
	if strings.Contains(text, ",") && strings.Trim(text, "0123456789.,+-") == "" {
		return "decimal comma"
	}
	return ""
}

// quoted shortens a cell for a message.
func quoted(text string) string {
	const most = 60
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return text
}
