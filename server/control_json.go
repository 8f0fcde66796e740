package server

import (
	"bytes"
	"strconv"
	"strings"

	"sandtable/odata"
	"sandtable/odata/payload"
)

// object writes a JSON object, member by member.
type object struct{ text []byte }

func (o *object) name(name string) {
	if len(o.text) == 0 {
		o.text = append(o.text, '{')
	} else {
		o.text = append(o.text, ',')
	}
	o.text = append(payload.AppendString(o.text, name), ':')
}

func (o *object) string(name, value string) {
	o.name(name)
	o.text = payload.AppendString(o.text, value)
}

// optional adds a string, unless it is empty.
func (o *object) optional(name, value string) {
	if value != "" {
		o.string(name, value)
	}
}

func (o *object) int(name string, value int) {
	o.name(name)
	o.text = strconv.AppendInt(o.text, int64(value), 10)
}

func (o *object) bool(name string, value bool) {
	o.name(name)
	o.text = strconv.AppendBool(o.text, value)
}

// float adds a number with three decimals.
func (o *object) float(name string, value float64) {
	o.name(name)
	o.text = strconv.AppendFloat(o.text, value, 'f', 3, 64)
}

func (o *object) null(name string) { o.raw(name, []byte("null")) }

// raw adds a value that is JSON already.
func (o *object) raw(name string, value []byte) {
	o.name(name)
	o.text = append(o.text, value...)
}

// list adds an array of values that are JSON already.
func (o *object) list(name string, items [][]byte) {
	o.name(name)
	o.text = append(o.text, '[')
	o.text = append(o.text, bytes.Join(items, []byte(","))...)
	o.text = append(o.text, ']')
}

func (o *object) object(name string, value object) { o.raw(name, value.end()) }

func (o *object) end() []byte {
	if len(o.text) == 0 {
		return []byte("{}")
	}
	return append(o.text, '}')
}

// maxControlBody is how long a body of the control API can be, in bytes; but
// an archive.
const maxControlBody = 64 << 10

// members are what the body of a request says. An error of reading one is kept
// until finish.
type members struct {
	list []odata.Property
	err  error
}

// members reads the body, a JSON object. None at all is an empty one.
func (c *controlCall) members() (*members, error) {
	text, err := readBodyUpTo(c.http, maxControlBody)
	if err != nil {
		return nil, err
	}
	return readMembers(text)
}

func readMembers(text []byte) (*members, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return &members{}, nil
	}
	// An entity's body is a JSON object too.
	body, err := payload.DecodeEntity(text)
	if err != nil {
		return nil, invalidInput("The body is not a JSON object of texts, numbers and truths.")
	}
	if body.PartitionKey.State != payload.KeyAbsent || body.RowKey.State != payload.KeyAbsent {
		return nil, invalidInput("Here are no keys of an entity.")
	}
	return &members{list: body.Properties}, nil
}

// take takes a member out.
func (m *members) take(name string, edm odata.Type, kind string) (v odata.Value, ok bool) {
	for i, p := range m.list {
		if p.Name != name {
			continue
		}
		m.list = append(m.list[:i:i], m.list[i+1:]...)
		if p.Value.Type() != edm {
			m.fail(name + " is " + kind + ".")
			return v, false
		}
		return p.Value, true
	}
	return v, false
}

// text takes a text, "" where there is none.
func (m *members) text(name string) string {
	v, _ := m.take(name, odata.EdmString, "a text")
	return v.Text()
}

// optional takes a text, nil where there is none.
func (m *members) optional(name string) *string {
	v, ok := m.take(name, odata.EdmString, "a text")
	if !ok {
		return nil
	}
	text := v.Text()
	return &text
}

// truth takes a true or false, nil where there is none.
func (m *members) truth(name string) *bool {
	v, ok := m.take(name, odata.EdmBoolean, "true or false")
	if !ok {
		return nil
	}
	b := v.Bool()
	return &b
}

// oneOf takes a text that is one of some, "" where there is none.
func (m *members) oneOf(name string, known ...string) string {
	text := m.optional(name)
	if text == nil {
		return ""
	}
	for _, k := range known {
		if *text == k {
			return k
		}
	}
	m.fail(name + " is " + strings.Join(known, " or ") + ".")
	return ""
}

func (m *members) fail(message string) {
	if m.err == nil {
		m.err = invalidInput(message)
	}
}

// finish returns what was wrong, a member that nobody took for instance.
func (m *members) finish() error {
	if m.err == nil && len(m.list) > 0 {
		return invalidInput("There is no " + strconv.Quote(m.list[0].Name) + " here.")
	}
	return m.err
}

// positive reads a whole number of the query, preset where there is none.
func (c *controlCall) positive(name string, preset uint64) (uint64, error) {
	if !c.query.Has(name) {
		return preset, nil
	}
	n, err := strconv.ParseUint(c.query.Get(name), 10, 53)
	if err != nil {
		return 0, invalidInput(name + " is a whole number.")
	}
	return n, nil
}
