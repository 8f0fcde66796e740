package faults

import (
	"testing"
	"time"

	"sandtable/web/control"
)

// TestDecimalComma: a comma stands between thousands, and nowhere else.
func TestDecimalComma(t *testing.T) {
	for text, want := range map[string]float64{"2.5": 2.5, "2,500": 2500, "1,200.5": 1200.5, "2,5": 0, "0,250": 0, "12,50": 0, "1,2345": 0} {
		f := newForm(1)
		f.effect, f.rate = control.FaultThrottle, text
		r, _, problems := f.rule(time.Now())
		if want == 0 && problems["rate"] == "" || want > 0 && (r.Rate != want || len(problems) > 0) {
			t.Errorf("%s is read as %v, with the problems %v", text, r.Rate, problems)
		}
	}
}
