package bulk

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"sandtable/odata"
	"sandtable/odata/rowfile"
)

// exact is the largest integer up to which every integer is a double.
const exact = 1 << 53

// ErrDigits means that the other type cannot hold the number exactly.
var ErrDigits = errors.New("the number would lose digits")

// retyped returns a value in another type: the one with the same text. The error says
// why the other type has no such value.
func retyped(v odata.Value, to odata.Type) (odata.Value, error) {
	if v.Type() == to {
		return v, nil
	}
	text := rowfile.Text(v)
	switch {
	case v.Type() == odata.EdmDouble && (to == odata.EdmInt32 || to == odata.EdmInt64):
		f := v.Float()
		if f != math.Trunc(f) || math.Abs(f) > exact {
			return odata.Value{}, ErrDigits
		}
		text = strconv.FormatInt(int64(f), 10)
	case v.Type() == odata.EdmInt64 && to == odata.EdmDouble && (v.Int() > exact || v.Int() < -exact):
		return odata.Value{}, ErrDigits
	case to == odata.EdmBoolean:
		text = strings.ToLower(text)
	}
	next, err := rowfile.Parse(to, text)
	if err == nil {
		err = odata.CheckValue("", next)
	}
	if err != nil {
		return odata.Value{}, fmt.Errorf("%w, not %s", err, quoted(text))
	}
	return next, nil
}

// quoted returns a text for a message, cut if it is long.
func quoted(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return "“" + text + "”"
}
