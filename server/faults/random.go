package faults

import (
	"math"
	"time"
)

// number returns a number in [0, 1) that depends on nothing but its arguments. A
// rule's numbers do not depend on other rules, so rules can be switched without
// changing what the rest do.
//
// Source: the finaliser of SplitMix64, Steele, Lea and Flood, "Fast splittable
// pseudorandom number generators", 2014.
func number(seed uint64, rule int, seen uint64, use uint64) float64 {
	z := seed
	for _, part := range [...]uint64{uint64(rule), seen, use} {
		z += part + 0x9E3779B97F4A7C15
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		z ^= z >> 31
	}
	return float64(z>>11) / (1 << 53)
}

// The uses of a rule's numbers for one request.
const (
	toHit = iota
	toDelay
	toDelayAngle
)

// quantile99 is how many standard deviations 99 of 100 normal values stay below.
const quantile99 = 2.3263478740408408

// delay returns a value of the log-normal distribution with this median and
// this 99th percentile, from two numbers in [0, 1): most requests are a little
// slower than the median, and a few are far slower, as in a network.
//
// Source: Box and Muller, "A note on the generation of random normal deviates", 1958.
func delay(median, p99 time.Duration, u, angle float64) time.Duration {
	deviation := math.Log(float64(p99)/float64(median)) / quantile99
	normal := math.Sqrt(-2*math.Log(1-u)) * math.Cos(2*math.Pi*angle)
	return time.Duration(min(float64(median)*math.Exp(deviation*normal), float64(MaxDelay)))
}
