package payload

import (
	"errors"
	"strings"

	"sandtable/odata"
	"sandtable/odata/xmlscan"
)

// The names in Atom bodies that matter. All others, such as the title and the
// author, are skipped.
var (
	entryName      = xmlscan.Name{Space: atomNamespace, Local: "entry"}
	contentName    = xmlscan.Name{Space: atomNamespace, Local: "content"}
	propertiesName = xmlscan.Name{Space: metadataNamespace, Local: "properties"}
	typeName       = xmlscan.Name{Space: metadataNamespace, Local: "type"}
	nullName       = xmlscan.Name{Space: metadataNamespace, Local: "null"}
)

// DecodeAtomEntity is [DecodeEntity] for a body in Atom: an entry whose content
// has the properties in any order. A property without a type is a string; one
// with m:null="true" is null, whatever its type and content.
//
// The errors are those of DecodeEntity. ErrSyntax includes malformed XML, document
// types, encodings other than UTF-8, and elements within a property. Text of only
// white space counts only with xml:space="preserve" or as CDATA.
//
// Elements are nested at most 64 deep, with at most 64 attributes each and 64
// namespaces in scope. The caller limits the size of the body.
func DecodeAtomEntity(body []byte) (Body, error) {
	var r atomReader
	if err := r.read(body); err != nil {
		return Body{}, err
	}
	return r.body, nil
}

// DecodeAtomTableName is [DecodeTableName] for a body in Atom: an entry with
// the name as the property TableName.
func DecodeAtomTableName(body []byte) (string, error) {
	var r atomReader
	if err := r.read(body); err != nil {
		return "", err
	}
	for _, p := range r.body.Properties {
		if p.Name != tableNameMember {
			continue
		}
		switch {
		case p.Value.Type() != odata.EdmString:
			return "", ErrKeyType
		case p.Value.Text() == "":
			return "", ErrNoTableName
		}
		return p.Value.Text(), nil
	}
	return "", ErrNoTableName
}

// atomReader reads one body.
type atomReader struct {
	scanner *xmlscan.Scanner
	body    Body
	// seen holds all names, including those of nulls and keys.
	seen members
	// hasProperties is set after the m:properties element, which is unique.
	hasProperties bool
}

// atomProperty is a property as written.
type atomProperty struct {
	name, typ, text string
	typed, null     bool
}

// read reads a body and converts errors.
func (r *atomReader) read(body []byte) error {
	err := r.readEntry(body)
	if errors.Is(err, xmlscan.ErrSyntax) {
		return ErrSyntax
	}
	return err
}

func (r *atomReader) readEntry(body []byte) error {
	scanner, ok := xmlscan.New(body)
	if !ok {
		return ErrSyntax
	}
	r.scanner = scanner
	// The first token can only be the root.
	if _, err := scanner.Next(); err != nil || scanner.Name != entryName {
		return ErrSyntax
	}
	if err := r.children(r.entryChild); err != nil {
		return err
	}
	_, err := scanner.Next()
	return err
}

// children calls child to read each child of the element that has just started.
// Text between them is ignored.
func (r *atomReader) children(child func() error) error {
	for {
		kind, err := r.scanner.Next()
		if err != nil || kind == xmlscan.End {
			return err
		}
		if kind == xmlscan.Start {
			if err := child(); err != nil {
				return err
			}
		}
	}
}

// entryChild reads a child of the entry. It refuses properties outside of the
// content, which are for media entries: skipping them would lose data.
func (r *atomReader) entryChild() error {
	switch r.scanner.Name {
	case contentName:
		return r.children(r.contentChild)
	case propertiesName:
		return ErrSyntax
	default:
		return r.scanner.SkipElement()
	}
}

func (r *atomReader) contentChild() error {
	switch {
	case r.scanner.Name != propertiesName:
		return r.scanner.SkipElement()
	case r.hasProperties:
		return ErrSyntax
	}
	r.hasProperties = true
	r.body.Properties = make([]odata.Property, 0, fewMembers)
	return r.children(r.property)
}

// property reads and stores a property.
func (r *atomReader) property() error {
	name := r.scanner.Name
	if name.Space != dataNamespace || name.Local == odata.TimestampName {
		return r.scanner.SkipElement()
	}
	p := atomProperty{name: name.Local}
	var err error
	if p.null, err = r.isNull(); err != nil {
		return err
	}
	p.typ, p.typed = r.scanner.Attribute(typeName)
	if p.null {
		err = r.scanner.SkipElement()
	} else {
		p.text, err = r.value()
	}
	if err == nil {
		// members finds duplicates and limits the number of names.
		err = r.seen.addValue(p.name, token{})
	}
	if err != nil {
		return err
	}
	return r.store(p)
}

// isNull returns m:null of the element that has just started.
func (r *atomReader) isNull() (bool, error) {
	value, ok := r.scanner.Attribute(nullName)
	if !ok {
		return false, nil
	}
	null, ok := parseXMLBoolean(strings.Trim(value, xmlscan.Spaces))
	if !ok {
		return false, ErrSyntax
	}
	return null, nil
}

// value reads the text of the element that has just started. Comments and CDATA
// split it into parts; usually there is one, which is not copied.
func (r *atomReader) value() (string, error) {
	first := ""
	var all []byte
	for {
		kind, err := r.scanner.Next()
		switch {
		case err != nil:
			return "", err
		case kind == xmlscan.Start:
			return "", ErrSyntax
		case kind == xmlscan.End && all == nil:
			return first, nil
		case kind == xmlscan.End:
			return string(all), nil
		case first == "":
			first = r.scanner.Chars
		case all == nil:
			all = append(append(all, first...), r.scanner.Chars...)
		default:
			all = append(all, r.scanner.Chars...)
		}
	}
}

// store adds a property to the body.
func (r *atomReader) store(p atomProperty) error {
	switch p.name {
	case odata.PartitionKeyName:
		r.body.PartitionKey = p.key()
		return nil
	case odata.RowKeyName:
		r.body.RowKey = p.key()
		return nil
	}
	if p.null {
		return nil
	}
	v, ok := p.convert()
	if !ok {
		return ErrSyntax
	}
	r.body.Properties = append(r.body.Properties, odata.Property{Name: p.name, Value: v})
	return nil
}
