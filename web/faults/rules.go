package faults

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"sandtable/web/control"
	"sandtable/web/humanize"
	"sandtable/web/ui"
)

// effects are what can happen, with the words of the form's buttons.
var effects = []ui.Choice{
	{Value: control.FaultBusy, Label: "503 ServerBusy"},
	{Value: control.FaultTimedOut, Label: "500 OperationTimedOut"},
	{Value: control.FaultCut, Label: "connection cut"},
	{Value: control.FaultLost, Label: "answer lost after commit"},
	{Value: control.FaultLatency, Label: "latency"},
	{Value: control.FaultThrottle, Label: "throttle"},
	{Value: control.FaultStale, Label: "stale secondary"},
}

// meaning says what a client sees of an effect.
var meaning = map[string]string{
	control.FaultBusy:     "Nothing is done. SDKs wait and send the request again.",
	control.FaultTimedOut: "Nothing is done, but a client cannot know that. SDKs send the request again.",
	control.FaultCut:      "Nothing is done. In a browser fetch fails, which the SDK does not retry; in Node.js it does.",
	control.FaultLost:     "Everything is done, then the connection is cut. A retried insert will meet 409.",
	control.FaultLatency:  "The request waits before anything is done; others do not.",
	control.FaultStale:    "ACCOUNT-secondary keeps answering with the data as it was when the rule was switched on or the counters were last reset.",
	control.FaultThrottle: "503 for what exceeds the rate. The service lets 2,000 entities a second pass in a partition, 20,000 in an account.",
}

// status splits the words of an effect into the status that the client gets and the rest.
func status(r control.FaultRule) (code, words string) {
	switch r.Effect {
	case control.FaultBusy, control.FaultTimedOut:
		return map[string]string{control.FaultBusy: "503", control.FaultTimedOut: "500"}[r.Effect], r.Effect
	case control.FaultCut:
		return "", "connection cut"
	case control.FaultLost:
		return "", "answer lost after commit"
	case control.FaultStale:
		return "", "stale secondary"
	case control.FaultLatency:
		if r.P99 == r.Median || r.P99 == 0 {
			return "", "latency " + number(r.Median) + " ms"
		}
		return "", "latency p50 " + number(r.Median) + " ms, p99 " + number(r.P99) + " ms"
	}
	per := " per partition"
	if r.Per == "account" {
		per = " in the account"
	}
	return "", "throttle to " + number(r.Rate) + " entities/s" + per
}

// where says which tables a rule is about.
func where(r control.FaultRule) string { return cmp.Or(r.Table, "any table") }

// often says which of the requests that a rule sees it hits.
func often(r control.FaultRule) string {
	switch {
	case r.Effect == control.FaultThrottle:
		return "above it"
	case r.Every == 1 || r.Share == 1:
		return "all"
	case r.Every > 1:
		return "every " + ordinal(r.Every)
	}
	return strconv.FormatFloat(math.Round(r.Share*1e8)/1e6, 'f', -1, 64) + " %"
}

// describe says a rule in one line.
func describe(r control.FaultRule) string {
	code, words := status(r)
	return r.Operation + ", " + where(r) + ", " + strings.TrimSpace(code+" "+words) + ", " + often(r)
}

func ordinal(n int) string { return humanize.Number(n) + ending(n) }

// ending returns what makes a number an ordinal, such as "st".
func ending(n int) string {
	if suffix, ok := map[int]string{1: "st", 2: "nd", 3: "rd"}[n%10]; ok && (n%100 < 11 || n%100 > 13) {
		return suffix
	}
	return "th"
}

// number shows a number with separators, and decimals only if it has some.
func number(n float64) string {
	if n == math.Trunc(n) && math.Abs(n) < 1e15 {
		return humanize.Number(int(n))
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// preset is rules for a usual situation.
type preset struct {
	name, title, text string
	rules             []control.FaultRule
}

var presets = []preset{
	{"busy", "Busy service", "A fifth of the writes gets 503, and all requests take 40 ms or more.", []control.FaultRule{
		{On: true, Operation: "any write", Effect: control.FaultBusy, Share: 0.2},
		{On: true, Operation: "any", Effect: control.FaultLatency, Every: 1, Median: 40, P99: 900},
	}},
	{"network", "Bad network", "One of twenty connections breaks, and answers take 120 ms to 2 s.", []control.FaultRule{
		{On: true, Operation: "any", Effect: control.FaultCut, Share: 0.05},
		{On: true, Operation: "any", Effect: control.FaultLatency, Every: 1, Median: 120, P99: 2000},
	}},
	{"lost", "Lost answers", "One of twenty writes is done, but its answer never arrives.", []control.FaultRule{
		{On: true, Operation: "any write", Effect: control.FaultLost, Share: 0.05},
	}},
}

// code returns the call that sets the same faults, for a test.
func code(account string, f control.Faults) string {
	var lines []string
	for _, r := range f.Rules {
		text, err := json.Marshal(r)
		if err != nil {
			continue // a rule that was read is one that can be written
		}
		line := strings.NewReplacer(fmt.Sprintf(`,"seen":%d,"hit":%d`, r.Seen, r.Hit), "", `"on":true,`, "").Replace(string(text))
		lines = append(lines, "  "+line+",\n")
	}
	return fmt.Sprintf("await sandtable.faults.set(%q, { seed: %d, rules: [\n%s] });\n", account, f.Seed, strings.Join(lines, ""))
}

// quantile99 is how many standard deviations 99 of 100 normal values stay below.
const quantile99 = 2.3263478740408408

// bars returns the heights of a histogram of delays from 0 to the 99th
// percentile, the highest being 1: a log-normal distribution.
func bars(median, p99 float64, count int) []float64 {
	heights := make([]float64, count)
	if median <= 0 || p99 <= median {
		return heights
	}
	deviation := math.Log(p99/median) / quantile99
	most := 0.0
	for i := range heights {
		x := p99 * (float64(i) + 0.5) / float64(count)
		z := math.Log(x/median) / deviation
		heights[i] = math.Exp(-z*z/2) / x
		most = max(most, heights[i])
	}
	for i := range heights {
		heights[i] /= most
	}
	return heights
}
