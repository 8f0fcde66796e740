package server_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// single is an operation on an entity, for any table.
type single struct {
	method, key, body string
	headers           []string
}

// target returns the operation's address in a table.
func (s single) target(table string) string {
	if s.method == "POST" {
		return "/" + table
	}
	return "/" + table + s.key
}

// operation returns a random operation on a row, with a condition that holds, fails, or is
// absent.
func (l *lists) operation(row string) single {
	key := fmt.Sprintf("(PartitionKey='p',RowKey='%s')", row)
	properties := l.entity()
	s := single{method: pickOf(l.Rand, []string{"POST", "PUT", "PUT", "MERGE", "PATCH", "DELETE"}), key: key}
	switch s.method {
	case "POST":
		s.body = fmt.Sprintf(`{"PartitionKey":"p","RowKey":"%s"%s}`, row, properties)
		s.headers = []string{pickOf(l.Rand, []string{"Prefer: return-content", "Prefer: return-no-content"})}
		return s
	case "DELETE":
	default:
		s.body = "{" + strings.TrimPrefix(properties, ",") + "}"
	}
	switch n := l.IntN(8); {
	case n == 0:
		s.headers = []string{`If-Match: W/"datetime'2000-01-01T00%3A00%3A00Z'"`}
	case n < 4 || s.method == "DELETE":
		s.headers = []string{"If-Match: *"}
	}
	return s
}

var timestampOf = regexp.MustCompile(`"(Timestamp|odata.etag)":"([^"\\]|\\.)*",?`)

// contents returns the entities of a table without what depends on the time.
func (l *lists) contents(table string) string {
	body := l.do("GET", "/"+table+"()", "").wantStatus(200).body
	_, list, _ := strings.Cut(body, `"value":`)
	return timestampOf.ReplaceAllString(list, "")
}

// restore gives a row of a table what another table has, in the same order.
func (l *lists) restore(key, from, to string) {
	l.do("DELETE", "/"+to+key, "", "If-Match: *")
	if r := l.do("GET", "/"+from+key, ""); r.status == 200 {
		entity := timestampOf.ReplaceAllString(metadataOf.ReplaceAllString(r.body, ""), "")
		l.insert(to, strings.TrimSuffix(strings.TrimSuffix(entity, "}"), ",")+"}")
	}
}

// apart sends operations one by one, up to the first one that fails.
func (l *lists) apart(all []single) (answers []*response, failed bool) {
	for _, s := range all {
		answer := l.do(s.method, s.target("apart"), s.body, s.headers...)
		if answers = append(answers, answer); answer.status >= 300 {
			return answers, true
		}
	}
	return answers, false
}

// TestChangesetsDoWhatOperationsDo: each operation of a changeset is answered as it is alone,
// and what a changeset leaves is what its operations leave one by one, or nothing if one of
// them fails.
func TestChangesetsDoWhatOperationsDo(t *testing.T) {
	l := &lists{fixture: newFixture(t), Rand: rand.New(rand.NewPCG(7, 20261130))}
	l.createTable("together")
	l.createTable("apart")
	failures := 0
	for round := range 300 {
		var all []single
		var parts []string
		for _, n := range l.Perm(8)[:1+l.IntN(4)] {
			s := l.operation(fmt.Sprint("r", n))
			all = append(all, s)
			parts = append(parts, part(s.method, s.target("together"), s.body, s.headers...))
		}
		before := l.contents("together")
		together := l.batch(parts...)
		answers := together.parts()
		alone, failed := l.apart(all)
		if failed {
			failures++
			at := len(alone) - 1
			code, message := alone[at].serviceError()
			if len(all) > 1 {
				message = fmt.Sprintf("%d:%s", at, message)
			}
			together.wantFailure(alone[at].status, code, message)
			if after := l.contents("together"); after != before {
				t.Fatalf("round %d: %s failed, and the table was\n%s, is\n%s", round, parts[at], before, after)
			}
			for _, undone := range all[:at] {
				l.restore(undone.key, "together", "apart")
			}
		}
		for i, answer := range answers {
			got, want := timestampOf.ReplaceAllString(string(answer.Body), ""), timestampOf.ReplaceAllString(alone[i].body, "")
			if !failed && (answer.Status != alone[i].status || strings.ReplaceAll(got, "together", "apart") != want) {
				t.Fatalf("round %d: %s answers %d %s, alone %d %s", round, parts[i], answer.Status, got, alone[i].status, want)
			}
		}
		if !failed && len(answers) != len(all) {
			t.Fatalf("round %d: %d answers to %d operations", round, len(answers), len(all))
		}
		if together, apart := l.contents("together"), l.contents("apart"); together != apart {
			t.Fatalf("round %d, %q: together\n%s, apart\n%s", round, parts, together, apart)
		}
		if round%50 == 0 {
			l.intoBlocks()
		}
	}
	if failures < 30 || failures > 270 {
		t.Errorf("%d of 300 changesets failed", failures)
	}
}
