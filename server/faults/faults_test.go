package faults

import (
	"math"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

var start = time.Date(2026, 11, 20, 18, 44, 0, 0, time.UTC)

func account(seed uint64, rules ...Rule) *Account {
	for i := range rules {
		rules[i].On = true
		if rules[i].Operation == "" {
			rules[i].Operation = Any
		}
		if err := rules[i].Check(); err != nil {
			panic(err)
		}
	}
	a := new(Account)
	a.set(State{On: true, Seed: seed, Rules: rules}, false)
	return a
}

// hits returns which of n requests, counted from 1, a rule decided.
func hits(a *Account, q Request, n int) (list []int) {
	for i := 1; i <= n; i++ {
		if a.Decide(&q, start).Rule > 0 {
			list = append(list, i)
		}
	}
	return list
}

func TestEveryNth(t *testing.T) {
	a := account(1, Rule{Effect: ServerBusy, Every: 3})
	if got := hits(a, Request{}, 10); !slices.Equal(got, []int{3, 6, 9}) {
		t.Errorf("hit %v", got)
	}
}

func TestShareIsSeeded(t *testing.T) {
	rule := Rule{Effect: ServerBusy, Share: 0.2}
	first := hits(account(20261120, rule), Request{}, 2000)
	if n := len(first); n < 340 || n > 460 {
		t.Errorf("%d of 2000 hits, want about 400", n)
	}
	if again := hits(account(20261120, rule), Request{}, 2000); !slices.Equal(first, again) {
		t.Error("the same seed hits other requests")
	}
	if other := hits(account(20261121, rule), Request{}, 2000); slices.Equal(first, other) {
		t.Error("another seed hits the same requests")
	}
	if all := hits(account(1, Rule{Effect: ServerBusy, Share: 1}), Request{}, 100); len(all) != 100 {
		t.Errorf("a share of 1 hits %d of 100", len(all))
	}
	a := account(20261120, rule)
	hits(a, Request{}, 7)
	a.Reset()
	if again := hits(a, Request{}, 2000); !slices.Equal(first, again) {
		t.Error("after a reset other requests are hit")
	}
}

// TestRulesAreIndependent: what one rule hits does not depend on those before it.
func TestRulesAreIndependent(t *testing.T) {
	second := Rule{Effect: ConnectionCut, Share: 0.3}
	a := account(5, Rule{Effect: ServerBusy, Every: 2}, second)
	b := account(5, Rule{Effect: ServerBusy, Every: 1000}, second)
	for range 500 {
		with, without := a.Decide(&Request{}, start), b.Decide(&Request{}, start)
		if with.Rule != 1 && with != without {
			t.Fatalf("decided %+v, and %+v without the first rule", with, without)
		}
	}
}

func TestFirstFailureDecidesAndLatenciesAddUp(t *testing.T) {
	constant := func(ms time.Duration) Rule {
		return Rule{Effect: Latency, Every: 1, Median: ms * time.Millisecond, P99: ms * time.Millisecond}
	}
	a := account(1, constant(10), Rule{Effect: OperationTimedOut, Every: 2}, Rule{Effect: ServerBusy, Every: 1}, constant(5))
	odd, even := a.Decide(&Request{}, start), a.Decide(&Request{}, start)
	if want := (Decision{Rule: 3, Effect: ServerBusy, Delay: 15 * time.Millisecond}); odd != want {
		t.Errorf("the first: %+v, want %+v", odd, want)
	}
	if want := (Decision{Rule: 2, Effect: OperationTimedOut, Delay: 15 * time.Millisecond}); even != want {
		t.Errorf("the second: %+v, want %+v", even, want)
	}
	want := []Counts{{2, 2}, {2, 1}, {2, 1}, {2, 2}}
	if s := a.State(); !slices.Equal(s.Counts, want) || s.Requests != 2 || s.Failed != 2 {
		t.Errorf("counts %v, %d of %d failed; want %v", s.Counts, s.Failed, s.Requests, want)
	}
	slow := account(1, constant(10), constant(20))
	if d := slow.Decide(&Request{}, start); d.Rule != 1 || d.Fails() || d.Delay != 30*time.Millisecond {
		t.Errorf("latency alone: %+v", d)
	}
	if s := slow.State(); s.Failed != 0 {
		t.Error("a delay counts as a failure")
	}
}

func TestWhatARuleMatches(t *testing.T) {
	write := Request{Operation: "Insert Entity", Writes: true, Table: "Orders"}
	read := Request{Operation: "Get Entity", Table: "Orders"}
	tests := []struct {
		name        string
		rule        Rule
		write, read bool
	}{
		{"any", Rule{Operation: Any}, true, true},
		{"any write", Rule{Operation: AnyWrite}, true, false},
		{"any read", Rule{Operation: AnyRead}, false, true},
		{"an operation", Rule{Operation: "Get Entity"}, false, true},
		{"the table in other letters", Rule{Operation: Any, Table: "orders"}, true, true},
		{"another table", Rule{Operation: Any, Table: "Customers"}, false, false},
		{"until later", Rule{Operation: Any, Until: start.Add(time.Second)}, true, true},
		{"until now", Rule{Operation: Any, Until: start}, false, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.rule.Effect, test.rule.Every = ServerBusy, 1
			a := account(1, test.rule)
			if got := a.Decide(&write, start).Fails(); got != test.write {
				t.Errorf("a write fails: %v", got)
			}
			if got := a.Decide(&read, start).Fails(); got != test.read {
				t.Errorf("a read fails: %v", got)
			}
		})
	}
}

func TestMaxHits(t *testing.T) {
	if got := hits(account(1, Rule{Effect: ServerBusy, Every: 2, MaxHits: 2}), Request{}, 20); !slices.Equal(got, []int{2, 4}) {
		t.Errorf("hit %v", got)
	}
}

// TestStaleEnds: a rule that has reached a limit needs no older state, but only once the
// requests that it hit have read it.
func TestStaleEnds(t *testing.T) {
	until := start.Add(time.Hour)
	for _, c := range []struct {
		name string
		rule Rule
		hits int
		at   time.Duration
		want bool
	}{
		{"no limit", Rule{}, 5, 48 * time.Hour, true},
		{"before its time", Rule{Until: until}, 0, 59 * time.Minute, true},
		{"just after its time", Rule{Until: until}, 0, time.Hour + MaxDelay, true},
		{"long after its time", Rule{Until: until}, 0, 2 * time.Hour, false},
		{"before its hits", Rule{MaxHits: 5}, 4, 48 * time.Hour, true},
		{"just after its hits", Rule{MaxHits: 5}, 5, MaxDelay, true},
		{"long after its hits", Rule{MaxHits: 5}, 5, time.Hour, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.rule.Effect, c.rule.Every = StaleSecondary, 1
			a := account(1, c.rule)
			hits(a, Request{Secondary: true}, c.hits)
			if got := a.Stale(start.Add(c.at)); got != c.want {
				t.Errorf("got %t, want %t", got, c.want)
			}
			a.Reset()
			if c.rule.MaxHits > 0 && !a.Stale(start.Add(c.at)) {
				t.Error("not stale after a reset")
			}
		})
	}
}

func TestLatencyDistribution(t *testing.T) {
	const n = 20_000
	a := account(7, Rule{Effect: Latency, Every: 1, Median: 120 * time.Millisecond, P99: 2 * time.Second})
	delays := make([]float64, n)
	for i := range delays {
		delays[i] = a.Decide(&Request{}, start).Delay.Seconds() * 1000
	}
	slices.Sort(delays)
	if median := delays[n/2]; math.Abs(median-120) > 6 {
		t.Errorf("median %.1f ms", median)
	}
	if p99 := delays[n*99/100]; math.Abs(p99-2000) > 200 {
		t.Errorf("99th percentile %.0f ms", p99)
	}
	if most := delays[n-1]; most > MaxDelay.Seconds()*1000 {
		t.Errorf("a delay of %.0f ms", most)
	}
}

func TestThrottlePerPartition(t *testing.T) {
	a := account(1, Rule{Effect: Throttle, Rate: 10, PerPartition: true})
	one := Request{Table: "T", Partition: "a", InPartition: true, Entities: 1}
	if got := hits(a, one, 13); !slices.Equal(got, []int{11, 12, 13}) {
		t.Errorf("refused %v, want what exceeds ten", got)
	}
	other := Request{Table: "T", Partition: "b", InPartition: true, Entities: 4}
	if got := hits(a, other, 3); !slices.Equal(got, []int{3}) {
		t.Errorf("in another partition, four at a time: refused %v", got)
	}
	if d := a.Decide(&one, start.Add(100*time.Millisecond)); d.Fails() {
		t.Error("a tenth of a second later the next one is refused")
	}
	if d := a.Decide(&one, start.Add(100*time.Millisecond)); d.Rule != 1 || d.Effect != Throttle {
		t.Errorf("and the one after that: %+v", d)
	}
	if d := a.Decide(&Request{Operation: "Query Tables"}, start); d.Fails() {
		t.Error("a request about no partition is refused")
	}
}

func TestThrottleOfAccountAndLargeRequests(t *testing.T) {
	a := account(1, Rule{Effect: Throttle, Rate: 20})
	batch := Request{Table: "T", Partition: "a", InPartition: true, Entities: 100}
	if a.Decide(&batch, start).Fails() {
		t.Error("a transaction larger than the bucket never passes")
	}
	q := Request{Table: "U", Partition: "b", InPartition: true, Entities: 1}
	if !a.Decide(&q, start.Add(3*time.Second)).Fails() || a.Decide(&q, start.Add(5*time.Second)).Fails() {
		t.Error("what follows does not wait for as long as the transaction took")
	}
	a.Charge(&q, 1000, start.Add(5*time.Second))
	if !a.Decide(&q, start.Add(20*time.Second)).Fails() {
		t.Error("what a query returned is not counted")
	}
}

// TestThrottleForgets: a throttle's memory is limited.
func TestThrottleForgets(t *testing.T) {
	a := account(1, Rule{Effect: Throttle, Rate: 10, PerPartition: true})
	for i := range 3 * maxBuckets {
		q := Request{Table: "T", Partition: strconv.Itoa(i), InPartition: true, Entities: 1}
		a.Decide(&q, start.Add(time.Duration(i)*time.Microsecond))
		if n := len(a.rules[0].throttle.buckets); n > maxBuckets {
			t.Fatalf("%d partitions are remembered", n)
		}
	}
}

func TestAccounts(t *testing.T) {
	var none *Accounts
	all := new(Accounts)
	if none.Find("x") != nil || all.Find("x") != nil || all.Clear("x") {
		t.Error("rules without any")
	}
	rule := Rule{On: true, Operation: Any, Effect: ServerBusy, Every: 1}
	set := func(s State, keep bool) {
		t.Helper()
		if err := all.Set("x", s, keep); err != nil {
			t.Fatal(err)
		}
	}
	set(State{On: true, Rules: []Rule{rule}}, false)
	x := all.Find("x")
	x.Decide(&Request{}, start)
	x.Switch(false)
	if d := x.Decide(&Request{}, start); d != (Decision{}) {
		t.Errorf("decided %+v while off", d)
	}
	other := rule
	other.Effect = ConnectionCut
	off := rule
	off.On = false
	set(State{On: true, Rules: []Rule{other, off}}, true)
	if s := x.State(); s.Counts[0] != (Counts{}) || s.Counts[1] != (Counts{1, 1}) || s.Requests != 1 {
		t.Errorf("a rule that moved was switched off: %+v", s)
	}
	set(State{On: true, Rules: []Rule{off}}, false)
	if s := x.State(); s.Counts[0] != (Counts{}) || s.Requests != 0 {
		t.Errorf("new rules: %+v", s)
	}
	for i := range MaxAccounts {
		if err := all.Set(strconv.Itoa(i), State{}, false); (err != nil) != (i == MaxAccounts-1) {
			t.Fatalf("account %d: %v", i, err)
		}
	}
	if !all.Clear("x") || all.Find("x") != nil || all.Find("1") == nil {
		t.Error("the wrong rules were cleared")
	}
	all.ClearAll()
	if all.Find("1") != nil {
		t.Error("rules are left")
	}
}

func TestCheck(t *testing.T) {
	good := Rule{Operation: Any, Effect: ServerBusy, Every: 1}
	tests := map[string]func(*Rule){
		"no operation":           func(r *Rule) { r.Operation = "" },
		"long table":             func(r *Rule) { r.Table = string(make([]byte, 65)) },
		"share and every":        func(r *Rule) { r.Share = 0.5 },
		"neither":                func(r *Rule) { r.Every = 0 },
		"share above 1":          func(r *Rule) { r.Every, r.Share = 0, 1.1 },
		"share is not a number":  func(r *Rule) { r.Every, r.Share = 0, math.NaN() },
		"negative every":         func(r *Rule) { r.Every = -1 },
		"latency without median": func(r *Rule) { r.Effect = Latency },
		"p99 below median":       func(r *Rule) { r.Effect, r.Median, r.P99 = Latency, 2, 1 },
		"too long a delay":       func(r *Rule) { r.Effect, r.Median, r.P99 = Latency, 1, MaxDelay+1 },
		"median of another":      func(r *Rule) { r.Median, r.P99 = 1, 1 },
		"throttle without rate":  func(r *Rule) { r.Effect, r.Every = Throttle, 0 },
		"throttle with every":    func(r *Rule) { r.Effect, r.Rate = Throttle, 10 },
		"infinite rate":          func(r *Rule) { r.Effect, r.Every, r.Rate = Throttle, 0, math.Inf(1) },
		"rate of another":        func(r *Rule) { r.Rate = 1 },
		"negative hits":          func(r *Rule) { r.MaxHits = -1 },
	}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range tests {
		r := good
		spoil(&r)
		if r.Check() == nil {
			t.Errorf("%s: accepted %+v", name, r)
		}
	}
}

func TestAtOnce(t *testing.T) {
	all := new(Accounts)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i := range 300 {
				if i%50 == 0 {
					_ = all.Set("x", State{On: true, Rules: []Rule{{On: true, Operation: Any, Effect: Throttle, Rate: 5}}}, i%100 == 0)
				}
				if a := all.Find("x"); a != nil {
					a.Decide(&Request{}, start)
					a.Charge(&Request{}, 1, start)
					a.State()
				}
			}
		})
	}
	group.Wait()
	if all.Find("x") == nil {
		t.Error("no rules")
	}
}

func TestNoRulesTakeNoMemory(t *testing.T) {
	all := new(Accounts)
	if n := testing.AllocsPerRun(100, func() { all.Find("devstoreaccount1") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
