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

// TestSeedOfZero: the endpoint takes 0, and saving a rule does not make it another seed.
func TestSeedOfZero(t *testing.T) {
	e := &endpoint{faults: sample()}
	e.faults.Seed = 0
	d := open(t, e)
	d.Do(func() { d.Page.edit(0); d.Page.save() })
	d.Do(func() { d.Page.add("lost") })
	if e.faults.Seed != 0 || !e.kept[0] {
		t.Errorf("the seed is %d, counts kept: %v", e.faults.Seed, e.kept)
	}
}

// TestFormOfARuleThatChanges: what becomes of a rule in the list while its form is open is not
// taken back by the form.
func TestFormOfARuleThatChanges(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Page, *endpoint)
		want   func(before []control.FaultRule) []control.FaultRule
	}{
		{"switched off", func(p *Page, _ *endpoint) { p.toggle(1) }, func(all []control.FaultRule) []control.FaultRule {
			all[1].On = !all[1].On
			all[1].Table = "Orders"
			return all
		}},
		{"another one is deleted elsewhere", func(p *Page, e *endpoint) {
			e.faults.Rules = e.faults.Rules[1:]
			p.load()
		}, func(all []control.FaultRule) []control.FaultRule {
			all[1].Table = "Orders"
			return all[1:]
		}},
		{"it is deleted elsewhere", func(p *Page, e *endpoint) {
			e.faults.Rules = append(e.faults.Rules[:1:1], e.faults.Rules[2:]...)
			p.load()
		}, func(all []control.FaultRule) []control.FaultRule {
			mine := all[1]
			mine.Table = "Orders"
			return append(append(all[:1:1], all[2:]...), mine)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &endpoint{faults: sample()}
			d := open(t, e)
			d.Do(func() { d.Page.edit(1); d.Page.form.table = "Orders" })
			d.Do(func() { c.change(d.Page, e) })
			d.Do(d.Page.save)
			want := c.want(sample().Rules)
			if len(e.faults.Rules) != len(want) {
				t.Fatalf("%d rules, want %d", len(e.faults.Rules), len(want))
			}
			for i, got := range e.faults.Rules {
				if describe(got) != describe(want[i]) || got.On != want[i].On {
					t.Errorf("rule %d is %s, on %v; want %s, on %v", i+1, describe(got), got.On, describe(want[i]), want[i].On)
				}
			}
		})
	}
}
