package faults

import (
	"errors"
	"strings"
	"time"
)

// Limits of what an account's rules may be.
const (
	MaxRules = 50
	// MaxDelay is the longest delay of a rule. A worker that is being replaced
	// waits for the requests that it delays.
	MaxDelay = 30 * time.Second
	maxName  = 64
	maxRate  = 1e9
	maxCount = 1e9
)

// Effect is what a rule does to the requests that it hits.
type Effect string

// The effects. All but Latency and StaleSecondary fail the request.
const (
	// ServerBusy refuses it with 503. Nothing was done.
	ServerBusy Effect = "ServerBusy"
	// OperationTimedOut refuses it with 500. Nothing was done.
	OperationTimedOut Effect = "OperationTimedOut"
	// ConnectionCut closes the connection. Nothing was done.
	ConnectionCut Effect = "connectionCut"
	// AnswerLost does what the request wants, then closes the connection.
	AnswerLost Effect = "answerLost"
	// Latency delays it.
	Latency Effect = "latency"
	// Throttle refuses it with 503 above a rate.
	Throttle Effect = "throttle"
	// StaleSecondary makes the secondary endpoint answer it from an older state.
	StaleSecondary Effect = "staleSecondary"
)

// Effects lists all of them.
var Effects = []string{
	string(ServerBusy), string(OperationTimedOut), string(ConnectionCut), string(AnswerLost), string(Latency), string(Throttle),
	string(StaleSecondary),
}

// Operations that stand for several.
const (
	Any      = "any"
	AnyRead  = "any read"
	AnyWrite = "any write"
)

// Rule says which requests fail or are delayed, and how. It can be compared
// with ==.
type Rule struct {
	On        bool
	Operation string // Any, AnyRead, AnyWrite, or the name of one
	Table     string // "" for all
	Effect    Effect
	// Every hits each n-th request that the rule sees; if it is 0, Share is the
	// probability of a hit. A throttle has neither.
	Every int
	Share float64
	// Median and P99 describe a latency: half of the delays are shorter than
	// Median, and 99 of 100 are shorter than P99.
	Median, P99 time.Duration
	// Rate is how many entities a second a throttle lets pass, in each partition or
	// in the whole account.
	Rate         float64
	PerPartition bool
	// MaxHits ends the rule after so many, Until at that time. The zero values are
	// no limit.
	MaxHits int
	Until   time.Time
}

// Check returns what is wrong with a rule, as a sentence without a full stop.
func (r *Rule) Check() error {
	latency, throttle := r.Effect == Latency, r.Effect == Throttle
	switch {
	case r.Operation == "" || len(r.Operation) > maxName:
		return errors.New("operation is the name of one, " + Any + ", " + AnyRead + " or " + AnyWrite)
	case len(r.Table) > maxName:
		return errors.New("table is too long")
	case r.Every < 0 || r.Every > maxCount:
		return errors.New("every is a whole number from 1 to 1,000,000,000")
	case !(r.Share >= 0 && r.Share <= 1):
		return errors.New("share is a number from 0 to 1")
	case throttle && (r.Every != 0 || r.Share != 0):
		return errors.New("a throttle has entitiesPerSecond, and neither share nor every")
	case !throttle && (r.Every != 0) == (r.Share != 0):
		return errors.New("a rule has either a share, above 0, or every")
	case throttle && !(r.Rate > 0 && r.Rate <= maxRate):
		return errors.New("entitiesPerSecond is a number above 0, up to 1,000,000,000")
	case !throttle && (r.Rate != 0 || r.PerPartition):
		return errors.New("entitiesPerSecond and per are for throttle")
	case latency && (r.Median <= 0 || r.P99 < r.Median || r.P99 > MaxDelay):
		return errors.New("median is above 0, and p99 is not below it and at most 30,000 milliseconds")
	case !latency && (r.Median != 0 || r.P99 != 0):
		return errors.New("median and p99 are for latency")
	case r.MaxHits < 0 || r.MaxHits > maxCount:
		return errors.New("hits is a whole number up to 1,000,000,000")
	}
	return nil
}

// Request is what a rule knows about a request.
type Request struct {
	Operation   string
	Writes      bool
	Table       string
	Partition   string
	InPartition bool // it is about one partition
	Secondary   bool // it is sent to the read-only endpoint
	Entities    int  // how many it reads or writes, as far as that is known
}

// matches reports whether a rule is about a request.
func (r *Rule) matches(q *Request, now time.Time) bool {
	switch {
	case !r.On, !r.Until.IsZero() && !now.Before(r.Until):
		return false
	case r.Effect == StaleSecondary && !q.Secondary:
		return false
	case r.Table != "" && !strings.EqualFold(r.Table, q.Table):
		return false
	case r.Operation == AnyWrite:
		return q.Writes
	case r.Operation == AnyRead:
		return !q.Writes
	}
	return r.Operation == Any || r.Operation == q.Operation
}
