package lesson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// strict decodes JSON and refuses unknown members.
func strict(text []byte, into any) error {
	_, err := decode(text, into)
	return err
}

// decode decodes JSON as a whole, and returns about where an error is, 0 if that is not known.
func decode(text []byte, into any) (at int, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err = d.Decode(into); err == nil {
		if _, err = d.Token(); err == io.EOF {
			return 0, nil
		}
		return int(d.InputOffset()), errors.New("there is something after the end")
	}
	at = int(d.InputOffset())
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = int(syntax.Offset)
	case errors.As(err, &kind):
		at = int(kind.Offset)
	default: // an unknown member: the decoder gives its name
		if _, name, ok := strings.Cut(err.Error(), `unknown field `); ok {
			at = max(bytes.Index(text, []byte(name)), 0)
		}
	}
	return at, err
}

// jsonProblem returns an error of JSON without the names of Go's types.
func jsonProblem(err error) string {
	if kind := new(json.UnmarshalTypeError); errors.As(err, &kind) {
		return fmt.Sprintf("%s has the wrong type: %s", kind.Field[strings.LastIndexByte(kind.Field, '.')+1:], kind.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}
