package payload

import (
	"unsafe"

	"sandtable/odata"
)

// KeyState is the state of a key in a request body.
type KeyState uint8

// The states of a key.
const (
	// KeyAbsent means absent or null.
	KeyAbsent KeyState = iota
	// KeyGiven means present as a string.
	KeyGiven
	// KeyMistyped means present with another type.
	KeyMistyped
)

// BodyKey is a key in a request body.
type BodyKey struct {
	State KeyState
	Text  string // if KeyGiven
}

// Body is the body of a request that inserts, replaces or merges an entity.
type Body struct {
	// PartitionKey and RowKey are for inserts; see [Body.Key]. For all others the
	// keys in the URL count and those in the body are ignored.
	PartitionKey BodyKey
	RowKey       BodyKey
	// Properties are the custom properties in the order of the request, without
	// nulls. Limits are not checked; see [odata.CheckEntity].
	Properties []odata.Property
}

// Key returns the key of an insert. The error is ErrKeyMissing or ErrKeyType.
func (b *Body) Key() (odata.Key, error) {
	switch {
	case b.PartitionKey.State == KeyAbsent || b.RowKey.State == KeyAbsent:
		return odata.Key{}, ErrKeyMissing
	case b.PartitionKey.State == KeyMistyped || b.RowKey.State == KeyMistyped:
		return odata.Key{}, ErrKeyType
	}
	return odata.Key{PartitionKey: b.PartitionKey.Text, RowKey: b.RowKey.Text}, nil
}

// DecodeEntity decodes the body of a request that inserts, replaces or merges an
// entity. The type of a property is that of its annotation, before or after the
// value, or else the type inferred from JSON. Nulls and annotations without a
// value give no property. Members that start with "odata." and the Timestamp are
// ignored in any form.
//
// The error is ErrSyntax, ErrDuplicateProperty, or [odata.ErrTooManyProperties]
// for more than four times as many names as an entity can have properties.
// Invalid UTF-8 and unpaired surrogates are ErrSyntax: a value must be returned
// as it was sent.
//
// Strings in the result share one copy of the body.
func DecodeEntity(body []byte) (Body, error) { return decodeEntity(string(body)) }

// DecodeEntityInPlace is [DecodeEntity] for a body that is not modified any more:
// strings in the result are parts of it.
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
	// The keys come first: properties reorders the members.
	b := Body{PartitionKey: m.key(odata.PartitionKeyName), RowKey: m.key(odata.RowKeyName)}
	capacity := m.count
	for _, key := range []BodyKey{b.PartitionKey, b.RowKey} {
		if key.State != KeyAbsent {
			capacity--
		}
	}
	var err error
	if b.Properties, err = m.properties(capacity); err != nil {
		return Body{}, err
	}
	return b, nil
}

// tableNameMember is the only member of a table.
const tableNameMember = "TableName"

// DecodeTableName decodes the body of a request that creates a table, or of the
// response with a single one. Other members than the name are ignored. The name
// is not checked; see [odata.CheckTableName].
//
// The error is ErrSyntax, ErrDuplicateProperty, ErrKeyType for a name that is not
// a string, or ErrNoTableName.
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

// readTableName returns the name in the next object, null if it is absent.
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

// decodeWhole calls read for the body, which must be one value.
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
