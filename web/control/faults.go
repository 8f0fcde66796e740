package control

import (
	"context"
	"time"

	"sandtable/web/client"
)

// Faults are the requests to an account that fail on purpose.
type Faults struct {
	On       bool        `json:"on"`
	Seed     uint64      `json:"seed"`
	Requests int         `json:"requests"` // while they were on
	Failed   int         `json:"failed"`
	Rules    []FaultRule `json:"rules"`
}

// Operations are the service's, as the endpoint names them, in the order of menus.
var Operations = []string{
	"Insert Entity", "Update Entity", "Merge Entity", "Insert Or Replace Entity", "Insert Or Merge Entity", "Delete Entity",
	"Entity Group Transaction", "Get Entity", "Query Entities",
	"Create Table", "Delete Table", "Get Table", "Query Tables", "Get Table ACL", "Set Table ACL",
	"Get Table Service Properties", "Set Table Service Properties", "Get Table Service Stats",
}

// FaultOperations are what a rule can be about.
var FaultOperations = append([]string{"any", "any read", "any write"}, Operations...)

// FaultEffects are what a rule can do.
var FaultEffects = []string{FaultBusy, FaultTimedOut, FaultCut, FaultLost, FaultLatency, FaultThrottle, FaultStale}

// The effects of a rule.
const (
	FaultBusy     = "ServerBusy"
	FaultTimedOut = "OperationTimedOut"
	FaultCut      = "connectionCut"
	FaultLost     = "answerLost"
	FaultLatency  = "latency"
	FaultThrottle = "throttle"
	FaultStale    = "staleSecondary"
)

// FaultRule says which requests fail, and how; docs/control.md has its members.
type FaultRule struct {
	On        bool       `json:"on"`
	Operation string     `json:"operation,omitempty"` // "" for any
	Table     string     `json:"table,omitempty"`     // "" for all
	Effect    string     `json:"effect"`
	Share     float64    `json:"share,omitempty"`
	Every     int        `json:"every,omitempty"`
	Median    float64    `json:"median,omitempty"` // in milliseconds, as P99
	P99       float64    `json:"p99,omitempty"`
	Rate      float64    `json:"entitiesPerSecond,omitempty"`
	Per       string     `json:"per,omitempty"` // "partition" or "account"
	Hits      int        `json:"hits,omitempty"`
	Until     *time.Time `json:"until,omitempty"`
	Seen      int        `json:"seen"`
	Hit       int        `json:"hit"`
}

// Fault is what the faults did to a recorded request.
type Fault struct {
	Rule   int     `json:"rule"` // its number at that time; the first is 1
	Effect string  `json:"effect"`
	Delay  float64 `json:"delay"` // in milliseconds
}

// Fails reports whether the client did not get the answer.
func (f Fault) Fails() bool { return f.Effect != FaultLatency && f.Effect != FaultStale }

// Faults asks for the faults of an account.
func (c *Client) Faults(ctx context.Context, account string) (f Faults, err error) {
	err = c.call(ctx, client.MethodGet, faultsPath(account), nil, &f)
	return f, err
}

// SetFaults replaces the switch, the seed and the rules. With keep, rules that were
// there before continue counting.
func (c *Client) SetFaults(ctx context.Context, account string, f Faults, keep bool) (now Faults, err error) {
	body := map[string]any{"on": f.On, "seed": f.Seed, "rules": append([]FaultRule{}, f.Rules...), "keepCounts": keep}
	err = c.send(ctx, client.MethodPut, faultsPath(account), body, &now)
	return now, err
}

// SwitchFaults turns all rules on or off.
func (c *Client) SwitchFaults(ctx context.Context, account string, on bool) (now Faults, err error) {
	err = c.send(ctx, client.MethodPatch, faultsPath(account), map[string]bool{"on": on}, &now)
	return now, err
}

// ResetFaults begins counting again.
func (c *Client) ResetFaults(ctx context.Context, account string) (now Faults, err error) {
	err = c.call(ctx, client.MethodPost, faultsPath(account)+"/reset", nil, &now)
	return now, err
}

func faultsPath(account string) string { return "/accounts/" + account + "/faults" }
