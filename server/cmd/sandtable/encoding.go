//go:build !js

package main

import (
	"math"
	"strconv"
	"strings"
)

// codings are the content codings of the web app's files by name suffix, the
// preferred one first.
var codings = []struct{ suffix, name string }{{".br", "br"}, {".gz", "gzip"}, {"", identity}}

const identity = "identity"

// acceptedCoding returns the available coding that an Accept-Encoding header prefers,
// or "" if it accepts none; available lists the preferred one first. A client without
// such a header gets files unencoded.
//
// Source: RFC 9110, section 12.5.3.
func acceptedCoding(header []string, available []string) string {
	weights := codingWeights(strings.Join(header, ","))
	best, chosen := 0.0, ""
	for _, coding := range available {
		if weight := weights(coding); weight > best {
			best, chosen = weight, coding
		}
	}
	return chosen
}

// codingWeights parses an Accept-Encoding header. A coding that is not accepted has
// weight 0.
func codingWeights(header string) func(coding string) float64 {
	given := map[string]float64{}
	for member := range strings.SplitSeq(header, ",") {
		coding, parameters, _ := strings.Cut(member, ";")
		coding = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(coding)), "x-") // x-gzip is an old name of gzip
		if weight, ok := readWeight(parameters); ok && coding != "" {
			given[coding] = weight
		}
	}
	return func(coding string) float64 {
		if weight, ok := given[coding]; ok {
			return weight
		}
		if weight, ok := given["*"]; ok {
			return weight
		}
		if coding == identity {
			return math.SmallestNonzeroFloat64 // always acceptable, but last
		}
		return 0
	}
}

// readWeight parses a member's only parameter, q.
func readWeight(parameters string) (weight float64, ok bool) {
	name, value, _ := strings.Cut(strings.TrimSpace(parameters), "=")
	switch {
	case name == "":
		return 1, true
	case !strings.EqualFold(strings.TrimSpace(name), "q"):
		return 0, false
	}
	weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return weight, err == nil && weight >= 0 && weight <= 1
}
