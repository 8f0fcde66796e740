package control

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/server"
)

// maxBody limits the body of a request that is not an archive, in bytes.
const maxBody = 64 << 10

// members are the members of a request's JSON object. The first error is kept
// until finish.
type members struct {
	list []odata.Property
	err  error
}

// members reads the body, a JSON object. An empty body is an empty object.
func (c *call) members() (*members, error) {
	body, err := server.ReadBody(c.http, maxBody)
	if err != nil {
		return nil, err
	}
	return readMembers(body)
}

func readMembers(data []byte) (*members, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return &members{}, nil
	}
	// The body of an entity is a flat JSON object too.
	body, err := payload.DecodeEntity(data)
	if err != nil {
		return nil, invalidInput("The body must be a JSON object of strings, numbers and booleans.")
	}
	parts, err := payload.SplitObject(data)
	if err != nil {
		return nil, invalidInput("The body must be a JSON object.")
	}
	for _, part := range parts {
		// Nulls, keys and metadata are not among the properties of an entity.
		if !slices.ContainsFunc(body.Properties, func(p odata.Property) bool { return p.Name == part.Name }) {
			return nil, invalidInput("The member " + strconv.Quote(part.Name) + " is unknown or null.")
		}
	}
	return &members{list: body.Properties}, nil
}

// take removes and returns a member.
func (m *members) take(name string, edm odata.Type, kind string) (v odata.Value, ok bool) {
	for i, p := range m.list {
		if p.Name != name {
			continue
		}
		m.list = append(m.list[:i:i], m.list[i+1:]...)
		if p.Value.Type() != edm {
			m.fail(name + " must be " + kind + ".")
			return v, false
		}
		return p.Value, true
	}
	return v, false
}

// string takes a string, "" if it is missing.
func (m *members) string(name string) string {
	v, _ := m.take(name, odata.EdmString, "a string")
	return v.Text()
}

// optional takes a string, nil if it is missing.
func (m *members) optional(name string) *string {
	v, ok := m.take(name, odata.EdmString, "a string")
	if !ok {
		return nil
	}
	s := v.Text()
	return &s
}

// bool takes a boolean, nil if it is missing.
func (m *members) bool(name string) *bool {
	v, ok := m.take(name, odata.EdmBoolean, "true or false")
	if !ok {
		return nil
	}
	b := v.Bool()
	return &b
}

// oneOf takes one of some strings, "" if it is missing.
func (m *members) oneOf(name string, known ...string) string {
	s := m.optional(name)
	if s == nil {
		return ""
	}
	for _, k := range known {
		if *s == k {
			return k
		}
	}
	m.fail(name + " must be " + strings.Join(known, " or ") + ".")
	return ""
}

// time takes a time, the zero time if it is missing.
func (m *members) time(name string) time.Time {
	s := m.optional(name)
	if s == nil {
		return time.Time{}
	}
	instant, ok := odata.ParseDateTime(*s)
	if !ok {
		m.fail(name + " must be a time such as 2030-01-31T12:00:00Z.")
		return time.Time{}
	}
	return instant.Time()
}

func (m *members) fail(message string) {
	if m.err == nil {
		m.err = invalidInput(message)
	}
}

// finish returns the first error; a member that was not taken is one.
func (m *members) finish() error {
	if m.err == nil && len(m.list) > 0 {
		return invalidInput("Unknown member " + strconv.Quote(m.list[0].Name) + ".")
	}
	return m.err
}
