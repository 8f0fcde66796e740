package grid

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"sandtable/odata"
	"sandtable/web/humanize"
)

// Cell is what the grid shows of one value: a text, and a class that says how
// it looks.
type Cell struct {
	Text  string
	Class string
	Title string // shown when the pointer rests on it
}

// absent stands where an entity has no such property.
const absent = "–"

// maxText is how many bytes of a text a cell shows; more than any screen is wide.
const maxText = 240

// Format says how values are shown.
type Format struct {
	// Zone returns the offset of local time from UTC at a time; nil shows UTC.
	// It is a function because Go knows only the present offset in a browser.
	Zone func(time.Time) (seconds int)
}

// CellOf returns the cell of an entity in the column with this name.
func CellOf(e *odata.Entity, column string, f Format) Cell {
	switch column {
	case odata.PartitionKeyName:
		return cellOfKey(e.PartitionKey, "key")
	case odata.RowKeyName:
		return cellOfKey(e.RowKey, "key row-key")
	}
	if column == odata.TimestampName {
		return cellOfValue(odata.DateTimeValue(e.Timestamp), f)
	}
	v, _ := e.Property(column)
	return CellOfValue(v, f)
}

// cellOfKey says that a key is empty: a row without one would look unfinished.
func cellOfKey(key, class string) Cell {
	if key == "" {
		return Cell{Text: "(empty)", Class: class + " empty-key"}
	}
	return Cell{short(key), class, TicksOfText(key)}
}

// CellOfValue returns the cell of a value; the zero value is an absent one.
func CellOfValue(v odata.Value, f Format) Cell {
	if v.IsZero() {
		return Cell{Text: absent, Class: "absent"}
	}
	return cellOfValue(v, f)
}

func cellOfValue(v odata.Value, f Format) Cell {
	switch v.Type() {
	case odata.EdmString:
		return Cell{Text: short(v.Text()), Class: "str"}
	case odata.EdmBoolean:
		return Cell{Text: strconv.FormatBool(v.Bool()), Class: "bool"}
	case odata.EdmDateTime:
		return Cell{Text: dateText(v.DateTime(), f.Zone), Class: "date"}
	case odata.EdmDouble:
		return Cell{Text: string(odata.AppendDouble(nil, v.Float())), Class: "num"}
	case odata.EdmGuid:
		return Cell{Text: v.Guid().String(), Class: "code"}
	case odata.EdmBinary:
		return Cell{Text: binaryText(v.Text()), Class: "code"}
	case odata.EdmInt64:
		return Cell{strconv.FormatInt(v.Int(), 10), "num", ticks(v.Int())}
	default:
		return Cell{Text: strconv.FormatInt(v.Int(), 10), Class: "num"}
	}
}

// dateText shows a date as the service writes it, or in a time zone to the
// second, with fractions if there are any.
func dateText(d odata.DateTime, zone func(time.Time) int) string {
	if zone == nil {
		return d.String()
	}
	t := d.Time()
	return t.In(time.FixedZone("", zone(t))).Format("2006-01-02 15:04:05.9999999 -0700")
}

// binaryText shows a few bytes themselves and of many how many they are.
func binaryText(bytes string) string {
	if len(bytes) <= 12 {
		return base64.StdEncoding.EncodeToString([]byte(bytes))
	}
	return humanize.Bytes(len(bytes))
}

// lines shows the ends of lines as a character: a cell is one line high.
var lines = strings.NewReplacer("\r\n", "↵", "\n", "↵", "\r", "↵")

// short returns a text as one line, and cuts a long one between two characters.
func short(s string) string {
	if len(s) <= maxText {
		return lines.Replace(s)
	}
	end := maxText
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return lines.Replace(s[:end]) + "…"
}
