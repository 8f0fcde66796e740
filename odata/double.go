package odata

import (
	"bytes"
	"math"
	"strconv"
)

// AppendDouble appends a double as the service prints it: with 15 significant
// digits if they round-trip and 17 otherwise, always with a point or an exponent
// (3.0), an exponent of at least two digits from 1E+15 up, or 1E+17 with more than 15
// digits, and from 1E-05 down, and NaN, Infinity and -Infinity.
//
// The thresholds are those of .NET's "R" format, which is "G15" or "G17"; a recording
// of the service confirms one, 1.23456789012346E+24.
func AppendDouble(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "NaN"...)
	case math.IsInf(f, 1):
		return append(b, "Infinity"...)
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...)
	case f == 0:
		if math.Signbit(f) {
			return append(b, "-0.0"...)
		}
		return append(b, "0.0"...)
	}
	if f < 0 {
		b = append(b, '-')
		f = -f
	}
	if short, ok := appendShort(b, f); ok {
		return short
	}
	var scratch [32]byte
	digits, exponent := splitExponent(strconv.AppendFloat(scratch[:0], f, 'e', -1, 64))
	// If 15 digits round-trip, they are the shortest digits that do, followed by zeros.
	// Subnormal doubles are less precise: further digits of theirs are not zeros.
	most := 15
	switch {
	case len(digits) > most:
		most = 17
		digits, exponent = splitExponent(strconv.AppendFloat(scratch[:0], f, 'e', 16, 64))
	case f < smallestNormal:
		digits, exponent = splitExponent(strconv.AppendFloat(scratch[:0], f, 'e', 14, 64))
	}
	if exponent >= most || exponent <= -5 {
		return appendScientific(b, digits, exponent)
	}
	return appendFixed(b, digits, exponent)
}

// appendShort appends a positive double that is neither printed with an exponent nor
// has more than 15 digits, as are most. It reports whether it did.
func appendShort(b []byte, f float64) ([]byte, bool) {
	if f < 1e-4 || f >= 1e15 {
		return nil, false
	}
	start := len(b)
	b = strconv.AppendFloat(b, f, 'f', -1, 64) // the shortest digits that round-trip
	text := b[start:]
	if len(text) > 15+len(".") {
		return nil, false
	}
	if bytes.IndexByte(text, '.') < 0 {
		b = append(b, ".0"...)
	}
	return b, true
}

// smallestNormal is the smallest positive double with 53 bits of precision; those
// below it are subnormal.
const smallestNormal = 0x1p-1022

// splitExponent splits d.ddde±nn into its digits, without the point and trailing
// zeros, and its exponent.
func splitExponent(text []byte) (digits []byte, exponent int) {
	e := len(text) - 1
	for text[e] != 'e' {
		e--
	}
	exponent, _ = strconv.Atoi(string(text[e+1:]))
	digits = text[:1]
	if e > 1 {
		digits = append(digits, text[2:e]...)
	}
	for len(digits) > 1 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return digits, exponent
}

func appendScientific(b, digits []byte, exponent int) []byte {
	b = append(b, digits[0])
	if len(digits) > 1 {
		b = append(b, '.')
		b = append(b, digits[1:]...)
	}
	b = append(b, 'E')
	if exponent < 0 {
		b = append(b, '-')
		exponent = -exponent
	} else {
		b = append(b, '+')
	}
	if exponent < 10 {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, int64(exponent), 10)
}

func appendFixed(b, digits []byte, exponent int) []byte {
	if exponent < 0 {
		b = append(b, "0."...)
		for range -exponent - 1 {
			b = append(b, '0')
		}
		return append(b, digits...)
	}
	whole := exponent + 1
	if whole < len(digits) {
		b = append(append(b, digits[:whole]...), '.')
		return append(b, digits[whole:]...)
	}
	b = append(b, digits...)
	for range whole - len(digits) {
		b = append(b, '0')
	}
	return append(b, ".0"...)
}
