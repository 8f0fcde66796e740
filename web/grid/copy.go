package grid

import (
	"encoding/csv"
	"strings"

	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/odata/rowfile"
)

// Delimited returns entities as lines with the columns' values between
// delimiters, under a line with their names: ',' for CSV, a tab for
// spreadsheets.
func Delimited(entities []*odata.Entity, columns []Column, delimiter rune, f Format) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Comma = delimiter
	record := make([]string, len(columns))
	for i, c := range columns {
		record[i] = c.Name
	}
	_ = w.Write(record) // a strings.Builder does not fail
	for _, e := range entities {
		for i, c := range columns {
			record[i] = plain(e, c.Name, f)
		}
		_ = w.Write(record)
	}
	w.Flush()
	return b.String()
}

// plain returns a value as a whole, "" for an absent one.
func plain(e *odata.Entity, column string, f Format) string {
	switch column {
	case odata.PartitionKeyName:
		return e.PartitionKey
	case odata.RowKeyName:
		return e.RowKey
	case odata.TimestampName:
		return dateText(e.Timestamp, f.Zone)
	}
	v, _ := e.Property(column)
	if v.Type() == odata.EdmDateTime {
		return dateText(v.DateTime(), f.Zone)
	}
	return rowfile.Text(v)
}

// JSON returns entities as an array of objects as in requests.
func JSON(entities []*odata.Entity) string {
	b := []byte("[")
	for i, e := range entities {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, "\n  "...)
		b = payload.AppendRequest(b, e)
	}
	if len(entities) > 0 {
		b = append(b, '\n')
	}
	return string(append(b, "]\n"...))
}
