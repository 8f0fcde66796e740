package draft

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sandtable/odata"
	"sandtable/odata/rowfile"
)

// Draft is an entity that is being edited. Its zero value is a new entity
// without properties.
type Draft struct {
	// Loaded says that the entity exists: its keys are fixed and Save replaces it.
	Loaded       bool
	Tag          string // of the entity that was loaded
	PartitionKey string
	RowKey       string
	Properties   []Property

	original *odata.Entity
	lastID   int
}

// Property is a property that is being edited.
type Property struct {
	ID    int // stays the same while others come and go
	Name  string
	Type  odata.Type
	Text  string // as it was loaded or entered, also for a Boolean
	Fixed bool   // it was loaded with this name, or the table has it
	// Null says that the entity has no such property: the service stores no nulls.
	Null bool
	Hex  bool // the text of a Binary is hexadecimal, not base64

	loaded     odata.Value
	loadedText string
}

// New returns the draft of a new entity with one empty property.
func New() Draft {
	var d Draft
	d.Add()
	return d
}

// Of returns the draft of an entity that was loaded.
func Of(e *odata.Entity, tag string) Draft {
	d := Draft{Loaded: true, Tag: tag, PartitionKey: e.PartitionKey, RowKey: e.RowKey, original: e}
	for _, p := range e.Properties {
		d.lastID++
		text := rowfile.Text(p.Value)
		d.Properties = append(d.Properties, Property{
			ID: d.lastID, Name: p.Name, Type: p.Value.Type(), Text: text, Fixed: true, loaded: p.Value, loadedText: text,
		})
	}
	return d
}

// Duplicate returns a draft of a new entity with the same keys, to be changed,
// and the same properties.
func (d Draft) Duplicate() Draft {
	d.Loaded, d.Tag, d.original = false, "", nil
	return d
}

// Onto returns the draft as changes of an entity that is stored now.
func (d Draft) Onto(e *odata.Entity, tag string) Draft {
	d.Loaded, d.Tag, d.original = true, tag, e
	return d
}

// Original returns the entity that was loaded, nil for a new one.
func (d Draft) Original() *odata.Entity { return d.original }

// Key returns the draft's keys.
func (d Draft) Key() odata.Key {
	return odata.Key{PartitionKey: d.PartitionKey, RowKey: d.RowKey}
}

// Add adds an empty property, a string, and returns its identity.
func (d *Draft) Add() int {
	d.lastID++
	d.Properties = append(slices.Clone(d.Properties), Property{ID: d.lastID, Type: odata.EdmString})
	return d.lastID
}

// Known is a property that other entities of the table have.
type Known struct {
	Name string
	Type odata.Type // 0 where they differ
}

// Offer adds the properties that the table has and the draft has not, without
// values.
func (d *Draft) Offer(all []Known) {
	for _, k := range all {
		if slices.ContainsFunc(d.Properties, func(p Property) bool { return p.Name == k.Name }) {
			continue
		}
		d.lastID++
		d.Properties = append(slices.Clone(d.Properties), Property{ID: d.lastID, Name: k.Name, Type: cmp.Or(k.Type, odata.EdmString), Fixed: true, Null: true})
	}
}

// Remove takes a property away. One that the table has stays as an absent one,
// and can be given a value again.
func (d *Draft) Remove(id int) {
	d.Properties = slices.DeleteFunc(slices.Clone(d.Properties), func(p Property) bool { return p.ID == id && !p.Fixed })
	d.Set(id, func(p *Property) { p.Null = true })
}

// Set changes the property with this identity.
func (d *Draft) Set(id int, change func(*Property)) {
	d.Properties = slices.Clone(d.Properties)
	for i := range d.Properties {
		if p := &d.Properties[i]; p.ID == id {
			change(p)
		}
	}
}

// Enter takes the text of a field, which has lost the carriage returns: a text that was
// loaded with CR LF at all its line ends keeps them.
func (p *Property) Enter(text string) {
	ends := strings.Count(p.loadedText, "\r\n")
	if ends > 0 && ends == strings.Count(p.loadedText, "\n") && ends == strings.Count(p.loadedText, "\r") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	p.Text = text
}

// IsBlank reports whether a property is left out of the entity: it is absent, or
// new and nothing was entered for it.
func (p Property) IsBlank() bool {
	return p.Null || !p.Fixed && p.Name == "" && p.Text == "" && p.Type != odata.EdmBoolean
}

// Value returns the property's value, or what is wrong with its text. A Boolean is false
// if its text is not "true", as the list of its two values shows it: the text of another
// type stays, in case that is chosen again.
func (p Property) Value() (odata.Value, error) {
	if p.Type == p.loaded.Type() && p.Text == p.loadedText && !p.Hex {
		return p.loaded, nil
	}
	if p.Type == odata.EdmBoolean {
		return odata.BooleanValue(p.Text == "true"), nil
	}
	parse := rowfile.Parse
	if p.Type == odata.EdmBinary && p.Hex {
		parse = parseHex
	}
	v, err := parse(p.Type, p.Text)
	if err == nil {
		err = explain(odata.CheckValue(p.Name, v))
	}
	return v, err
}

// Changed reports whether the draft would save something else than was loaded.
// A new entity has changed as soon as anything was entered.
func (d Draft) Changed() bool {
	if !d.Loaded {
		return d.Key() != odata.Key{} || slices.ContainsFunc(d.Properties, func(p Property) bool { return !p.IsBlank() })
	}
	return !d.Makes(d.original)
}

// Makes reports whether the draft makes this entity.
func (d Draft) Makes(wanted *odata.Entity) bool {
	e, problems := d.Entity()
	return len(problems) == 0 && e.Key() == wanted.Key() && slices.EqualFunc(e.Properties, wanted.Properties, func(a, b odata.Property) bool {
		return a.Name == b.Name && a.Value.Equal(b.Value)
	})
}

// Problems are what keeps a draft from being saved, by field: a [Property]'s
// ID, or one of the fields below.
type Problems map[int]string

// The fields of [Problems] that are no properties.
const (
	FieldWhole        = 0
	FieldPartitionKey = -1
	FieldRowKey       = -2
)

// Entity returns the entity that the draft makes, or what is wrong with it.
func (d Draft) Entity() (*odata.Entity, Problems) {
	problems := Problems{}
	problems.add(FieldPartitionKey, odata.CheckKey(odata.PartitionKeyName, d.PartitionKey))
	problems.add(FieldRowKey, odata.CheckKey(odata.RowKeyName, d.RowKey))
	e := &odata.Entity{PartitionKey: d.PartitionKey, RowKey: d.RowKey}
	seen := map[string]bool{odata.PartitionKeyName: true, odata.RowKeyName: true, odata.TimestampName: true}
	for _, p := range d.Properties {
		if p.IsBlank() {
			continue
		}
		problems.add(p.ID, odata.CheckPropertyName(p.Name))
		if seen[p.Name] {
			problems[p.ID] = fmt.Sprintf("there is a property %q already", p.Name)
		}
		seen[p.Name] = true
		v, err := p.Value()
		problems.add(p.ID, err)
		e.Properties = append(e.Properties, odata.Property{Name: p.Name, Value: v})
	}
	if len(e.Properties) > odata.MaxProperties {
		problems.add(FieldWhole, odata.ErrTooManyProperties)
	}
	if e.Size() > odata.MaxEntitySize {
		problems.add(FieldWhole, odata.ErrEntityTooLarge)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return e, nil
}

// add keeps the first problem of a field.
func (p Problems) add(field int, err error) {
	if err != nil && p[field] == "" {
		p[field] = explain(err).Error()
	}
}

// explain puts the rules of the service into words for people.
func explain(err error) error {
	var outOfRange *odata.OutOfRangeError
	switch {
	case errors.As(err, &outOfRange):
		return fmt.Errorf("a %s has no / \\ # ? and no control characters", outOfRange.Property)
	case errors.Is(err, odata.ErrPropertyNameInvalid):
		return errors.New("a name begins with a letter or _ and continues with letters, digits and _")
	case errors.Is(err, odata.ErrPropertyNameTooLong):
		return fmt.Errorf("a name has at most %d characters", odata.MaxPropertyNameLength)
	case errors.Is(err, odata.ErrPropertyValueTooLarge):
		return errors.New("too long: a key has at most 1,024 characters, a value at most 64 KiB")
	case errors.Is(err, odata.ErrTooManyProperties):
		return fmt.Errorf("an entity has at most %d properties of its own", odata.MaxProperties)
	case errors.Is(err, odata.ErrEntityTooLarge):
		return errors.New("an entity has at most 1 MiB")
	}
	return err
}

// CheckTableName returns the rule that a table's name breaks in words for
// people, "" for a good name and for none yet.
func CheckTableName(name string) string {
	err := odata.CheckTableName(name)
	switch {
	case name == "" || err == nil:
		return ""
	case errors.Is(err, odata.ErrTableNameReserved):
		return "“" + name + "” is the service's own name."
	case errors.Is(err, odata.ErrTableNameLength):
		return fmt.Sprintf("%d characters; a name has %d to %d.", len(name), odata.MinTableNameLength, odata.MaxTableNameLength)
	case strings.IndexByte("0123456789", name[0]) >= 0:
		return "A name begins with a letter."
	}
	return "Letters and digits only."
}

// CheckAccountName is [CheckTableName] for accounts.
func CheckAccountName(name string) string {
	if name == "" || odata.CheckAccountName(name) {
		return ""
	}
	return "3 to 24 lower-case letters and digits."
}
