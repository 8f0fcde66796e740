package payload

import "sandtable/odata"

// Received is an entity of a response.
type Received struct {
	// Entity has empty keys and a zero Timestamp if a $select left them out.
	Entity odata.Entity
	// ETag is the entity's tag, "" without metadata.
	ETag string
}

// ServiceError is the error in a response body.
type ServiceError struct {
	Code    string
	Message string // including the lines with the request id and the time
}

// Error returns the code and the message.
func (e *ServiceError) Error() string { return e.Code + ": " + e.Message }

// DecodeEntityResponse decodes the response with a single entity. Types come from
// annotations: without metadata, types that JSON lacks are strings. The error of
// all response decoders is ErrSyntax, ErrDuplicateProperty or
// [odata.ErrTooManyProperties].
func DecodeEntityResponse(body []byte) (Received, error) {
	var r Received
	err := decodeWhole(body, func(s *scanner) (err error) {
		r, err = readReceived(s, new(members))
		return err
	})
	return r, err
}

// DecodeEntitiesResponse decodes the response with a collection of entities.
func DecodeEntitiesResponse(body []byte) ([]Received, error) {
	var all []Received
	var m members
	err := decodeCollection(body, func(s *scanner) error {
		m.reset()
		r, err := readReceived(s, &m)
		all = append(all, r)
		return err
	})
	return all, err
}

// DecodeTablesResponse decodes the response with a collection of tables and
// returns their names.
func DecodeTablesResponse(body []byte) ([]string, error) {
	var names []string
	err := decodeCollection(body, func(s *scanner) error {
		name, err := readTableName(s)
		if err == nil && name.kind != kindString {
			err = ErrSyntax
		}
		names = append(names, name.text)
		return err
	})
	return names, err
}

// DecodeErrorResponse decodes the body of an error response.
func DecodeErrorResponse(body []byte) (*ServiceError, error) {
	e, seen := &ServiceError{}, false
	err := decodeWhole(body, func(s *scanner) error {
		return s.object(func(name string) error {
			if name != "odata.error" {
				return skipValue(s)
			}
			seen = true
			return e.read(s)
		})
	})
	if err == nil && !seen {
		err = ErrSyntax
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

func (e *ServiceError) read(s *scanner) error {
	return s.object(func(name string) error {
		switch name {
		case "code":
			return readText(s, &e.Code)
		case "message":
			return s.object(func(name string) error {
				if name == "value" {
					return readText(s, &e.Message)
				}
				return skipValue(s)
			})
		}
		return skipValue(s)
	})
}

// decodeCollection calls read for each element of the array "value".
func decodeCollection(body []byte, read func(*scanner) error) error {
	seen := false
	err := decodeWhole(body, func(s *scanner) error {
		return s.object(func(name string) error {
			switch {
			case name != "value":
				return skipValue(s)
			case seen:
				return ErrDuplicateProperty
			}
			seen = true
			return s.array(func() error { return read(s) })
		})
	})
	if err == nil && !seen {
		err = ErrSyntax
	}
	return err
}

func readReceived(s *scanner, m *members) (Received, error) {
	var r Received
	var timestamp token
	err := m.read(s, func(name string, value token) {
		switch {
		case name == "odata.etag" && value.kind == kindString:
			r.ETag = value.text
		case name == odata.TimestampName:
			timestamp = value
		}
	})
	if err != nil {
		return Received{}, err
	}
	if timestamp.kind != kindNull {
		v, ok := convert(timestamp, odata.EdmDateTime)
		if !ok {
			return Received{}, ErrSyntax
		}
		r.Entity.Timestamp = v.DateTime()
	}
	r.Entity.PartitionKey = m.key(odata.PartitionKeyName).Text
	r.Entity.RowKey = m.key(odata.RowKeyName).Text
	r.Entity.Properties, err = m.properties(m.count)
	return r, err
}

func skipValue(s *scanner) error {
	if _, ok := s.value(); !ok {
		return ErrSyntax
	}
	return nil
}

// readText reads a string; null is "".
func readText(s *scanner, text *string) error {
	value, ok := s.value()
	if !ok || value.kind != kindString && value.kind != kindNull {
		return ErrSyntax
	}
	*text = value.text
	return nil
}
