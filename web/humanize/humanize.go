// Package humanize writes numbers, counts and sizes for people.
package humanize

import (
	"fmt"
	"strconv"
)

// Number returns n with commas between thousands.
func Number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Count returns a number of things in words: "1 table", "2,000 entities".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
}

// Bytes returns a size such as "3.2 KiB", with a decimal below 100 units.
func Bytes(n int) string {
	if n < 1024 {
		return fmt.Sprint(n, " B")
	}
	value, units := float64(n)/1024, []string{"KiB", "MiB", "GiB", "TiB"}
	for value >= 1023.5 && len(units) > 1 { // it would be rounded to 1024
		value, units = value/1024, units[1:]
	}
	if value >= 99.95 {
		return fmt.Sprintf("%.0f %s", value, units[0])
	}
	return fmt.Sprintf("%.1f %s", value, units[0])
}
