package linear

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"sandtable/server/pgstore/pgtest"
)

var (
	duration = flag.Duration("for", 5*time.Second, "`duration` during which clients send operations")
	kills    = flag.Int("kills", 3, "how often the server is killed during that time")
	seed     = flag.Uint64("seed", 0, "`seed` of the operations; 0 picks one")
)

// program is the native program that "make build" creates.
const program = "../../bin/sandtable"

// server is a server that can be killed and restarted on its store.
type server struct {
	t     *testing.T
	store []string // the flags that name it

	mu      sync.Mutex
	process *exec.Cmd
	base    string
	up      chan struct{} // closed while it listens
}

func (s *server) start() {
	s.t.Helper()
	command := exec.Command(program, append([]string{"serve", "-addr", "127.0.0.1:0", "-quiet", "-open"}, s.store...)...)
	stdout, err := command.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		s.t.Fatalf("%v: is it built? make build", err)
	}
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if _, endpoint, ok := strings.Cut(lines.Text(), "TableEndpoint="); ok {
			base, _, _ := strings.Cut(endpoint, ";")
			s.mu.Lock()
			s.process, s.base = command, strings.TrimSuffix(base, "/")
			close(s.up)
			s.mu.Unlock()
			return
		}
	}
	s.t.Fatal("the server does not print its connection string")
}

// kill ends the process as kill -9 does; wait blocks until start.
func (s *server) kill() {
	s.mu.Lock()
	s.up = make(chan struct{})
	s.mu.Unlock()
	_ = s.process.Process.Kill()
	_ = s.process.Wait() // killed
}

// wait returns when the server listens.
func (s *server) wait() {
	s.mu.Lock()
	up := s.up
	s.mu.Unlock()
	<-up
}

func (s *server) address() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.base
}

// recorder collects histories by partition, with times from one clock.
type recorder struct {
	begin time.Time
	mu    sync.Mutex
	ops   map[string][]porcupine.Operation
	last  int // value written
}

func (r *recorder) now() int64 { return time.Since(r.begin).Nanoseconds() }

func (r *recorder) value() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	return r.last
}

func (r *recorder) add(partition string, o porcupine.Operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ops[partition] = append(r.ops[partition], o)
}

// random returns a call on rows of a partition, with conditions on values that
// the client has seen.
func random(rng *rand.Rand, c *client, r *recorder, seen *rows) call {
	one := func(kinds ...kind) step {
		s := step{kind: kinds[rng.IntN(len(kinds))], row: rng.IntN(len(rows{})), expect: present}
		if s.kind != read && s.kind != remove {
			s.value = r.value()
		}
		if known := seen[s.row]; (s.kind == update || s.kind == remove) && rng.IntN(3) > 0 && known != absent && c.known(known) {
			s.expect = known
		}
		return s
	}
	if rng.IntN(4) > 0 {
		return call{one(read, read, insert, update, update, upsert, remove)}
	}
	var all call
	for _, row := range rng.Perm(len(rows{}))[:2+rng.IntN(2)] {
		s := one(insert, update, upsert, upsert, remove)
		if s.row != row { // at most once per row
			s.row, s.expect = row, present
		}
		all = append(all, s)
	}
	return all
}

func TestMain(m *testing.M) { os.Exit(pgtest.Run(m)) }

func TestLinearizable(t *testing.T) {
	for _, c := range []struct {
		name    string
		servers int
		store   func() []string
	}{
		{"a folder", 1, func() []string { return []string{"-data", t.TempDir()} }},
		{"three servers over PostgreSQL", 3, func() []string { return []string{"-store", pgtest.Schema(t)} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := c.store()
			servers := make([]*server, c.servers)
			for i := range servers {
				servers[i] = &server{t: t, store: store, up: make(chan struct{})}
				servers[i].start()
				t.Cleanup(servers[i].kill)
			}
			checkServers(t, servers)
		})
	}
}

// checkServers sends random operations to all servers, which are killed in turn,
// and checks that the answers are those of one table.
func checkServers(t *testing.T, servers []*server) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", *seed)
	clients := make([]*client, len(servers))
	for i, s := range servers {
		clients[i] = &client{base: s.address, mu: new(sync.Mutex), tags: map[int]string{}, http: &http.Client{Timeout: 10 * time.Second}}
		if i > 0 {
			clients[i].mu, clients[i].tags = clients[0].mu, clients[0].tags
		}
	}
	if status, _, text, err := clients[0].do("POST", "/Tables", `{"TableName":"`+table+`"}`, "", "application/json"); err != nil || status != 201 {
		t.Fatal(status, text, err)
	}
	r := &recorder{begin: time.Now(), ops: map[string][]porcupine.Operation{}}
	stop := make(chan struct{})
	var workers sync.WaitGroup
	for id := range 8 {
		workers.Go(func() {
			s, shared := servers[id%len(servers)], clients[id%len(servers)]
			rng := rand.New(rand.NewPCG(*seed, uint64(id)))
			seen := map[string]*rows{}
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				// Partitions are short-lived, which keeps histories small enough to check.
				partition := fmt.Sprintf("p%d-%d", id/4, n/40)
				if seen[partition] == nil {
					seen[partition] = &rows{}
				}
				of := random(rng, shared, r, seen[partition])
				begin := r.now()
				got := shared.send(partition, of)
				if got.unsent {
					s.wait()
					n--
					continue
				}
				o := porcupine.Operation{ClientId: id, Input: of, Output: got, Call: begin, Return: r.now()}
				if got.unknown {
					o.Return = int64(time.Hour) // it may happen at any later time
				}
				r.add(partition, o)
				if got.status < 300 && !got.unknown {
					remember(seen[partition], of, got)
				}
			}
		})
	}
	for i := range *kills {
		time.Sleep(*duration / time.Duration(*kills+1))
		servers[i%len(servers)].kill()
		servers[i%len(servers)].start()
	}
	time.Sleep(*duration / time.Duration(*kills+1))
	close(stop)
	workers.Wait()
	count, unknown := 0, 0
	for _, ops := range r.ops {
		count += len(ops)
		for _, o := range ops {
			if o.Output.(answer).unknown {
				unknown++
			}
		}
	}
	t.Logf("%d operations in %d partitions, %d without an answer, %d kills", count, len(r.ops), unknown, *kills)
	if answered := count - unknown; answered < 100 || answered < count/2 {
		t.Fatal("too few answers to mean anything")
	}
	if illegal := check(r.ops); illegal != "" {
		t.Error(illegal)
	}
}

func remember(seen *rows, of call, got answer) {
	for _, s := range of {
		switch s.kind {
		case read:
			seen[s.row] = got.value
		case remove:
			seen[s.row] = absent
		default:
			seen[s.row] = s.value
		}
	}
}

// TestCheckFindsViolations shows that the checker sees a lost write, a stale read and a
// torn transaction.
func TestCheckFindsViolations(t *testing.T) {
	op := func(begin, end int64, of call, got answer) porcupine.Operation {
		return porcupine.Operation{Input: of, Output: got, Call: begin, Return: end}
	}
	put := func(row, value int) step { return step{kind: upsert, row: row, value: value, expect: present} }
	get := call{{kind: read, row: 0}}
	done := answer{status: 204}
	for _, c := range []struct {
		name  string
		ops   []porcupine.Operation
		legal bool
	}{
		{"in order", []porcupine.Operation{op(1, 2, call{put(0, 1)}, done), op(3, 4, get, answer{status: 200, value: 1})}, true},
		{"a lost write", []porcupine.Operation{op(1, 2, call{put(0, 1)}, done), op(3, 4, get, answer{status: 404})}, false},
		{"a stale read", []porcupine.Operation{op(1, 2, call{put(0, 1)}, done), op(3, 4, call{put(0, 2)}, done), op(5, 6, get, answer{status: 200, value: 1})}, false},
		{"a torn transaction", []porcupine.Operation{op(1, 2, call{put(0, 1), put(1, 2)}, done),
			op(3, 4, call{{kind: read, row: 1}}, answer{status: 404})}, false},
		{"no answer, done later", []porcupine.Operation{op(1, 99, call{put(0, 1)}, answer{unknown: true}), op(3, 4, get, answer{status: 404}),
			op(5, 6, get, answer{status: 200, value: 1})}, true},
		{"a condition that was not met", []porcupine.Operation{op(1, 2, call{put(0, 1)}, done),
			op(3, 4, call{{kind: update, row: 0, value: 2, expect: 7}}, done)}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			illegal := check(map[string][]porcupine.Operation{"p": c.ops})
			if (illegal == "") != c.legal {
				t.Errorf("legal: %v, want %v\n%s", illegal == "", c.legal, illegal)
			}
		})
	}
}
