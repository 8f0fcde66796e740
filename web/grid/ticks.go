package grid

import (
	"strconv"

	"sandtable/odata"
)

// ticks returns the date that a number means as .NET's ticks of 100 ns since the
// year 1, or as their difference to the last of them, as keys have it that sort
// the newest first. It returns "" for other numbers: dates before 1900 and after
// 2200 are taken for those.
func ticks(n int64) string {
	const (
		from = 599_266_080_000_000_000 // 1900
		to   = 693_937_152_000_000_000 // 2200
	)
	switch reverse := int64(odata.MaxDateTime) - n; {
	case n >= from && n < to:
		return odata.DateTime(n).String() + " as ticks"
	case reverse >= from && reverse < to:
		return odata.DateTime(reverse).String() + " as reverse ticks"
	}
	return ""
}

// TicksOfText is ticks for a text, such as a key.
func TicksOfText(text string) string {
	if len(text) < 18 || len(text) > 20 {
		return ""
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return ""
	}
	return ticks(n)
}
