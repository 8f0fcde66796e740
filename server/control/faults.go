package control

import (
	"slices"
	"strconv"
	"time"

	"sandtable/engine"
	"sandtable/odata"
	"sandtable/odata/payload"
	"sandtable/server"
	"sandtable/server/faults"
	"sandtable/server/message"
)

// getFaults answers for an account that never had rules, too.
func (c *call) getFaults() (int, []byte, error) {
	if err := c.accountExists(); err != nil {
		return 0, nil, err
	}
	return ok(describeFaults(c.faults.Find(c.name)))
}

func (c *call) accountExists() error {
	return c.db.View(func(tx *engine.Tx) error {
		_, err := tx.Account(c.name)
		return err
	})
}

// setFaults replaces the seed and the rules of an account.
func (c *call) setFaults() (int, []byte, error) {
	body, err := server.ReadBody(c.http, maxBody)
	if err != nil {
		return 0, nil, err
	}
	state, keep, err := readFaults(body)
	if err != nil {
		return 0, nil, err
	}
	if err := c.accountExists(); err != nil {
		return 0, nil, err
	}
	if err := c.faults.Set(c.name, state, keep); err != nil {
		return 0, nil, &controlError{409, "TooManyFaults", "Too many accounts have faults.", ""}
	}
	if err := c.accountExists(); err != nil { // it was deleted meanwhile
		c.faults.Clear(c.name)
		c.pinSecondary(c.name, false)
		return 0, nil, err
	}
	c.pinSecondary(c.name, !keep)
	return c.faultsChanged()
}

// changeFaults switches the rules of an account on or off.
func (c *call) changeFaults() (int, []byte, error) {
	m, err := c.members()
	if err != nil {
		return 0, nil, err
	}
	on := m.bool("on")
	if err := m.finish(); err != nil {
		return 0, nil, err
	}
	if on == nil {
		return 0, nil, invalidInput("on is missing.")
	}
	if err := c.accountExists(); err != nil {
		return 0, nil, err
	}
	if rules := c.faults.Find(c.name); rules != nil {
		rules.Switch(*on)
	}
	c.pinSecondary(c.name, false)
	return c.faultsChanged()
}

// resetFaults restarts the counts, and with them the random numbers.
func (c *call) resetFaults() (int, []byte, error) {
	if err := c.accountExists(); err != nil {
		return 0, nil, err
	}
	if rules := c.faults.Find(c.name); rules != nil {
		rules.Reset()
	}
	c.pinSecondary(c.name, true)
	return c.faultsChanged()
}

func (c *call) clearFaults() (int, []byte, error) {
	if err := c.accountExists(); err != nil {
		return 0, nil, err
	}
	if c.faults.Clear(c.name) {
		c.pinSecondary(c.name, false)
		c.feed.publishFaults(c.name)
	}
	return message.StatusNoContent, nil, nil
}

// faultsChanged publishes an event, and answers with the present rules and counts.
func (c *call) faultsChanged() (int, []byte, error) {
	c.feed.publishFaults(c.name)
	return ok(describeFaults(c.faults.Find(c.name)))
}

// describeFaults returns an account's rules and counts as JSON; nil has none.
func describeFaults(a *faults.Account) []byte {
	var s faults.State
	if a != nil {
		s = a.State()
	}
	var o object
	o.bool("on", s.On)
	o.int("seed", int(s.Seed))
	o.int("requests", int(s.Requests))
	o.int("failed", int(s.Failed))
	list := make([][]byte, len(s.Rules))
	for i := range s.Rules {
		list[i] = describeRule(&s.Rules[i], s.Counts[i])
	}
	o.list("rules", list)
	return o.end()
}

func describeRule(r *faults.Rule, n faults.Counts) []byte {
	var o object
	o.bool("on", r.On)
	o.string("operation", r.Operation)
	o.optional("table", r.Table)
	o.string("effect", string(r.Effect))
	if r.Every > 0 {
		o.int("every", r.Every)
	} else if r.Effect != faults.Throttle {
		o.number("share", r.Share)
	}
	switch r.Effect {
	case faults.Latency:
		o.number("median", milliseconds(r.Median))
		o.number("p99", milliseconds(r.P99))
	case faults.Throttle:
		o.number("entitiesPerSecond", r.Rate)
		o.string("per", perNames[r.PerPartition])
	}
	if r.MaxHits > 0 {
		o.int("hits", r.MaxHits)
	}
	if !r.Until.IsZero() {
		o.string("until", r.Until.UTC().Format(time.RFC3339Nano))
	}
	o.int("seen", int(n.Seen))
	o.int("hit", int(n.Hit))
	return o.end()
}

var perNames = map[bool]string{true: "partition", false: "account"}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// readFaults reads an account's rules from JSON.
func readFaults(body []byte) (s faults.State, keep bool, err error) {
	parts, err := payload.SplitObject(body)
	if err != nil {
		return s, false, invalidInput("The body must be a JSON object.")
	}
	s.On = true
	var flat []byte // the members that are not rules
	for _, part := range parts {
		if part.Name == "rules" {
			if s.Rules, err = readRules(part.JSON); err != nil {
				return s, false, err
			}
			continue
		}
		o := object{flat}
		o.raw(part.Name, part.JSON)
		flat = o.data
	}
	if flat != nil {
		flat = append(flat, '}')
	}
	m, err := readMembers(flat)
	if err != nil {
		return s, false, err
	}
	if on := m.bool("on"); on != nil {
		s.On = *on
	}
	s.Seed = uint64(m.whole("seed"))
	if kept := m.bool("keepCounts"); kept != nil {
		keep = *kept
	}
	return s, keep, m.finish()
}

func readRules(list []byte) ([]faults.Rule, error) {
	parts, err := payload.SplitArray(list)
	if err != nil {
		return nil, invalidInput("rules must be a list of objects.")
	}
	if len(parts) > faults.MaxRules {
		return nil, invalidInput("An account may have " + strconv.Itoa(faults.MaxRules) + " rules.")
	}
	rules := make([]faults.Rule, len(parts))
	for i, part := range parts {
		if rules[i], err = readRule(part.JSON); err != nil {
			return nil, invalidInput("Rule " + strconv.Itoa(i+1) + ": " + describe(err).message)
		}
	}
	return rules, nil
}

func readRule(data []byte) (r faults.Rule, err error) {
	m, err := readMembers(data)
	if err != nil {
		return r, err
	}
	m.refuseZero("share", "every", "hits")
	r = faults.Rule{
		On: true, Operation: faults.Any, Table: m.string("table"), Effect: faults.Effect(m.oneOf("effect", faults.Effects...)),
		Every: m.whole("every"), Share: m.number("share"), Rate: m.number("entitiesPerSecond"),
		Median: m.milliseconds("median"), P99: m.milliseconds("p99"), MaxHits: m.whole("hits"), Until: m.time("until"),
	}
	if on := m.bool("on"); on != nil {
		r.On = *on
	}
	if operation := m.optional("operation"); operation != nil {
		r.Operation = *operation
	}
	per := m.oneOf("per", "partition", "account")
	// These are in our answers, so that an answer can be sent back as it is.
	m.whole("seen")
	m.whole("hit")
	switch {
	case r.Effect == faults.Throttle:
		r.PerPartition = per != "account"
	case per != "" && m.err == nil:
		m.fail("per is for throttle.")
	case r.Effect == "" && m.err == nil:
		m.fail("effect is missing.")
	case r.Every == 0 && r.Share == 0 && m.err == nil:
		r.Every = 1 // every request
	}
	if r.Effect == faults.Latency && r.P99 == 0 {
		r.P99 = r.Median
	}
	if err := m.finish(); err != nil {
		return r, err
	}
	if err := r.Check(); err != nil {
		return r, invalidInput(err.Error() + ".")
	}
	if !server.IsOperation(r.Operation) && r.Operation != faults.Any && r.Operation != faults.AnyRead && r.Operation != faults.AnyWrite {
		return r, invalidInput("There is no operation " + strconv.Quote(r.Operation) + ".")
	}
	return r, nil
}

// refuseZero fails if one of these members is 0. Taken as missing, it would hit
// every request, which is the opposite.
func (m *members) refuseZero(names ...string) {
	for _, p := range m.list {
		if slices.Contains(names, p.Name) && (p.Value.Type() == odata.EdmInt32 && p.Value.Int() == 0 || p.Value.Type() == odata.EdmDouble && p.Value.Float() == 0) {
			m.fail(p.Name + " must be above 0.")
		}
	}
}

// whole takes a whole number of 0 or more, 0 if it is missing.
func (m *members) whole(name string) int {
	n := m.number(name)
	if n != float64(int(n)) || n > 1<<53 {
		m.fail(name + " must be a whole number.")
		return 0
	}
	return int(n)
}

// number takes a number of 0 or more, 0 if it is missing.
func (m *members) number(name string) float64 {
	for i, p := range m.list {
		if p.Name != name {
			continue
		}
		m.list = append(m.list[:i:i], m.list[i+1:]...)
		n := -1.0
		switch p.Value.Type() {
		case odata.EdmInt32:
			n = float64(p.Value.Int())
		case odata.EdmDouble:
			n = p.Value.Float()
		}
		if !(n >= 0) {
			m.fail(name + " must be a number of 0 or more.")
			return 0
		}
		return n
	}
	return 0
}

func (m *members) milliseconds(name string) time.Duration {
	n := m.number(name)
	if n > milliseconds(faults.MaxDelay) {
		m.fail(name + " must be at most " + strconv.Itoa(int(milliseconds(faults.MaxDelay))) + " milliseconds.")
		return 0
	}
	return time.Duration(n * float64(time.Millisecond))
}
