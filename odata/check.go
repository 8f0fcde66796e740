package odata

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckTableName returns why a table cannot have this name, or nil.
//
// Source: "Understanding the Table service data model", Table names.
func CheckTableName(name string) error {
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return ErrTableNameInvalid
		}
	}
	switch {
	case len(name) < MinTableNameLength || len(name) > MaxTableNameLength:
		return ErrTableNameLength
	case strings.EqualFold(name, tablesSegment):
		return ErrTableNameReserved
	}
	return nil
}

// CheckCosmosTableName returns why a table of Cosmos DB cannot have this name, or nil. All
// names that CheckTableName accepts are among these.
//
// Source: a recorded listing with a non-ASCII name, and the rule of the Azure SDK for
// Python. We also refuse parentheses, dots alone, and a dollar sign at the beginning: the
// address of such a table would mean something else.
func CheckCosmosTableName(name string) error {
	invalid := func(r rune) bool { return strings.ContainsRune(`/\#?()`, r) || unicode.IsControl(r) }
	switch {
	case name == "" || utf8.RuneCountInString(name) > MaxCosmosTableNameLength:
		return ErrTableNameLength
	case !utf8.ValidString(name) || strings.ContainsFunc(name, invalid) || strings.HasSuffix(name, " ") || name[0] == '$' || name == "." || name == "..":
		return ErrTableNameInvalid
	case strings.EqualFold(name, tablesSegment):
		return ErrTableNameReserved
	}
	return nil
}

// SecondarySuffix follows an account's name in the addresses of its secondary endpoint.
const SecondarySuffix = "-secondary"

// CheckAccountName reports whether an account can have this name: 3 to 24
// lower-case ASCII letters and digits.
func CheckAccountName(name string) bool {
	if len(name) < 3 || len(name) > 24 {
		return false
	}
	for i := range len(name) {
		if c := name[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// CheckPropertyName returns why a custom property cannot have this name, or
// nil. Names follow the rules for C# identifiers.
func CheckPropertyName(name string) error {
	if len(name) > MaxPropertyNameLength && UTF16Len(name) > MaxPropertyNameLength {
		return ErrPropertyNameTooLong
	}
	return checkIdentifier(name)
}

func checkIdentifier(name string) error {
	if isPlainIdentifier(name) {
		return nil
	}
	if name == "" {
		return ErrPropertyNameInvalid
	}
	for i, r := range name {
		if r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) {
			continue
		}
		if i == 0 || !unicode.In(r, unicode.Nd, unicode.Pc, unicode.Mn, unicode.Mc, unicode.Cf) {
			return ErrPropertyNameInvalid
		}
	}
	return nil
}

// isPlainIdentifier reports whether a name is an identifier of ASCII letters,
// digits and underscores, as nearly all are.
func isPlainIdentifier(name string) bool {
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_' {
			continue
		}
		return false
	}
	return true
}

// CheckValue returns why a property cannot have this value, or nil. The name is
// only used in the error.
func CheckValue(name string, v Value) error {
	switch v.Type() {
	case EdmString:
		// A string of n bytes has at most n UTF-16 units.
		if len(v.Text()) > MaxStringLength && UTF16Len(v.Text()) > MaxStringLength {
			return ErrPropertyValueTooLarge
		}
	case EdmBinary:
		if len(v.Text()) > MaxBinaryLength {
			return ErrPropertyValueTooLarge
		}
	case EdmDateTime:
		if d := v.DateTime(); !d.InRange() {
			return &OutOfRangeError{Property: name, Value: d.Time().Format("01/02/2006 15:04:05")}
		}
	}
	return nil
}

// CheckEntity returns why the properties cannot be stored within some limits, or
// nil: because of their names, their values or their number. Keys and the size
// of the whole entity are checked elsewhere, except that an entity with a value that
// is too large may itself be too large, which is what the service says then.
func CheckEntity(properties []Property, limits Limits) error {
	if len(properties) > limits.Properties {
		return ErrTooManyProperties
	}
	checkName := CheckPropertyName
	if !limits.EachProperty {
		checkName = checkIdentifier
	}
	for _, p := range properties {
		if err := checkName(p.Name); err != nil {
			return err
		}
		err := CheckValue(p.Name, p.Value)
		switch large := err == ErrPropertyValueTooLarge; {
		case large && !limits.EachProperty:
		case large && (&Entity{Properties: properties}).Size() > limits.EntitySize:
			return ErrEntityTooLarge
		case err != nil:
			return err
		}
	}
	return nil
}

// CosmosProperties returns the properties that Cosmos DB stores of those in a
// request: all but one named Etag.
func CosmosProperties(given []Property) []Property {
	isETag := func(p Property) bool { return p.Name == "Etag" }
	if !slices.ContainsFunc(given, isETag) {
		return given
	}
	return slices.DeleteFunc(slices.Clone(given), isETag)
}

// CheckKey returns why a key in a request body is invalid, or nil. The property
// is [PartitionKeyName] or [RowKeyName].
func CheckKey(property, key string) error {
	if strings.IndexFunc(key, notInKey) >= 0 {
		return &OutOfRangeError{Property: property, Value: key}
	}
	return checkKeyLength(key)
}

// checkAddressKey returns why a key in a URL is invalid, or nil. The service's
// errors differ from those for the same key in a body.
func checkAddressKey(key string) error {
	switch {
	case strings.IndexFunc(key, isControl) >= 0:
		return ErrKeyRejected
	case strings.ContainsAny(key, `/\`):
		return ErrPathSyntax
	case strings.IndexFunc(key, notInKey) >= 0:
		return ErrKeyOutOfRange
	}
	return checkKeyLength(key)
}

func checkKeyLength(key string) error {
	if len(key) > MaxKeyLength && UTF16Len(key) > MaxKeyLength {
		return ErrPropertyValueTooLarge
	}
	return nil
}

func notInKey(r rune) bool {
	switch r {
	case '/', '\\', '#', '?':
		return true
	}
	return r < 0x20 || r >= 0x7F && r <= 0x9F
}

// isControl reports whether the service's HTTP layer refuses a character in a
// URL. The other characters from U+0080 to U+009F reach the service.
func isControl(r rune) bool {
	switch r {
	case 0x7F, 0x81, 0x8D, 0x8F, 0x90, 0x9D:
		return true
	}
	return r < 0x20
}
