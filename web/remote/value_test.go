package remote

import (
	"errors"
	"testing"
)

func TestValue(t *testing.T) {
	gone := errors.New("gone")
	asked := Value[int]{}.Asked()
	tests := []struct {
		name  string
		value Value[int]
		state State
		err   error
		data  int
		held  bool
	}{
		{"zero", Value[int]{}, NotAsked, nil, 0, false},
		{"asked", asked, Loading, nil, 0, false},
		{"answered", asked.Answered(7, nil), Loaded, nil, 7, true},
		{"failed", asked.Answered(7, gone), Failed, gone, 0, false},
		{"asked again keeps the data", Of(7).Asked(), Loading, nil, 7, true},
		{"failed again keeps the data", Of(7).Asked().Answered(0, gone), Failed, gone, 7, true},
		{"answered after a failure", asked.Answered(0, gone).Asked().Answered(8, nil), Loaded, nil, 8, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			data, held := test.value.Data()
			if test.value.State() != test.state || test.value.Err() != test.err || data != test.data || held != test.held {
				t.Errorf("%v %v %v %v, want %+v", test.value.State(), test.value.Err(), data, held, test)
			}
		})
	}
	if Failed.String() != "failed" || Loaded.String() != "loaded" {
		t.Error("states have other names")
	}
}
