package server

import (
	"cmp"
	"fmt"
	"time"

	"sandtable/engine"
	"sandtable/odata/filter"
	"sandtable/server/faults"
	"sandtable/server/message"
)

// injection is what the account's faults do to a request.
type injection struct {
	rules    *faults.Account
	request  faults.Request
	decision faults.Decision
}

// injectedError means that the account's faults made a request fail.
type injectedError struct{ decision faults.Decision }

func (e *injectedError) Error() string {
	return fmt.Sprintf("rule %d of the account's faults: %s", e.decision.Rule, e.decision.Effect)
}

// Unwrap returns the error that the service has in such a case.
func (e *injectedError) Unwrap() error {
	if e.decision.Effect == faults.OperationTimedOut {
		return ErrOutcomeUnknown
	}
	return ErrUnavailable
}

// inject delays the request, which is ready to run, if the account's faults say
// so, and returns an error if they make it fail before anything is done. In a
// worker, too, only this request waits.
func (x *exchange) inject(o *operation, writes bool, scope *Scope) error {
	rules := x.options.Faults.Find(scope.Account)
	if rules == nil {
		return nil
	}
	i := &injection{rules: rules, request: faults.Request{
		Operation: o.name, Writes: writes, Table: cmp.Or(scope.Table, x.command.table), Entities: len(scope.Keys), Secondary: x.endpoint.secondary,
	}}
	if key, ok := scope.partition(); ok {
		i.request.Partition, i.request.InPartition = key, true
	}
	x.injection, i.decision = i, rules.Decide(&i.request, x.options.Now())
	if !x.pause(i.decision.Delay) {
		return ErrUnavailable // the client has gone
	}
	if i.decision.Fails() && i.decision.Effect != faults.AnswerLost {
		return &injectedError{i.decision}
	}
	return nil
}

// pause waits, and reports false if the client disconnected meanwhile.
func (x *exchange) pause(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.http.Context.Done():
		return false
	}
}

// partition returns the partition of the keys or of the query, if it is only one.
func (s *Scope) partition() (key string, ok bool) {
	if len(s.Keys) > 0 {
		return s.Keys[0].PartitionKey, true
	}
	if s.Query == nil || s.Query.Filter == nil {
		return "", false
	}
	keys := filter.Bounds(s.Query.Filter)
	return keys.From.PartitionKey, engine.KindOf(keys) != engine.TableScan && !keys.IsEmpty()
}

// charge counts the entities that a query returned against the account's throttles,
// except for one, which [faults.Account.Decide] has counted already.
func (x *exchange) charge(returned int) {
	if i := x.injection; i != nil {
		i.rules.Charge(&i.request, returned-1, x.options.Now())
	}
}

// fault returns what the account's faults did to the request.
func (x *exchange) fault() faults.Decision {
	if x.injection == nil {
		return faults.Decision{}
	}
	return x.injection.decision
}

// severs reports whether the connection is to be closed without an answer.
func (x *exchange) severs() bool {
	effect := x.fault().Effect
	return effect == faults.ConnectionCut || effect == faults.AnswerLost
}

// sever closes the connection. The record of a lost answer contains the answer.
func (x *exchange) sever(out *reply) {
	header := message.Header{}
	if x.fault().Effect == faults.AnswerLost {
		x.writeHeader(header, out)
	} else {
		*out = reply{operation: out.operation, requestBody: out.requestBody, err: out.err}
	}
	x.observe(header, out)
	panic(message.ErrAbort)
}
