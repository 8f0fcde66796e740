package payload

// Part is a member of an object or an element of an array, as it was written.
type Part struct {
	Name string // "" for an element
	JSON []byte
}

// SplitObject returns the members of an object without reading their values. The
// error is ErrSyntax, or [ErrDuplicateProperty].
func SplitObject(text []byte) (parts []Part, err error) {
	err = decodeWhole(text, func(s *scanner) error {
		names := map[string]bool{}
		return s.object(func(name string) error {
			if names[name] {
				return ErrDuplicateProperty
			}
			names[name] = true
			part, err := s.part(name)
			parts = append(parts, part)
			return err
		})
	})
	return parts, err
}

// SplitArray returns the elements of an array without reading them. The error is
// ErrSyntax.
func SplitArray(text []byte) (parts []Part, err error) {
	err = decodeWhole(text, func(s *scanner) error {
		return s.array(func() error {
			part, err := s.part("")
			parts = append(parts, part)
			return err
		})
	})
	return parts, err
}

// part skips a value.
func (s *scanner) part(name string) (Part, error) {
	s.skipSpace()
	start := s.pos
	if _, ok := s.value(); !ok {
		return Part{}, ErrSyntax
	}
	return Part{name, []byte(s.text[start:s.pos])}, nil
}
