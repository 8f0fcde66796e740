package payload

import (
	"slices"
	"strings"

	"sandtable/odata"
)

const (
	// annotationSuffix follows a member's name in the name of its type.
	annotationSuffix = "@odata.type"
	// metadataPrefix starts the names of what is about the entity, not of it.
	metadataPrefix = "odata."
)

// member is what an object says about one property: a value, a type, or both,
// in either order.
type member struct {
	name     string
	value    token
	valueAt  int // position among the values, 0 where there is none
	typ      odata.Type
	hasType  bool
	typeFits bool // the type's name is one of the eight
}

// fewMembers is up to how many of them a search from the end beats a map.
const fewMembers = 16

// members collects those of one object. A type mostly stands next to its
// value, so the member that was found last is tried first.
//
// They stand in m itself while they are few, so that most objects are read
// without memory of their own.
type members struct {
	few   [fewMembers]member
	many  []member // in the place of few, once there were more; or nil
	n     int      // how many of few
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

// reset empties m and keeps its memory for another object.
func (m *members) reset() {
	m.many, m.n, m.index, m.last, m.count = m.many[:0], 0, nil, 0, 0
}

// member returns the one with this name, which it adds where there is none.
func (m *members) member(name string) *member {
	if list := m.list(); m.last < len(list) && list[m.last].name == name {
		return &list[m.last]
	}
	i, ok := m.find(name)
	if !ok {
		i = m.add(member{name: name})
		m.note(i)
	}
	m.last = i
	return &m.list()[i]
}

// add returns the position of a new member.
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

// note enters a new member into the index, once there are many.
func (m *members) note(i int) {
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
	p := m.member(name)
	if p.valueAt > 0 {
		return ErrDuplicateProperty
	}
	m.count++
	p.value, p.valueAt = value, m.count
	return nil
}

func (m *members) addType(name string, t token) error {
	p := m.member(name)
	if p.hasType {
		return ErrDuplicateProperty
	}
	p.hasType = true
	if t.kind == kindString {
		p.typ, p.typeFits = odata.ParseType(t.text)
	}
	return nil
}

// read collects the members of the object that is next. What is about the
// entity goes to metadata instead, and the Timestamp and its type too.
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
			// An annotation of another kind than a type.
			return nil
		}
		return m.addValue(name, value)
	})
}

// properties returns all but the keys, in the order of their values; there are
// no more than some.
func (m *members) properties(most int) ([]odata.Property, error) {
	list := m.list()
	for i := 1; i < len(list); i++ {
		if list[i].valueAt < list[i-1].valueAt {
			slices.SortFunc(list, byValue)
			break
		}
	}
	properties := make([]odata.Property, 0, most)
	for i := range list {
		p := &list[i]
		if p.name == odata.PartitionKeyName || p.name == odata.RowKeyName {
			continue
		}
		if p.hasType && !p.typeFits {
			return nil, ErrSyntax
		}
		if p.valueAt == 0 || p.value.kind == kindNull {
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

// key returns what the object says about the key with this name.
func (m *members) key(name string) BodyKey {
	i, ok := m.find(name)
	if !ok {
		return BodyKey{}
	}
	switch p := &m.list()[i]; {
	case p.valueAt == 0 || p.value.kind == kindNull:
		return BodyKey{}
	case p.value.kind != kindString || p.hasType && p.typ != odata.EdmString:
		return BodyKey{State: KeyMistyped}
	default:
		return BodyKey{State: KeyGiven, Text: p.value.text}
	}
}
