package sas

import (
	"fmt"
	"strings"
	"time"

	"sandtable/odata"
)

// ParseTime reads a time as people and the service write it: "2026-11-20",
// "2026-11-20 18:40", "2026-11-20 18:40:00 UTC", "2026-11-20T18:40:00.25Z".
func ParseTime(text string) (time.Time, bool) {
	text = strings.TrimSuffix(strings.TrimSpace(text), "UTC") // a time without a zone is in UTC, too
	text = strings.Replace(strings.TrimSpace(text), " ", "T", 1)
	at, ok := odata.ParseDateTime(text)
	if !ok {
		return time.Time{}, false
	}
	return at.Time().UTC(), true
}

// FormatTime writes a time for a field.
func FormatTime(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05.9999999") + " UTC" }

// NormalizeTime writes a time as [FormatTime] does. A text that is no time stays
// as it is.
func NormalizeTime(text string) string {
	if at, ok := ParseTime(text); ok {
		return FormatTime(at)
	}
	return text
}

// Validity is whether a token can be used.
type Validity uint8

// The validities.
const (
	Unknown Validity = iota // it has no expiry, or one that cannot be read
	NotYet
	Valid
	Ending // within the hour
	Expired
)

// endingSoon is how long before its expiry a token counts as ending.
const endingSoon = time.Hour

// Validity returns whether the token can be used at a time, and says so in words
// that end in a duration: "valid now, expires in", "6 d 23 h 55 min 34 s".
func (t Token) Validity(now time.Time) (v Validity, words, left string) {
	t = t.Effective()
	expiry, ok := ParseTime(t.Expiry)
	start, starts := ParseTime(t.Start)
	switch {
	case strings.TrimSpace(t.Expiry) == "":
		return Unknown, "no expiry: a link needs one", ""
	case !ok:
		return Unknown, "the expiry is not a time", ""
	case !now.Before(expiry):
		return Expired, "expired", duration(now.Sub(expiry)) + " ago"
	case starts && now.Before(start):
		return NotYet, "starts in", duration(start.Sub(now))
	case expiry.Sub(now) <= endingSoon:
		return Ending, "valid now, expires in", duration(expiry.Sub(now))
	}
	return Valid, "valid now, expires in", duration(expiry.Sub(now))
}

// duration writes a duration in whole seconds: "6 d 23 h 55 min 34 s".
func duration(d time.Duration) string {
	seconds := int(d / time.Second)
	var parts []string
	for _, unit := range []struct {
		seconds int
		name    string
	}{{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}} {
		if n := seconds / unit.seconds; n > 0 || len(parts) > 0 || unit.seconds == 1 {
			parts = append(parts, fmt.Sprint(n, " ", unit.name))
		}
		seconds %= unit.seconds
	}
	return strings.Join(parts, " ")
}
