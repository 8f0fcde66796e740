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

// TestLateAnswers: the answer to the last question counts, whichever comes last.
func TestLateAnswers(t *testing.T) {
	first := Value[int]{}.Asked()
	second := first.Asked()
	for name, c := range map[string]struct {
		now, asked Value[int]
		late       bool
	}{
		"asked once":          {first, first, false},
		"asked again":         {second, first, true},
		"the last one":        {second, second, false},
		"answered before it":  {second.Answered(7, nil), first, true},
		"set since":           {Of(7), second, true},
		"forgotten since":     {Value[int]{}, second, true},
		"answered, by itself": {Value[int]{}.Answered(7, nil), second, true},
	} {
		if got := c.now.Late(c.asked); got != c.late {
			t.Errorf("%s: late is %v", name, got)
		}
	}
}
