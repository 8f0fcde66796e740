package payload

import (
	"unsafe"

	"sandtable/odata"
)

// KeyState says in which way a request's body has a key.
type KeyState uint8

// The ways in which a body can have a key.
const (
	// KeyAbsent is a key that is not there, or null.
	KeyAbsent KeyState = iota
	// KeyGiven is a key that is there as it must be, as a string.
	KeyGiven
	// KeyMistyped is a key that is there with another type.
	KeyMistyped
)

// BodyKey is what a request's body says about one key.
type BodyKey struct {
	State KeyState
	Text  string // of a KeyGiven
}

// Body is the body of a request that inserts, replaces or merges an entity.
type Body struct {
	// PartitionKey and RowKey are for inserts, see [Body.Key]. Elsewhere the
	// address has the keys, and those of the body mean nothing.
	PartitionKey BodyKey
	RowKey       BodyKey
	// Properties are the custom properties in the order of the request,
	// without nulls. Their names and values are not checked against limits.
	Properties []odata.Property
}

// Key returns the keys of an insert. The error is ErrKeyMissing or
// ErrKeyType.
func (b *Body) Key() (odata.Key, error) {
	switch {
	case b.PartitionKey.State == KeyAbsent || b.RowKey.State == KeyAbsent:
		return odata.Key{}, ErrKeyMissing
	case b.PartitionKey.State == KeyMistyped || b.RowKey.State == KeyMistyped:
		return odata.Key{}, ErrKeyType
	}
	return odata.Key{PartitionKey: b.PartitionKey.Text, RowKey: b.RowKey.Text}, nil
}

// DecodeEntity reads the body of a request that inserts, replaces or merges an
// entity. The type of a property is that of its annotation, before or behind
// the value, or else what JSON shows; nulls and annotations without a value
// give no property. Members that start with "odata." and the Timestamp mean
// nothing in any form.
//
// The error is ErrSyntax or ErrDuplicateProperty. A body that is no UTF-8, or
// has half of a surrogate pair in it, is ErrSyntax: a value must come back as
// it was sent.
//
// Texts in the result share one copy of the body.
func DecodeEntity(body []byte) (Body, error) { return decodeEntity(string(body)) }

// DecodeEntityInPlace is [DecodeEntity] of a body that nobody changes any more:
// texts in the result are parts of it. The entities of a batch would otherwise
// be copied once more, each by itself.
func DecodeEntityInPlace(body []byte) (Body, error) {
	return decodeEntity(unsafe.String(unsafe.SliceData(body), len(body)))
}

func decodeEntity(text string) (Body, error) {
	s, ok := newScanner(text)
	if !ok {
		return Body{}, ErrSyntax
	}
	var m members
	if err := m.read(&s, func(string, token) {}); err != nil {
		return Body{}, err
	}
	if !s.atEnd() {
		return Body{}, ErrSyntax
	}
	// The keys come first, as the properties may be put into another order.
	b := Body{PartitionKey: m.key(odata.PartitionKeyName), RowKey: m.key(odata.RowKeyName)}
	most := m.count
	for _, key := range []BodyKey{b.PartitionKey, b.RowKey} {
		if key.State != KeyAbsent {
			most--
		}
	}
	var err error
	if b.Properties, err = m.properties(most); err != nil {
		return Body{}, err
	}
	return b, nil
}

// tableNameMember is the only one that a table has.
const tableNameMember = "TableName"

// DecodeTableName reads the body of a request that creates a table, or of the
// response with a single one; other members than the name mean nothing. The name is not checked against limits.
//
// The error is ErrSyntax, ErrDuplicateProperty, ErrKeyType for a name that is
// no string, or ErrNoTableName.
func DecodeTableName(body []byte) (string, error) {
	var name token
	err := decodeWhole(body, func(s *scanner) (err error) {
		name, err = readTableName(s)
		return err
	})
	switch {
	case err != nil:
		return "", err
	case name.kind == kindNull, name.kind == kindString && name.text == "":
		return "", ErrNoTableName
	case name.kind != kindString:
		return "", ErrKeyType
	}
	return name.text, nil
}

// readTableName returns the name in the object that is next, null where it has
// none.
func readTableName(s *scanner) (token, error) {
	var table token
	seen := false
	err := s.object(func(name string) error {
		value, ok := s.value()
		switch {
		case !ok:
			return ErrSyntax
		case name != tableNameMember:
			return nil
		case seen:
			return ErrDuplicateProperty
		}
		table, seen = value, true
		return nil
	})
	return table, err
}

// decodeWhole has read take the body's one value.
func decodeWhole(body []byte, read func(*scanner) error) error {
	s, ok := newScanner(string(body))
	if !ok {
		return ErrSyntax
	}
	if err := read(&s); err != nil {
		return err
	}
	if !s.atEnd() {
		return ErrSyntax
	}
	return nil
}
