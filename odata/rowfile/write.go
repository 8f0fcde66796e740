package rowfile

import (
	"strings"
	"time"

	"sandtable/odata"
	"sandtable/odata/payload"
)

// Format is the format of a file.
type Format uint8

// The formats that are written. A [Reader] reads CSV and JSON Lines.
const (
	CSV Format = iota
	JSON
	JSONLines
)

// String returns the format's name.
func (f Format) String() string { return [...]string{"CSV", "JSON", "JSON Lines"}[f] }

// Writer writes entities to a file, piece by piece: Begin, Append for each
// entity, End.
type Writer struct {
	Format Format
	// Columns are the properties of CSV besides the keys, in their order.
	Columns []string
	// Types adds a column X@type after each property X of CSV.
	Types bool
	// Timestamp adds the Timestamp.
	Timestamp bool
	Delimiter rune // of CSV; 0 is a comma
	// Mark begins the file with a byte order mark, which Excel needs for UTF-8.
	Mark bool
	// Zone returns the offset from UTC that dates in CSV have at a time; nil is UTC.
	// The file does not name the zone.
	Zone func(time.Time) (seconds int)

	rows int
}

// Extension returns the usual ending of names of such files, with the dot.
func (w *Writer) Extension() string {
	switch w.Format {
	case JSON:
		return ".json"
	case JSONLines:
		return ".jsonl"
	}
	if w.Delimiter == '\t' {
		return ".tsv"
	}
	return ".csv"
}

// Begin appends what comes before the first entity.
func (w *Writer) Begin(b []byte) []byte {
	if w.Mark {
		b = append(b, "\xef\xbb\xbf"...)
	}
	switch w.Format {
	case JSON:
		return append(b, '[')
	case JSONLines:
		return b
	}
	b = append(b, "PartitionKey"...)
	b = w.field(b, "RowKey")
	if w.Timestamp {
		b = w.field(b, "Timestamp")
	}
	for _, name := range w.Columns {
		b = w.field(b, name)
		if w.Types {
			b = w.field(b, name+typeSuffix)
		}
	}
	return append(b, "\r\n"...)
}

// Append appends an entity.
func (w *Writer) Append(b []byte, e *odata.Entity) []byte {
	w.rows++
	if w.Format != CSV {
		return w.appendJSON(b, e)
	}
	b = w.quote(b, e.PartitionKey)
	b = w.field(b, e.RowKey)
	if w.Timestamp {
		b = w.field(b, w.date(e.Timestamp))
	}
	for _, name := range w.Columns {
		v, ok := e.Property(name)
		if !ok || v.IsZero() {
			b = w.absent(b)
			continue
		}
		b = w.field(b, w.text(v))
		if w.Types {
			b = w.field(b, strings.TrimPrefix(v.Type().String(), "Edm."))
		}
	}
	return append(b, "\r\n"...)
}

// End appends what comes after the last entity.
func (w *Writer) End(b []byte) []byte {
	if w.Format == JSON {
		return append(b, "\n]\n"...)
	}
	return b
}

func (w *Writer) appendJSON(b []byte, e *odata.Entity) []byte {
	if w.Format == JSON {
		if w.rows > 1 {
			b = append(b, ',')
		}
		b = append(b, '\n')
	}
	start := len(b)
	b = payload.AppendRequest(b, e)
	if w.Timestamp {
		// After the brace that opens the object, and before its first member.
		member := `"Timestamp@odata.type":"Edm.DateTime","Timestamp":"` + e.Timestamp.String() + `",`
		b = append(b[:start+1], append([]byte(member), b[start+1:]...)...)
	}
	if w.Format == JSONLines {
		b = append(b, '\n')
	}
	return b
}

func (w *Writer) text(v odata.Value) string {
	if v.Type() == odata.EdmDateTime {
		return w.date(v.DateTime())
	}
	text := Text(v)
	if v.Type() == odata.EdmBinary && text == missing {
		return " " + text // the Base64 of three bytes; blanks around it do not count
	}
	return text
}

func (w *Writer) date(d odata.DateTime) string {
	if w.Zone == nil {
		return d.String()
	}
	t := d.Time()
	local := t.In(time.FixedZone("", w.Zone(t))).Format("2006-01-02T15:04:05.9999999")
	if read, ok := odata.ParseDateTime(local); !ok || !read.InRange() { // as in the last hours of 9999
		return d.String()
	}
	return local
}

// absent appends the cells of a property that an entity lacks.
func (w *Writer) absent(b []byte) []byte {
	b = append(b, w.delimiter()...)
	if w.Types {
		b = append(b, w.delimiter()...)
	}
	return b
}

func (w *Writer) delimiter() string {
	if w.Delimiter == 0 {
		return ","
	}
	return string(w.Delimiter)
}

func (w *Writer) field(b []byte, text string) []byte {
	return w.quote(append(b, w.delimiter()...), text)
}

// quote appends a cell. An empty text is quoted, to tell it from an absent one.
func (w *Writer) quote(b []byte, text string) []byte {
	if text != "" && !strings.ContainsAny(text, "\"\r\n"+w.delimiter()) && text[0] != ' ' && text[len(text)-1] != ' ' {
		return append(b, text...)
	}
	b = append(b, '"')
	b = append(b, strings.ReplaceAll(text, `"`, `""`)...)
	return append(b, '"')
}
