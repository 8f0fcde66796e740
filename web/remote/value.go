package remote

import "sync/atomic"

// State is how far a [Value] is.
type State uint8

// The states, in the order in which a value goes through them.
const (
	NotAsked State = iota
	Loading
	Failed
	Loaded
)

// String returns the state in words.
func (s State) String() string {
	return [...]string{"not asked", "loading", "failed", "loaded"}[s&3]
}

// Value is data of type T and how far it is. The zero Value was not asked for.
//
// A value that is asked for again, or that failed then, keeps what was there
// before, for those who would rather show old data than none.
type Value[T any] struct {
	state State
	data  T
	held  bool
	err   error
	asked int64 // identifies the last question; 0 before the first
}

var questions atomic.Int64

// Of returns a loaded value. It is newer than any answer that is still to come.
func Of[T any](data T) Value[T] {
	return Value[T]{state: Loaded, data: data, held: true, asked: questions.Add(1)}
}

// State returns how far the value is.
func (v Value[T]) State() State { return v.state }

// Err returns why the value failed, nil in every other state.
func (v Value[T]) Err() error { return v.err }

// Data returns the last data that was loaded, and whether there is any.
func (v Value[T]) Data() (T, bool) { return v.data, v.held }

// Asked returns the value after it was asked for (again).
func (v Value[T]) Asked() Value[T] {
	v.state, v.err, v.asked = Loading, nil, questions.Add(1)
	return v
}

// Answered returns the value after the answer: the data, or why there is none.
func (v Value[T]) Answered(data T, err error) Value[T] {
	if err != nil {
		v.state, v.err = Failed, err
		return v
	}
	v.state, v.data, v.held, v.err = Loaded, data, true, nil
	return v
}

// Late reports whether the answer to an earlier question is out of date: the value was
// asked for again since, set or forgotten.
func (v Value[T]) Late(asked Value[T]) bool { return v.asked != asked.asked }
