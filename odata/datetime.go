package odata

import (
	"strconv"
	"strings"
	"time"
)

// DateTime is an instant in UTC, in ticks of 100 ns since the start of the year
// 1. The service stores no finer resolution and no time zone.
type DateTime int64

const (
	ticksPerSecond = 10_000_000
	// unixTicks is 1970-01-01 in ticks.
	unixTicks = 62_135_596_800 * ticksPerSecond

	// MinDateTime is 1601-01-01T00:00:00Z, the first instant that a property
	// can have.
	MinDateTime DateTime = 50_491_123_200 * ticksPerSecond
	// MaxDateTime is 9999-12-31T23:59:59.9999999Z, the last one.
	MaxDateTime DateTime = 315_537_897_600*ticksPerSecond - 1
)

// DateTimeOf converts t, truncated to ticks.
func DateTimeOf(t time.Time) DateTime {
	return DateTime(t.Unix()*ticksPerSecond + int64(t.Nanosecond())/100 + unixTicks)
}

// Time returns the instant as a time in UTC.
func (d DateTime) Time() time.Time {
	ticks := int64(d) - unixTicks
	return time.Unix(ticks/ticksPerSecond, ticks%ticksPerSecond*100).UTC()
}

// InRange reports whether a property can have this value.
func (d DateTime) InRange() bool { return d >= MinDateTime && d <= MaxDateTime }

// String returns the service's format, such as 2013-08-02T17:37:43.009Z: without
// trailing zeros of the fraction.
func (d DateTime) String() string { return string(d.AppendText(nil)) }

// AppendText appends what [DateTime.String] returns.
func (d DateTime) AppendText(b []byte) []byte { return d.appendText(b, false) }

// AppendFull appends the instant with all seven digits of its fraction, as in
// error messages and access policies.
func (d DateTime) AppendFull(b []byte) []byte { return d.appendText(b, true) }

func (d DateTime) appendText(b []byte, full bool) []byte {
	t := d.Time()
	year, month, day := t.Date()
	hour, minute, second := t.Clock()
	b = appendPair(appendPair(b, year/100), year%100)
	b = appendPair(append(b, '-'), int(month))
	b = appendPair(append(b, '-'), day)
	b = appendPair(append(b, 'T'), hour)
	b = appendPair(append(b, ':'), minute)
	b = appendPair(append(b, ':'), second)
	if fraction := t.Nanosecond() / 100; fraction != 0 || full {
		b = append(b, '.')
		b = append(b, byte('0'+fraction/1_000_000))
		b = appendPair(b, fraction/10_000%100)
		b = appendPair(b, fraction/100%100)
		b = appendPair(b, fraction%100)
		for !full && b[len(b)-1] == '0' {
			b = b[:len(b)-1]
		}
	}
	return append(b, 'Z')
}

// appendPair appends a number below 100 as two digits.
func appendPair(b []byte, n int) []byte { return append(b, byte('0'+n/10), byte('0'+n%10)) }

// ParseDateTime parses the formats that the service accepts: a date, or a date, T
// and hours and minutes, optionally with seconds and a fraction, followed by Z, an
// offset such as +02:00, or nothing, which means UTC. A fraction of more than seven
// digits is rounded, half to even. The result may be out of range; see
// [DateTime.InRange].
//
// Source: "Formatting DateTime values",
// https://learn.microsoft.com/rest/api/storageservices/formatting-datetime-values;
// a recording with nine digits; XmlConvert of .NET, which the service's library uses,
// for rounding.
func ParseDateTime(s string) (DateTime, bool) {
	p := dateTimeParser{rest: s, ok: true}
	year := p.number(4)
	p.literal('-')
	month := p.number(2)
	p.literal('-')
	day := p.number(2)
	if !p.ok || year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false
	}
	date := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if p.rest == "" {
		return DateTimeOf(date), true
	}
	p.literal('T')
	hour := p.number(2)
	p.literal(':')
	minute := p.number(2)
	second, fraction := 0, 0
	if p.skip(':') {
		second = p.number(2)
		if p.skip('.') {
			fraction = p.fraction()
		}
	}
	offset := p.zone()
	if !p.ok || p.rest != "" || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	ticks := int64(hour*3600+minute*60+second-offset*60)*ticksPerSecond + int64(fraction)
	return DateTimeOf(date) + DateTime(ticks), true
}

func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// dateTimeParser consumes a string from the left; ok becomes false at the first
// part that does not fit.
type dateTimeParser struct {
	rest string
	ok   bool
}

func (p *dateTimeParser) skip(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

func (p *dateTimeParser) literal(c byte) { p.ok = p.skip(c) && p.ok }

func (p *dateTimeParser) number(width int) int {
	if len(p.rest) < width || strings.IndexFunc(p.rest[:width], notDigit) >= 0 {
		p.ok = false
		return 0
	}
	n, _ := strconv.Atoi(p.rest[:width])
	p.rest = p.rest[width:]
	return n
}

// fraction returns a fraction of a second in ticks.
func (p *dateTimeParser) fraction() int {
	digits := strings.IndexFunc(p.rest, notDigit)
	if digits < 0 {
		digits = len(p.rest)
	}
	if digits == 0 {
		p.ok = false
		return 0
	}
	exact := min(digits, 7)
	n := p.number(exact)
	for range 7 - exact {
		n *= 10
	}
	below := strings.TrimRight(p.rest[:digits-exact], "0")
	p.rest = p.rest[digits-exact:]
	if below > "5" || below == "5" && n%2 == 1 {
		n++
	}
	return n
}

// zone returns the offset from UTC in minutes.
func (p *dateTimeParser) zone() int {
	if p.rest == "" || p.skip('Z') {
		return 0
	}
	sign := 1
	if p.skip('-') {
		sign = -1
	} else {
		p.literal('+')
	}
	hours := p.number(2)
	p.literal(':')
	minutes := p.number(2)
	if hours > 23 || minutes > 59 {
		p.ok = false
	}
	return sign * (hours*60 + minutes)
}

func notDigit(r rune) bool { return r < '0' || r > '9' }
