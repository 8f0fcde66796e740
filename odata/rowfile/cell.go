package rowfile

import (
	"strconv"
	"strings"
	"unicode"

	"sandtable/odata"
)

// Cell is a value in a file, as it is written there.
type Cell struct {
	Text    string
	Type    odata.Type // 0 where the file does not say
	Present bool       // false where the entity lacks the property
}

// inferred are the types that a column without types may get, from the narrowest to
// the widest.
var inferred = [...]odata.Type{odata.EdmBoolean, odata.EdmInt32, odata.EdmInt64, odata.EdmDouble, odata.EdmDateTime, odata.EdmGuid}

// looksLike reports whether a text is a value of the type, and nothing would be
// lost: a number with leading zeros or a plus sign is a text.
func looksLike(text string, t odata.Type) bool {
	digits := strings.TrimPrefix(text, "-")
	isText := len(digits) > 1 && digits[0] == '0' && digits[1] != '.' || strings.HasPrefix(text, "+")
	switch t {
	case odata.EdmInt32, odata.EdmInt64:
		if isText {
			return false
		}
	case odata.EdmDouble:
		if isText || strings.Trim(text, "0123456789+-.eE") != "" {
			return false
		}
		// Digits that a Double cannot hold stay text.
		if f, err := strconv.ParseFloat(text, 64); err != nil || !isExact(text, f) {
			return false
		}
	case odata.EdmDateTime:
		_, fraction, _ := strings.Cut(text, ".")
		end := strings.IndexFunc(fraction+"Z", func(r rune) bool { return r < '0' || r > '9' })
		if !strings.Contains(text, "T") || len(strings.TrimRight(fraction[:end], "0")) > 7 {
			return false
		}
	case odata.EdmGuid:
		if strings.Count(text, "-") != 4 {
			return false
		}
	}
	_, err := parseCell(t, text)
	return err == nil
}

// isExact reports whether a Double keeps every digit of the text that it was read from.
func isExact(text string, f float64) bool {
	if !strings.ContainsAny(text, ".eE") {
		return strconv.FormatFloat(f, 'f', -1, 64) == text
	}
	digits := significant(text)
	return significant(strconv.FormatFloat(f, 'e', max(len(digits)-1, 0), 64)) == digits
}

// significant returns the digits of a number without the zeros around them.
func significant(number string) string {
	if end := strings.IndexAny(number, "eE"); end >= 0 {
		number = number[:end]
	}
	return strings.Trim(strings.Replace(strings.TrimLeft(number, "+-"), ".", "", 1), "0")
}

// parseCell reads a value as [Parse] does, and takes booleans in any case.
func parseCell(t odata.Type, text string) (odata.Value, error) {
	if t == odata.EdmBoolean {
		text = strings.ToLower(text)
	}
	return Parse(t, text)
}

// missing is what several tools export for a property that an entity lacks.
const missing = "null"

// Set gives an entity the value of a cell: a key, or a property of a type, 0 for
// the type that the cell names. It returns the value that it has set, if that is not
// a key.
func Set(e *odata.Entity, target string, t odata.Type, given Cell) (odata.Value, error) {
	switch target {
	case odata.PartitionKeyName:
		e.PartitionKey = given.Text
		return odata.Value{}, odata.CheckKey(target, given.Text)
	case odata.RowKeyName:
		e.RowKey = given.Text
		return odata.Value{}, odata.CheckKey(target, given.Text)
	}
	if t == 0 {
		t = given.Type
	}
	if t == 0 {
		t = odata.EdmString
	}
	emptyBinary := t == odata.EdmBinary && given.Type == t && given.Text == ""
	if t != odata.EdmString && !emptyBinary && (given.Text == "" || given.Text == missing) {
		return odata.Value{}, nil
	}
	v, err := parseCell(t, given.Text)
	if err == nil {
		e.Properties = append(e.Properties, odata.Property{Name: target, Value: v})
	}
	return v, err
}

// Check applies the service's limits of an entity. [Set] has checked the keys.
func Check(e *odata.Entity) error {
	if err := odata.CheckEntity(e.Properties, odata.StorageLimits); err != nil {
		return err
	}
	if e.Size() > odata.MaxEntitySize {
		return odata.ErrEntityTooLarge
	}
	return nil
}

// PropertyName returns the name of the property that a column becomes at first:
// a key, in whatever spelling, or its own name with underscores for what names of
// properties may not contain.
func PropertyName(name string) string {
	switch strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name)) {
	case "partitionkey":
		return odata.PartitionKeyName
	case "rowkey":
		return odata.RowKeyName
	}
	if odata.CheckPropertyName(name) == nil {
		return name
	}
	valid := strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, name)
	if odata.CheckPropertyName(valid) != nil {
		valid = "_" + valid
	}
	return valid
}

// Targets returns the property that each column becomes, "" for one that is left
// out: what the service sets, and a second column for the same property. A column that
// has the very name of a property comes before one that is like it.
func Targets(names []string) []string {
	exact, taken := map[string]bool{}, map[string]bool{"": true}
	for _, name := range names {
		exact[name] = true
	}
	targets := make([]string, len(names))
	for i, name := range names {
		if name == odata.TimestampName || strings.HasPrefix(name, "odata.") {
			continue // the service sets it
		}
		target := PropertyName(name)
		if target != name && exact[target] {
			target = ""
			if odata.CheckPropertyName(name) == nil {
				target = name
			}
		}
		if !taken[target] {
			taken[target] = true
			targets[i] = target
		}
	}
	return targets
}
