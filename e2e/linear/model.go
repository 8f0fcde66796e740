package linear

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// Every write stores a value that no other write stores, so a value stands for
// the ETag that came with it.
const (
	absent  = 0  // a missing row
	present = -1 // a condition that every present row meets
)

// kind is what an operation does.
type kind uint8

const (
	read kind = iota
	insert
	update // with a condition: If-Match
	upsert
	remove // with a condition
)

// step is one operation, alone or in a transaction. All of a history are about the
// rows of one partition.
type step struct {
	kind   kind
	row    int
	value  int // that it writes
	expect int // the value that its condition names, or present
}

// call is what a client sent: one step, or the steps of a transaction.
type call []step

// answer is what came back.
type answer struct {
	unknown bool // the connection broke: it may have happened, now or later
	unsent  bool // there was no connection: it did not happen
	status  int  // of the step that failed, or of all
	failed  int  // the index of that step
	value   int  // of a read
}

// rows is the state of a partition: the value of each row.
type rows [4]int

// status returns a step's status in a state, and the state after it.
func (s step) apply(before rows) (after rows, status int) {
	after = before
	there := before[s.row]
	switch {
	case s.kind == read && there == absent:
		return before, 404
	case s.kind == read:
		return before, 200
	case s.kind == insert && there != absent:
		return before, 409
	case (s.kind == update || s.kind == remove) && there == absent:
		return before, 404
	case (s.kind == update || s.kind == remove) && s.expect != present && s.expect != there:
		return before, 412
	}
	if after[s.row] = s.value; s.kind == remove {
		after[s.row] = absent
	}
	return after, 204
}

// outcome applies a call to a state and returns the new state and the answer.
func (c call) outcome(before rows) (rows, answer) {
	state := before
	for i, s := range c {
		next, status := s.apply(state)
		if status >= 400 {
			return before, answer{status: status, failed: i}
		}
		if s.kind == read {
			return before, answer{status: 200, value: before[s.row]}
		}
		state = next
	}
	return state, answer{status: 204}
}

// model is the service as a state machine. A call without an answer may have
// happened at any time since, or never.
var model = (&porcupine.NondeterministicModel{
	Init: func() []interface{} { return []interface{}{rows{}} },
	Step: func(state, input, output interface{}) []interface{} {
		after, would := input.(call).outcome(state.(rows))
		got := output.(answer)
		switch {
		case got.unknown && after != state.(rows):
			return []interface{}{state, after}
		case got.unknown:
			return []interface{}{state}
		case would == got:
			return []interface{}{after}
		}
		return nil
	},
	Equal: func(a, b interface{}) bool { return a == b },
	DescribeOperation: func(input, output interface{}) string {
		var steps []string
		for _, s := range input.(call) {
			steps = append(steps, fmt.Sprintf("%s %d := %d if %d", [...]string{"read", "insert", "update", "upsert", "delete"}[s.kind], s.row, s.value, s.expect))
		}
		return fmt.Sprintf("%s -> %+v", strings.Join(steps, ", "), output)
	},
}).ToModel()

// patience limits the search for an order of one partition's operations.
const patience = time.Minute

// check returns "" if every partition's history is linearizable, and otherwise the
// first history for which no legal order was found in time, as text.
func check(partitions map[string][]porcupine.Operation) string {
	names := make([]string, 0, len(partitions))
	for name := range partitions {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		result := porcupine.CheckOperationsTimeout(model, partitions[name], patience)
		if result == porcupine.Ok {
			continue
		}
		var lines []string
		for _, o := range partitions[name] {
			lines = append(lines, fmt.Sprintf("%d-%d client %d: %s", o.Call, o.Return, o.ClientId, model.DescribeOperation(o.Input, o.Output)))
		}
		return fmt.Sprintf("%s is not linearizable (%s):\n", name, result) + strings.Join(lines, "\n")
	}
	return ""
}
