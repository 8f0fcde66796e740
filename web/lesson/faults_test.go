package lesson

import (
	"strings"
	"testing"
)

func TestFaultsThatTheEndpointRefuses(t *testing.T) {
	tests := []struct{ name, rule, want string }{ // want is "" for a rule that it takes
		{"every third", `{"effect": "ServerBusy", "operation": "any write", "every": 3, "hits": 1}`, ""},
		{"neither share nor every", `{"effect": "answerLost"}`, ""},
		{"a constant latency", `{"effect": "latency", "median": 40}`, ""},
		{"a throttle", `{"effect": "throttle", "entitiesPerSecond": 0.5, "per": "account"}`, ""},
		{"another effect", `{"effect": "Busy"}`, `rule 1 of faults: there is no effect "Busy"`},
		{"another operation", `{"effect": "ServerBusy", "operation": "any query"}`, "there is no operation"},
		{"every -4", `{"effect": "ServerBusy", "every": -4}`, "every is a whole number"},
		{"every 0", `{"effect": "ServerBusy", "every": 0}`, "every is a whole number"},
		{"a share of 0", `{"effect": "ServerBusy", "share": 0.0}`, "share is above 0"},
		{"no hits", `{"effect": "ServerBusy", "hits": 0}`, "hits is"},
		{"a share of 7", `{"effect": "ServerBusy", "share": 7}`, "share is above 0 and at most 1"},
		{"a negative share", `{"effect": "ServerBusy", "share": -0.1}`, "share is above 0"},
		{"share and every", `{"effect": "ServerBusy", "share": 0.1, "every": 2}`, "either share or every"},
		{"negative hits", `{"effect": "ServerBusy", "hits": -1}`, "hits is"},
		{"a throttle without a rate", `{"effect": "throttle"}`, "entitiesPerSecond is above 0"},
		{"a throttle with a share", `{"effect": "throttle", "entitiesPerSecond": 5, "share": 0.5}`, "neither share nor every"},
		{"a throttle of something else", `{"effect": "throttle", "entitiesPerSecond": 5, "per": "table"}`, "per is partition or account"},
		{"a rate without a throttle", `{"effect": "ServerBusy", "entitiesPerSecond": 5}`, "are for throttle"},
		{"a latency of nothing", `{"effect": "latency"}`, "median is above 0"},
		{"a p99 below the median", `{"effect": "latency", "median": 50, "p99": 40}`, "p99 at least the median"},
		{"a long latency", `{"effect": "latency", "median": 30001}`, "at most 30,000"},
		{"a median without a latency", `{"effect": "ServerBusy", "median": 5}`, "are for latency"},
		{"a long name", `{"effect": "ServerBusy", "table": "` + strings.Repeat("a", 65) + `"}`, "name is too long"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var f Faults
			if err := strict([]byte(`{"seed": 1, "rules": [`+test.rule+`]}`), &f); err != nil {
				t.Fatal(err)
			}
			got := strings.Join(f.problems(), "\n")
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	if got := (&Faults{Seed: maxSeed + 1}).problems(); len(got) != 1 {
		t.Errorf("a large seed: %v", got)
	}
}
