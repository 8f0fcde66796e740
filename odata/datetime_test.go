package odata

import (
	"testing"
	"time"
)

func TestParseDateTime(t *testing.T) {
	// want is the instant in the service's format.
	tests := []struct{ name, text, want string }{
		{"date alone", "2013-08-02", "2013-08-02T00:00:00Z"},
		{"minutes", "2013-08-02T17:37Z", "2013-08-02T17:37:00Z"},
		{"seconds", "2013-08-02T17:37:43Z", "2013-08-02T17:37:43Z"},
		{"seven digits", "2013-08-02T17:37:43.0090043Z", "2013-08-02T17:37:43.0090043Z"},
		{"zeros at the end are cut", "2013-08-02T17:37:43.2000000Z", "2013-08-02T17:37:43.2Z"},
		{"zero fraction is cut", "2013-08-02T01:02:00.0000000Z", "2013-08-02T01:02:00Z"},
		{"one digit", "2013-08-02T17:37:43.5Z", "2013-08-02T17:37:43.5Z"},
		{"five digits", "2013-08-02T17:37:43.37769Z", "2013-08-02T17:37:43.37769Z"},
		{"nine digits", "2021-04-01T01:01:01.000000001Z", "2021-04-01T01:01:01Z"},
		{"more than half a tick", "2013-08-02T17:37:43.009004351Z", "2013-08-02T17:37:43.0090044Z"},
		{"half a tick goes down to even", "2013-08-02T17:37:43.009004250Z", "2013-08-02T17:37:43.0090042Z"},
		{"half a tick goes up to even", "2013-08-02T17:37:43.00900435+00:00", "2013-08-02T17:37:43.0090044Z"},
		{"rounding ends a year", "2013-12-31T23:59:59.99999995Z", "2014-01-01T00:00:00Z"},
		{"no zone is UTC", "2008-07-10T00:00:00", "2008-07-10T00:00:00Z"},
		{"minutes without zone", "2008-07-10T01:02", "2008-07-10T01:02:00Z"},
		{"zone east", "2013-08-02T02:00:00+02:30", "2013-08-01T23:30:00Z"},
		{"zone west", "2013-12-31T23:00:00-02:00", "2014-01-01T01:00:00Z"},
		{"widest zones", "2013-08-02T00:00:00+23:59", "2013-08-01T00:01:00Z"},
		{"leap day", "2012-02-29T00:00:00Z", "2012-02-29T00:00:00Z"},
		{"leap day of a fourth century", "2000-02-29", "2000-02-29T00:00:00Z"},
		{"first of the service", "1601-01-01T00:00:00Z", "1601-01-01T00:00:00Z"},
		{"last of the service", "9999-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.9999999Z"},
		{"first of all", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, ok := ParseDateTime(tt.text)
			if got := d.String(); !ok || got != tt.want {
				t.Errorf("ParseDateTime(%q) = %s, %t, want %s", tt.text, got, ok, tt.want)
			}
		})
	}
}

func TestParseDateTimeRefuses(t *testing.T) {
	tests := []struct{ name, text string }{
		{"empty", ""},
		{"words", "yesterday"},
		{"two digits of year", "13-08-02"},
		{"year 0", "0000-01-01"},
		{"month 0", "2013-00-02"},
		{"month 13", "2013-13-02"},
		{"day 0", "2013-08-00"},
		{"day 31 of June", "2013-06-31"},
		{"leap day of no leap year", "2013-02-29"},
		{"leap day of a century", "1900-02-29"},
		{"no dashes", "20130802"},
		{"blank as separator", "2013-08-02 17:37:43Z"},
		{"lower-case t", "2013-08-02t17:37:43Z"},
		{"no hour", "2013-08-02T:37Z"},
		{"hour alone", "2013-08-02T17Z"},
		{"hour 24", "2013-08-02T24:00:00Z"},
		{"minute 60", "2013-08-02T17:60:00Z"},
		{"leap second", "2013-08-02T23:59:60Z"},
		{"point without digits", "2013-08-02T17:37:43.Z"},
		{"zone without colon", "2013-08-02T17:37:43+0200"},
		{"zone of 24 hours", "2013-08-02T17:37:43+24:00"},
		{"zone of 60 minutes", "2013-08-02T17:37:43+01:60"},
		{"date with zone", "2013-08-02Z"},
		{"T alone", "2013-08-02T"},
		{"text behind", "2013-08-02T17:37:43Z "},
		{"sign in a number", "2013-+8-02"},
		{"digits of another script", "2013-08-0٢"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if d, ok := ParseDateTime(tt.text); ok {
				t.Errorf("ParseDateTime(%q) = %s, want a refusal", tt.text, d)
			}
		})
	}
}

func TestDateTimeOf(t *testing.T) {
	tests := []struct {
		name string
		at   time.Time
		want string
	}{
		{"finer than a tick is cut", time.Date(2021, 10, 26, 20, 12, 43, 214455099, time.UTC), "2021-10-26T20:12:43.214455Z"},
		{"other zone", time.Date(2021, 10, 26, 1, 0, 0, 0, time.FixedZone("", 7200)), "2021-10-25T23:00:00Z"},
		{"before 1970", time.Date(1969, 12, 31, 23, 59, 59, 999999900, time.UTC), "1969-12-31T23:59:59.9999999Z"},
		{"the start", time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), "0001-01-01T00:00:00Z"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := DateTimeOf(tt.at)
			if got := d.String(); got != tt.want {
				t.Errorf("DateTimeOf(%v) = %s, want %s", tt.at, got, tt.want)
			}
			if again := DateTimeOf(d.Time()); again != d {
				t.Errorf("DateTimeOf(%s.Time()) = %s", d, again)
			}
		})
	}
}

func TestDateTimeRange(t *testing.T) {
	tests := []struct {
		name string
		d    DateTime
		want bool
	}{
		{"zero", 0, false},
		{"below", MinDateTime - 1, false},
		{"first", MinDateTime, true},
		{"last", MaxDateTime, true},
		{"above", MaxDateTime + 1, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.d.InRange(); got != tt.want {
				t.Errorf("InRange of %d = %t, want %t", tt.d, got, tt.want)
			}
		})
	}
	if got, want := MinDateTime.String(), "1601-01-01T00:00:00Z"; got != want {
		t.Errorf("MinDateTime is %s, want %s", got, want)
	}
	if got, want := MaxDateTime.String(), "9999-12-31T23:59:59.9999999Z"; got != want {
		t.Errorf("MaxDateTime is %s, want %s", got, want)
	}
}

func TestDateTimeAppendFull(t *testing.T) {
	d, _ := ParseDateTime("2021-11-08T18:50:36.69Z")
	if got, want := string(d.AppendFull([]byte("Time:"))), "Time:2021-11-08T18:50:36.6900000Z"; got != want {
		t.Errorf("AppendFull gives %s, want %s", got, want)
	}
}

func FuzzParseDateTime(f *testing.F) {
	for _, seed := range []string{
		"2013-08-02", "2013-08-02T17:37Z", "2013-08-02T17:37:43.0090043Z", "2013-08-02T02:00:00+02:30",
		"0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59.9999999-23:59", "2013-08-02T17:37:43.", "é",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, ok := ParseDateTime(text)
		if !ok {
			return
		}
		if _, err := time.Parse("2006-01-02", text[:10]); err != nil {
			t.Errorf("ParseDateTime(%q) accepts an invalid date: %v", text, err)
		}
		if !d.InRange() {
			return
		}
		if again, ok := ParseDateTime(d.String()); !ok || again != d {
			t.Errorf("ParseDateTime(%q) = %s, which reads as %s, %t", text, d, again, ok)
		}
	})
}

func BenchmarkParseDateTime(b *testing.B) {
	for b.Loop() {
		if _, ok := ParseDateTime("2013-08-02T17:37:43.0090043Z"); !ok {
			b.Fatal("refused")
		}
	}
}

func BenchmarkDateTimeAppendText(b *testing.B) {
	d, _ := ParseDateTime("2013-08-02T17:37:43.0090043Z")
	var buf [32]byte
	for b.Loop() {
		d.AppendText(buf[:0])
	}
}
