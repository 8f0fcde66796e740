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

// appendKind starts a header line; the caller appends the closing brace.
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

// appendText appends a member unless it is empty.
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

// appendEntity appends an Insert Entity request with the Timestamp.
func appendEntity(b []byte, e *odata.Entity) []byte {
	b = payload.AppendRequest(b, e)
	b = append(appendName(b[:len(b)-1], odata.TimestampName), '"')
	return append(e.Timestamp.AppendText(b), `"}`...)
}

func appendEnd(b []byte, c Counts, corruption int) []byte {
	b = appendNumber(appendKind(b, endKind), accountsMember, c.Accounts)
	b = appendNumber(b, tablesMember, c.Tables)
	b = appendNumber(b, entitiesMember, c.Entities)
	if corruption > 0 {
		b = appendNumber(b, corruptionMember, corruption)
	}
	return append(b, '}')
}

// line is a decoded line: an entity if kind is "". Its methods take members out
// of it.
type line struct {
	kind string
	body payload.Body
	err  error // the first problem found
}

// decodeLine decodes a line. Header lines have the form of entities, too.
func decodeLine(text []byte) (*line, error) {
	body, err := payload.DecodeEntity(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w, in a line that starts with %q", ErrSyntax, err, text[:min(len(text), 40)])
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

// take removes a member and returns its value.
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

// text takes a string member, "" if it is absent.
func (l *line) text(name string) string {
	v, ok := l.take(name)
	if ok && v.Type() != odata.EdmString {
		l.fail("%s is not a string", name)
	}
	return v.Text()
}

// number takes a required count.
func (l *line) number(name string) int {
	v, _ := l.take(name)
	return l.count(name, v)
}

// optionalNumber takes a count, 0 if it is absent.
func (l *line) optionalNumber(name string) int {
	v, ok := l.take(name)
	if !ok {
		return 0
	}
	return l.count(name, v)
}

// count converts the value of a member to a count.
func (l *line) count(name string, v odata.Value) int {
	n := -1.0
	switch v.Type() {
	case odata.EdmInt32:
		n = float64(v.Int())
	case odata.EdmDouble: // a count above the range of Int32
		n = v.Float()
	}
	if n < 0 || n >= 1<<53 || n != math.Trunc(n) {
		l.fail("%s is not a count", name)
		return 0
	}
	return int(n)
}

// key takes an account key, nil if it is absent.
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

// finish returns the first problem of a line; unknown members are one.
func (l *line) finish() error {
	if rest := l.body.Properties; len(rest) > 0 {
		l.fail("unknown member %q in a line of kind %s", rest[0].Name, l.kind)
	}
	if l.body.PartitionKey.State != payload.KeyAbsent || l.body.RowKey.State != payload.KeyAbsent {
		l.fail("a line of kind %s has PartitionKey or RowKey", l.kind)
	}
	return l.err
}

// version checks the first line.
func (l *line) version() error {
	if l.kind != archiveKind {
		return ErrNotArchive
	}
	switch n := l.number(versionMember); {
	case l.err != nil:
		return l.err
	case n > Version:
		return fmt.Errorf("%w: version %d, this program reads up to %d", ErrVersion, n, Version)
	case n < 1:
		l.fail("version %d does not exist", n)
	}
	return l.finish()
}

// account decodes an account, with its keys if it has them.
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

// end decodes the last line: the counts, and the number of corrupt blocks and
// records that are missing.
func (l *line) end() (c Counts, corruption int, err error) {
	c = Counts{Accounts: l.number(accountsMember), Tables: l.number(tablesMember), Entities: l.number(entitiesMember)}
	corruption = l.optionalNumber(corruptionMember)
	return c, corruption, l.finish()
}

// entity decodes an entity and checks it.
//
// The limits are the wider ones of Cosmos DB's Table API: its hosts write to the
// same store, and every dump must load.
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
	if err := odata.CheckEntity(e.Properties, odata.CosmosLimits); err != nil {
		return nil, err
	}
	if e.Size() > odata.MaxCosmosEntitySize {
		return nil, odata.ErrEntityTooLarge
	}
	return e, nil
}
