package archive

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/payload"
)

// appendKind begins a line that is no entity; a brace has to end it.
func appendKind(b []byte, kind string) []byte {
	b = append(b, '{')
	b = payload.AppendString(b, kindMember)
	b = append(b, ':')
	return payload.AppendString(b, kind)
}

func appendName(b []byte, name string) []byte {
	b = append(b, ',')
	b = payload.AppendString(b, name)
	return append(b, ':')
}

// appendText appends a member, unless it is empty.
func appendText(b []byte, name, text string) []byte {
	if text == "" {
		return b
	}
	return payload.AppendString(appendName(b, name), text)
}

func appendNumber(b []byte, name string, n int) []byte {
	return strconv.AppendInt(appendName(b, name), int64(n), 10)
}

func appendArchive(b []byte) []byte {
	return append(appendNumber(appendKind(b, archiveKind), versionMember, Version), '}')
}

func appendAccount(b []byte, a engine.Account) []byte {
	b = appendText(appendKind(b, accountKind), nameMember, a.Name)
	b = appendText(b, accessMember, a.Access.String())
	b = appendText(b, propertiesMember, a.Properties)
	b = appendText(b, primaryKeyMember, encodeKey(a.Keys[0]))
	b = appendText(b, secondaryKeyMember, encodeKey(a.Keys[1]))
	return append(b, '}')
}

func appendTable(b []byte, name, policies string) []byte {
	b = appendText(appendKind(b, tableKind), nameMember, name)
	return append(appendText(b, policiesMember, policies), '}')
}

// appendEntity appends what inserts the entity, and its Timestamp.
func appendEntity(b []byte, e *odata.Entity) []byte {
	b = payload.AppendRequest(b, e)
	b = append(appendName(b[:len(b)-1], odata.TimestampName), '"')
	return append(e.Timestamp.AppendText(b), `"}`...)
}

func appendEnd(b []byte, c Counts, damage int) []byte {
	b = appendNumber(appendKind(b, endKind), accountsMember, c.Accounts)
	b = appendNumber(b, tablesMember, c.Tables)
	b = appendNumber(b, entitiesMember, c.Entities)
	if damage > 0 {
		b = appendNumber(b, damageMember, damage)
	}
	return append(b, '}')
}

// line is a line as it was read: an entity where it has no kind.
type line struct {
	kind string
	body payload.Body
	err  error // the first that a method found
}

// decodeLine reads any line. Those that are no entities have the form of one,
// so the same decoder takes them.
func decodeLine(text []byte) (*line, error) {
	body, err := payload.DecodeEntity(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w, in the line that begins with %q", ErrSyntax, err, text[:min(len(text), 40)])
	}
	l := &line{body: body}
	kind, ok := l.take(kindMember)
	if !ok {
		return l, nil
	}
	l.kind = kind.Text()
	if kind.Type() != odata.EdmString || l.kind == "" {
		return nil, fmt.Errorf("%w: %s is not a kind of line", ErrSyntax, kindMember)
	}
	return l, nil
}

// take takes the value of a member out of the line.
func (l *line) take(name string) (odata.Value, bool) {
	members := l.body.Properties
	i := slices.IndexFunc(members, func(p odata.Property) bool { return p.Name == name })
	if i < 0 {
		return odata.Value{}, false
	}
	v := members[i].Value
	l.body.Properties = slices.Delete(members, i, i+1)
	return v, true
}

// text takes the text of a member, "" where there is none.
func (l *line) text(name string) string {
	v, ok := l.take(name)
	if ok && v.Type() != odata.EdmString {
		l.fail("%s is not a string", name)
	}
	return v.Text()
}

// number takes a count.
func (l *line) number(name string) int {
	v, _ := l.take(name)
	return l.count(name, v)
}

// numberIfAny takes a count, 0 where there is none.
func (l *line) numberIfAny(name string) int {
	v, ok := l.take(name)
	if !ok {
		return 0
	}
	return l.count(name, v)
}

// count returns the value of a member as a count.
func (l *line) count(name string, v odata.Value) int {
	n := -1.0
	switch v.Type() {
	case odata.EdmInt32:
		n = float64(v.Int())
	case odata.EdmDouble: // counts beyond an Int32; the sum is exact up to 2^53
		n = v.Float()
	}
	if n < 0 || n >= 1<<53 || n != math.Trunc(n) {
		l.fail("%s is not a count", name)
		return 0
	}
	return int(n)
}

// key takes an account's key, nil where there is none.
func (l *line) key(name string) []byte {
	text := l.text(name)
	if text == "" {
		return nil
	}
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		l.fail("%s is not Base64", name)
	}
	return key
}

func (l *line) fail(format string, a ...any) {
	if l.err == nil {
		l.err = fmt.Errorf("%w: %s", ErrSyntax, fmt.Sprintf(format, a...))
	}
}

// finish returns what was wrong with the line, whose members have been taken.
func (l *line) finish() error {
	if rest := l.body.Properties; len(rest) > 0 {
		l.fail("unknown member %q in a line about the %s", rest[0].Name, l.kind)
	}
	if l.body.PartitionKey.State != payload.KeyAbsent || l.body.RowKey.State != payload.KeyAbsent {
		l.fail("a line about the %s has an entity's keys", l.kind)
	}
	return l.err
}

// version takes the first line's.
func (l *line) version() error {
	if l.kind != archiveKind {
		return ErrNotArchive
	}
	switch n := l.number(versionMember); {
	case l.err != nil:
		return l.err
	case n > Version:
		return fmt.Errorf("%w: %d, and this program reads %d", ErrVersion, n, Version)
	case n < 1:
		l.fail("there is no version %d", n)
	}
	return l.finish()
}

// account takes an account, with its keys where it has them.
func (l *line) account() (engine.Account, error) {
	a := engine.Account{Name: l.text(nameMember), Properties: l.text(propertiesMember)}
	a.Keys = [2][]byte{l.key(primaryKeyMember), l.key(secondaryKeyMember)}
	switch access := l.text(accessMember); access {
	case engine.StrictAccess.String():
		a.Access = engine.StrictAccess
	case engine.OpenAccess.String():
		a.Access = engine.OpenAccess
	default:
		l.fail("unknown access %q", access)
	}
	return a, l.finish()
}

func (l *line) table() (name, policies string, err error) {
	name, policies = l.text(nameMember), l.text(policiesMember)
	return name, policies, l.finish()
}

// end takes what stands before the end, and how much damage left something out.
func (l *line) end() (c Counts, damage int, err error) {
	c = Counts{Accounts: l.number(accountsMember), Tables: l.number(tablesMember), Entities: l.number(entitiesMember)}
	damage = l.numberIfAny(damageMember)
	return c, damage, l.finish()
}

// entity returns an entity that a store can have.
//
// The limits are those of Cosmos DB's Table API where they are wider: its hosts
// fill the same store, and what was dumped must load.
func (l *line) entity() (*odata.Entity, error) {
	key, err := l.body.Key()
	if err != nil {
		return nil, err
	}
	e := &odata.Entity{PartitionKey: key.PartitionKey, RowKey: key.RowKey, Properties: l.body.Properties}
	if err := odata.CheckKey(odata.PartitionKeyName, e.PartitionKey); err != nil {
		return nil, err
	}
	if err := odata.CheckKey(odata.RowKeyName, e.RowKey); err != nil {
		return nil, err
	}
	if err := odata.CheckCosmosEntity(e.Properties); err != nil {
		return nil, err
	}
	if e.Size() > odata.MaxCosmosEntitySize {
		return nil, odata.ErrEntityTooLarge
	}
	return e, nil
}
