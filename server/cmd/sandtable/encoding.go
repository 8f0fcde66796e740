//go:build !js

package main

import (
	"math"
	"strconv"
	"strings"
)

// A file of the web app may be there in several content codings, by the endings
// of its names. They are in the order in which they are preferred.
var codings = []struct{ suffix, name string }{{".br", "br"}, {".gz", "gzip"}, {"", identity}}

const identity = "identity"

// acceptedCoding returns the coding of those that are there, in the order of
// preference, which an Accept-Encoding header likes best, or "" if it takes
// none of them. A client that sends no such header gets files as they are.
//
// Source: RFC 9110, section 12.5.3.
func acceptedCoding(header []string, there []string) string {
	weights := codingWeights(strings.Join(header, ","))
	best, chosen := 0.0, ""
	for _, coding := range there {
		if weight := weights(coding); weight > best {
			best, chosen = weight, coding
		}
	}
	return chosen
}

// codingWeights reads an Accept-Encoding header. The weight of what is not
// accepted is 0.
func codingWeights(header string) func(coding string) float64 {
	given := map[string]float64{}
	for member := range strings.SplitSeq(header, ",") {
		coding, parameters, _ := strings.Cut(member, ";")
		coding = strings.TrimPrefix(strings.ToLower(strings.TrimSpace(coding)), "x-") // x-gzip is gzip's old name
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
			return math.SmallestNonzeroFloat64 // always possible, but last
		}
		return 0
	}
}

// readWeight reads the parameters of a member, of which there is but q.
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
