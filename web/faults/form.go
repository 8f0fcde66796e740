package faults

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"sandtable/web/control"
	"sandtable/web/humanize"
)

// form is a rule that is being written: texts as they are typed.
type form struct {
	open  bool
	index int               // of the rule in the list, -1 for a new one
	was   control.FaultRule // the rule in the list, as it was when the form was opened
	ends  *time.Time        // when it ends; nil once that is entered again

	operation, table, effect string
	often                    string // "share" or "every"
	share, every             string
	median, p99              string
	rate, per                string
	until                    string // "off", "hits" or "time"
	hits, minutes            string
	seed                     string

	problems map[string]string // by field, once the form was submitted
}

// newForm returns the form of a rule that does not exist yet.
func newForm(seed uint64) form {
	f := formOf(control.FaultRule{On: true, Operation: "any write", Effect: control.FaultBusy, Share: 0.1}, seed)
	f.index = -1
	return f
}

// formOf returns the form of a rule. What another effect needs has a value already.
func formOf(r control.FaultRule, seed uint64) form {
	f := form{
		open: true, was: r, ends: r.Until, operation: r.Operation, table: r.Table, effect: r.Effect, often: "share", share: "10", every: "10",
		median: "120", p99: "2000", rate: "200", per: "partition", until: "off", hits: "10", minutes: "10", seed: strconv.FormatUint(seed, 10),
	}
	if r.Share > 0 {
		f.share = plain(r.Share * 100)
	}
	if r.Every > 0 {
		f.often, f.every = "every", strconv.Itoa(r.Every)
	}
	if r.Effect == control.FaultLatency {
		f.median, f.p99 = plain(r.Median), plain(r.P99)
	}
	if r.Effect == control.FaultThrottle {
		f.rate, f.per = plain(r.Rate), r.Per
	}
	switch {
	case r.Hits > 0:
		f.until, f.hits = "hits", strconv.Itoa(r.Hits)
	case r.Until != nil:
		f.until = "time"
	}
	return f
}

// alike reports whether two rules are the same, apart from the switch and the counts.
func alike(a, b control.FaultRule) bool {
	a.On, a.Seen, a.Hit = b.On, b.Seen, b.Hit
	if a.Until != nil && b.Until != nil && a.Until.Equal(*b.Until) {
		a.Until = b.Until
	}
	return a == b
}

func plain(n float64) string { return strconv.FormatFloat(float64(int(n*1e6+0.5))/1e6, 'f', -1, 64) }

// choose changes the effect. A latency and a stale secondary usually meet all requests.
func (f *form) choose(effect string) {
	if (effect == control.FaultLatency || effect == control.FaultStale) && f.effect != effect && f.index < 0 {
		f.often, f.every = "every", "1"
	}
	if effect == control.FaultStale && f.operation == "any write" {
		f.operation = "any read" // the secondary takes no writes
	}
	f.effect = effect
}

// reseed proposes another seed.
func (f *form) reseed() { f.seed = strconv.Itoa(1 + rand.IntN(99_999_999)) }

// rule reads the form. Problems has what is wrong with it, by field.
func (f *form) rule(now time.Time) (r control.FaultRule, seed uint64, problems map[string]string) {
	problems = map[string]string{}
	read := func(field, text string, least, most float64) float64 {
		text = strings.TrimSpace(text)
		integer, _, _ := strings.Cut(text, ".")
		n, err := strconv.ParseFloat(strings.Replace(text, integer, strings.ReplaceAll(integer, ",", ""), 1), 64)
		decimalComma := strings.Contains(integer, ",") && integer != humanize.Number(int(n))
		if err != nil || decimalComma || !(n >= least && n <= most) {
			problems[field] = fmt.Sprintf("A number from %s to %s.", number(least), number(most))
		}
		return n
	}
	whole := func(field, text string, least, most float64) int {
		n := read(field, text, least, most)
		if n != float64(int(n)) && problems[field] == "" {
			problems[field] = "A whole number."
		}
		return int(n)
	}
	r = control.FaultRule{On: f.was.On, Operation: f.operation, Table: f.table, Effect: f.effect, Seen: f.was.Seen, Hit: f.was.Hit}
	switch {
	case f.effect == control.FaultThrottle:
		r.Rate, r.Per = read("rate", f.rate, 0.001, 1e6), f.per
	case f.often == "every":
		r.Every = whole("every", f.every, 1, 1e6)
	default:
		r.Share = read("share", f.share, 0.001, 100) / 100
	}
	if f.effect == control.FaultLatency {
		r.Median, r.P99 = read("median", f.median, 0.1, 30_000), read("p99", f.p99, 0.1, 30_000)
		if r.P99 < r.Median && problems["median"] == "" && problems["p99"] == "" {
			problems["p99"] = "At least the median: 99 of 100 are quicker than this."
		}
	}
	switch f.until {
	case "hits":
		r.Hits = whole("hits", f.hits, 1, 1e6)
	case "time":
		if r.Until = f.ends; r.Until == nil || f.minutes != "10" {
			end := now.Add(time.Duration(read("minutes", f.minutes, 1, 1440) * float64(time.Minute))).UTC().Truncate(time.Second)
			r.Until = &end
		}
	}
	seed = uint64(whole("seed", f.seed, 0, 9e15))
	return r, seed, problems
}
