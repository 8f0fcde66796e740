package payload

import (
	"slices"
	"strings"

	"sandtable/odata"
)

const (
	// annotationSuffix follows a member's name in the name of its type.
	annotationSuffix = "@odata.type"
	// metadataPrefix starts the names of metadata, which are not properties.
	metadataPrefix = "odata."
)

// member is one property of an object: a value, a type annotation or both, in
// either order.
type member struct {
	name     string
	value    token
	valueAt  int // position among the values, 0 without a value
	typ      odata.Type
	hasType  bool
	typeFits bool // the annotation names one of the eight types
}

// fewMembers is the number of members up to which a linear search beats a map.
const fewMembers = 16

// maxMembers limits the names in one object, nulls and annotations without a
// value included. It bounds what decoding costs; how many properties can be
// stored is checked by [odata.CheckEntity].
const maxMembers = 4 * odata.MaxProperties

// members collects the members of one object. An annotation is usually next to
// its value, so the member found last is tried first.
//
// The first few are stored inline, so most objects need no allocation.
type members struct {
	few   [fewMembers]member
	many  []member // replaces few once that is full; or nil
	n     int      // members in few
	index map[string]int
	last  int
	count int // of values
}

func (m *members) list() []member {
	if m.many != nil {
		return m.many
	}
	return m.few[:m.n]
}

// reset empties m and keeps its memory for the next object.
func (m *members) reset() {
	m.many, m.n, m.index, m.last, m.count = m.many[:0], 0, nil, 0, 0
}

// member returns the member with this name, adding it if needed.
func (m *members) member(name string) (*member, error) {
	if list := m.list(); m.last < len(list) && list[m.last].name == name {
		return &list[m.last], nil
	}
	i, ok := m.find(name)
	if !ok {
		if len(m.list()) == maxMembers {
			return nil, odata.ErrTooManyProperties
		}
		i = m.add(member{name: name})
		m.addToIndex(i)
	}
	m.last = i
	return &m.list()[i], nil
}

// add appends a member and returns its position.
func (m *members) add(p member) int {
	if m.many == nil && m.n < fewMembers {
		m.few[m.n] = p
		m.n++
		return m.n - 1
	}
	if m.many == nil {
		m.many = append(make([]member, 0, 4*fewMembers), m.few[:]...)
	}
	m.many = append(m.many, p)
	return len(m.many) - 1
}

func (m *members) find(name string) (int, bool) {
	if m.index != nil {
		i, ok := m.index[name]
		return i, ok
	}
	for i, list := 0, m.list(); i < len(list); i++ {
		if list[i].name == name {
			return i, true
		}
	}
	return 0, false
}

// addToIndex adds member i to the index, which exists once there are more than
// a few members.
func (m *members) addToIndex(i int) {
	list := m.list()
	switch {
	case m.index != nil:
		m.index[list[i].name] = i
	case len(list) > fewMembers:
		m.index = make(map[string]int, 4*fewMembers)
		for j := range list {
			m.index[list[j].name] = j
		}
	}
}

func (m *members) addValue(name string, value token) error {
	p, err := m.member(name)
	switch {
	case err != nil:
		return err
	case p.valueAt > 0:
		return ErrDuplicateProperty
	}
	m.count++
	p.value, p.valueAt = value, m.count
	return nil
}

func (m *members) addType(name string, t token) error {
	p, err := m.member(name)
	switch {
	case err != nil:
		return err
	case p.hasType:
		return ErrDuplicateProperty
	}
	p.hasType = true
	if t.kind == kindString {
		p.typ, p.typeFits = odata.ParseType(t.text)
	}
	return nil
}

// read collects the members of the next object. Metadata and the Timestamp are
// passed to metadata instead; the Timestamp's type is ignored.
func (m *members) read(s *scanner, metadata func(name string, value token)) error {
	return s.object(func(name string) error {
		value, ok := s.value()
		if !ok {
			return ErrSyntax
		}
		if strings.HasPrefix(name, metadataPrefix) || name == odata.TimestampName {
			metadata(name, value)
			return nil
		}
		if strings.IndexByte(name, '@') < 0 {
			return m.addValue(name, value)
		}
		annotated, isType := strings.CutSuffix(name, annotationSuffix)
		switch {
		case isType && annotated == odata.TimestampName:
			return nil
		case isType:
			return m.addType(annotated, value)
		case strings.Contains(name, "@"+metadataPrefix):
			// An annotation other than a type.
			return nil
		}
		return m.addValue(name, value)
	})
}

// properties returns the members that are not keys, in the order of their
// values. The capacity is an upper bound of their number.
func (m *members) properties(capacity int) ([]odata.Property, error) {
	list := m.list()
	for i := 1; i < len(list); i++ {
		if list[i].valueAt < list[i-1].valueAt {
			slices.SortFunc(list, byValue)
			break
		}
	}
	properties := make([]odata.Property, 0, capacity)
	for i := range list {
		p := &list[i]
		if p.name == odata.PartitionKeyName || p.name == odata.RowKeyName {
			continue
		}
		if p.hasType && !p.typeFits {
			return nil, ErrSyntax
		}
		if p.value.kind == kindNull { // or there is only a type
			continue
		}
		v, ok := convert(p.value, p.typ)
		if !ok {
			return nil, ErrSyntax
		}
		properties = append(properties, odata.Property{Name: p.name, Value: v})
	}
	return properties, nil
}

func byValue(a, b member) int { return a.valueAt - b.valueAt }

// key returns the key with this name as the object has it.
func (m *members) key(name string) BodyKey {
	i, ok := m.find(name)
	if !ok {
		return BodyKey{}
	}
	switch p := &m.list()[i]; {
	case p.value.kind == kindNull: // or there is only a type
		return BodyKey{}
	case p.value.kind != kindString || p.hasType && p.typ != odata.EdmString:
		return BodyKey{State: KeyMistyped}
	default:
		return BodyKey{State: KeyGiven, Text: p.value.text}
	}
}
