package control_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// modelState is what an account or a snapshot of it holds: for each table its entities by
// key, as a list has them.
type modelState map[string]map[string]string

func (s modelState) clone() modelState {
	c := modelState{}
	for name, entities := range s {
		c[name] = maps.Clone(entities)
	}
	return c
}

func (s modelState) equal(other modelState) bool {
	return maps.EqualFunc(s, other, maps.Equal[map[string]string, map[string]string])
}

func (s modelState) count() (n int) {
	for _, entities := range s {
		n += len(entities)
	}
	return n
}

// modelSnapshot is a snapshot as the model has it, or as the control API describes it.
type modelSnapshot struct {
	ID, Name, Kind, State string
	Tables, Entities      int
	holds                 modelState
}

func (s *modelSnapshot) isAutomatic() bool { return s.Kind != "taken" }

// model is what the control API should say of an account.
type model struct {
	*fixture
	*rand.Rand
	now       modelState
	snapshots []*modelSnapshot
	log       []string
}

var modelTables = []string{"alpha", "beta", "gamma"}

func (m *model) call(method, path, body string) *response {
	m.log = append(m.log, method+" "+path+" "+body)
	return m.control(method, "accounts/"+testAccount+path, body)
}

// fail shows the last steps.
func (m *model) fail(format string, args ...any) {
	m.Helper()
	m.Fatalf("%s\nafter %q", fmt.Sprintf(format, args...), m.log[max(0, len(m.log)-30):])
}

func decode[T any](r *response) (v T) {
	r.Helper()
	if err := json.Unmarshal([]byte(r.body), &v); err != nil {
		r.Fatalf("%v in %s", err, r.body)
	}
	return v
}

// read returns the entities of a table by their row keys.
func (m *model) read(table string) map[string]string {
	found := map[string]string{}
	for _, e := range decode[struct{ Value []json.RawMessage }](m.do("GET", "/"+table+"()", "").wantStatus(200)).Value {
		var key struct{ RowKey string }
		if err := json.Unmarshal(e, &key); err != nil {
			m.Fatal(err)
		}
		found[key.RowKey] = string(e)
	}
	return found
}

// change changes a table through the service.
func (m *model) change() {
	name := modelTables[m.IntN(len(modelTables))]
	m.log = append(m.log, "change "+name)
	switch n := m.IntN(12); {
	case m.now[name] == nil:
		m.createTable(name)
	case n == 0:
		m.do("DELETE", "/Tables('"+name+"')", "").wantStatus(204)
		delete(m.now, name)
		return
	default:
		for range 1 + m.IntN(20) {
			target := fmt.Sprintf("/%s(PartitionKey='p',RowKey='%03d')", name, m.IntN(200))
			if m.IntN(3) == 0 {
				m.do("DELETE", target, "", "If-Match: *") // it may be missing
			} else {
				m.do("PUT", target, fmt.Sprintf(`{"N":%d}`, m.IntN(100))).wantStatus(204)
			}
		}
	}
	m.now[name] = m.read(name)
}

// makeSpace deletes the oldest automatic snapshot of 32, but not one.
func (m *model) makeSpace(keep *modelSnapshot) {
	isOld := func(s *modelSnapshot) bool { return s.isAutomatic() && s != keep }
	if i := slices.IndexFunc(m.snapshots, isOld); len(m.snapshots) == 32 && i >= 0 {
		m.snapshots = slices.Delete(m.snapshots, i, i+1)
	}
}

func (m *model) take() {
	s := &modelSnapshot{Name: fmt.Sprint("s", m.IntN(1000)), Kind: []string{"taken", "import", "delete"}[m.IntN(3)], holds: m.now.clone()}
	r := m.call("POST", "/snapshots", fmt.Sprintf(`{"name":"%s","kind":"%s"}`, s.Name, s.Kind))
	if s.isAutomatic() {
		m.makeSpace(nil)
	}
	if len(m.snapshots) == 32 {
		r.wantStatus(409)
		return
	}
	s.ID = decode[modelSnapshot](r.wantStatus(201)).ID
	m.snapshots = append(m.snapshots, s)
}

func (m *model) restore(s *modelSnapshot) {
	r := m.call("POST", "/restore", fmt.Sprintf(`{"id":"%s"}`, s.ID))
	if r.status == 409 {
		if m.makeSpace(s); len(m.snapshots) < 32 {
			m.fail("not restored, although there is space")
		}
		return
	}
	before := decode[struct{ Before modelSnapshot }](r.wantStatus(200)).Before
	if i := slices.IndexFunc(m.snapshots, func(s *modelSnapshot) bool { return s.ID == before.ID }); i < 0 {
		m.makeSpace(s)
		before.holds = m.now
		m.snapshots = append(m.snapshots, &before)
	} else if !m.snapshots[i].holds.equal(m.now) {
		m.fail("the snapshot before the restore holds another state")
	}
	m.now = s.holds.clone()
}

// differ compares what restoring a snapshot would change.
func (m *model) differ(s *modelSnapshot) {
	type counts struct{ ComeBack, Go, Change int }
	var want counts
	for _, name := range modelTables {
		now, then := m.now[name], s.holds[name]
		for key, e := range then {
			switch was := now[key]; {
			case was == "":
				want.ComeBack++
			case was != e:
				want.Change++
			}
		}
		for key := range now {
			if then[key] == "" {
				want.Go++
			}
		}
	}
	limit := m.IntN(20)
	got := decode[struct {
		counts
		First []json.RawMessage
	}](m.call("GET", fmt.Sprintf("/differences?id=%s&limit=%d", s.ID, limit), "").wantStatus(200))
	if got.counts != want || len(got.First) != min(limit, want.ComeBack+want.Go+want.Change) {
		m.fail("differences %+v, want %+v, the first %d", got, want, limit)
	}
}

// check compares all tables and snapshots.
func (m *model) check() {
	m.Helper()
	list := decode[struct{ Snapshots []*modelSnapshot }](m.control("GET", "accounts/"+testAccount+"/snapshots", "")).Snapshots
	states := map[string]modelState{}
	for i, got := range list {
		if i >= len(m.snapshots) {
			break
		}
		want := m.snapshots[i]
		if got.ID != want.ID || got.Name != want.Name || got.Kind != want.Kind || got.Tables != len(want.holds) || got.Entities != want.holds.count() {
			m.fail("snapshot %d: %+v, want %+v", i, got, want)
		}
		if same, ok := states[got.State]; ok && !same.equal(want.holds) {
			m.fail("equal states of other contents: %+v", got)
		}
		states[got.State] = want.holds
	}
	if len(list) != len(m.snapshots) {
		m.fail("%d snapshots, want %d", len(list), len(m.snapshots))
	}
	found := modelState{}
	for _, table := range decode[struct{ Tables []struct{ Name string } }](m.control("GET", "accounts/"+testAccount+"/tables", "")).Tables {
		found[table.Name] = m.read(table.Name)
	}
	if !found.equal(m.now) {
		m.fail("found %v, want %v", found, m.now)
	}
}

// step does something.
func (m *model) step() {
	var some *modelSnapshot
	if len(m.snapshots) > 0 {
		some = m.snapshots[m.IntN(len(m.snapshots))]
	}
	switch n := m.IntN(20); {
	case n < 5:
		m.take()
	case n < 8 && some != nil:
		m.restore(some)
	case n == 8 && some != nil:
		m.call("DELETE", "/snapshots?id="+some.ID, "").wantStatus(204)
		m.snapshots = slices.DeleteFunc(m.snapshots, func(s *modelSnapshot) bool { return s == some })
	case n == 9 && some != nil:
		some.Name = strings.ToUpper(some.Name)
		m.call("PATCH", "/snapshots?id="+some.ID, fmt.Sprintf(`{"name":"%s"}`, some.Name)).wantStatus(200)
	case n < 13 && some != nil:
		m.differ(some)
	case n == 13:
		m.log = append(m.log, "compact")
		m.control("POST", "compact", "").wantStatus(200)
	case n == 14 && m.IntN(5) == 0:
		m.log = append(m.log, "reset")
		m.control("POST", "reset", `{"what":"account","account":"`+testAccount+`"}`).wantStatus(200)
		m.now = modelState{}
	default:
		m.change()
	}
}

// TestSnapshotsLikeAModel: whatever the order of changes, snapshots and restores, entities and
// snapshots are those of a simple model.
func TestSnapshotsLikeAModel(t *testing.T) {
	for seed := range uint64(6) {
		m := &model{fixture: newFixture(t), Rand: rand.New(rand.NewPCG(seed, 20261130)), now: modelState{}}
		for range 150 {
			m.step()
			m.check()
		}
	}
}
