package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// load is one kind of work. Do sends the i-th request counted over all rounds, so
// that both servers get the same requests.
type load struct {
	name     string
	promise  float64 // multiple of the peer's rate; 0: no promise
	clients  int
	rounds   int
	requests int           // requests per round, or
	lasts    time.Duration // duration of a round
	do       func(ctx context.Context, c *client, i int) error
}

// round is the result of one server's turn.
type round struct {
	rate float64         // requests per second
	took []time.Duration // latency of each request
	used time.Duration   // processor time of the server
}

// run sends the requests of one round; first is the number of its first one.
func (l *load) run(ctx context.Context, c *client, first int) (round, error) {
	c.http.CloseIdleConnections() // a server may be about to close them
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wait sync.WaitGroup
	took := make([][]time.Duration, l.clients)
	begin := time.Now()
	for w := range l.clients {
		wait.Go(func() {
			for ctx.Err() == nil && (l.lasts == 0 || time.Since(begin) < l.lasts) {
				i := int(next.Add(1)) - 1
				if l.requests > 0 && i >= l.requests {
					return
				}
				sent := time.Now()
				if err := l.do(ctx, c, first+i); err != nil {
					cancel(fmt.Errorf("%s: %w", l.name, err))
				}
				took[w] = append(took[w], time.Since(sent))
			}
		})
	}
	wait.Wait()
	all := slices.Concat(took...)
	return round{rate: float64(len(all)) / time.Since(begin).Seconds(), took: all}, context.Cause(ctx)
}

// result is a load's measurement of both servers.
type result struct {
	load   *load
	rounds [2][]round
}

// measure alternates the servers' rounds, and which of them goes first, because
// the machine's other load varies.
func (l *load) measure(ctx context.Context, servers [2]*process) (result, error) {
	r := result{load: l}
	for n := range l.rounds {
		for turn := range servers {
			s := (n + turn) % len(servers)
			before := servers[s].processor()
			made, err := l.run(ctx, servers[s].client, n*l.requests)
			if err != nil {
				return r, fmt.Errorf("%s: %w", servers[s].peer.name, err)
			}
			made.used = servers[s].processor() - before
			r.rounds[s] = append(r.rounds[s], made)
		}
	}
	return r, nil
}

// rate returns the median of a server's rounds.
func (r *result) rate(server int) float64 {
	var rates []float64
	for _, made := range r.rounds[server] {
		rates = append(rates, made.rate)
	}
	return median(rates)
}

// p50 returns the median of a server's requests.
func (r *result) p50(server int) time.Duration {
	var took []time.Duration
	for _, made := range r.rounds[server] {
		took = append(took, made.took...)
	}
	return median(took)
}

// used returns a server's processor time per request.
func (r *result) used(server int) time.Duration {
	var used time.Duration
	requests := 0
	for _, made := range r.rounds[server] {
		used += made.used
		requests += len(made.took)
	}
	return used / time.Duration(max(requests, 1))
}

// ratios returns the lowest and the highest ratio of a round.
func (r *result) ratios() (low, high float64) {
	for n := range r.rounds[0] {
		ratio := r.rounds[0][n].rate / r.rounds[1][n].rate
		if n == 0 || ratio < low {
			low = ratio
		}
		high = max(high, ratio)
	}
	return low, high
}

// median returns the median, or 0 without values.
func median[T float64 | time.Duration](of []T) T {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return of[len(of)/2]
}

// The two tables of the load.
const (
	small = "Inserts"
	big   = "Customers"
)

// inBig returns a row of the big table; it visits all of them out of order.
func inBig(i int) entity { return entityAt(i * 7919 % bigTable) }

// loads are in execution order: the batches fill the table that later loads read.
// The promises are design.md's.
func loads() []*load {
	return []*load{
		{name: "inserts", promise: 6, clients: 32, rounds: 3, requests: 4000,
			do: func(ctx context.Context, c *client, i int) error { return c.insert(ctx, small, entityAt(i)) }},
		{name: "batches of 100", promise: 6, clients: 4, rounds: 4, requests: bigTable / 100 / 4,
			do: func(ctx context.Context, c *client, i int) error { return c.batch(ctx, big, entities(i*100, 100)) }},
		{name: "point reads", promise: 10, clients: 32, rounds: 5, lasts: 1500 * time.Millisecond,
			do: func(ctx context.Context, c *client, i int) error { return found(c.get(ctx, big, inBig(i))) }},
		{name: "point reads", clients: 1, rounds: 3, lasts: time.Second,
			do: func(ctx context.Context, c *client, i int) error { return found(c.get(ctx, big, inBig(i))) }},
		{name: "500-row queries", promise: 15, clients: 4, rounds: 5, lasts: 1500 * time.Millisecond,
			do: func(ctx context.Context, c *client, i int) error {
				return exactly(500)(c.query(ctx, big, "PartitionKey eq '"+inBig(i).partition+"'"))
			}},
		{name: "filtered scans", promise: 12, clients: 1, rounds: 5, lasts: 1500 * time.Millisecond,
			do: func(ctx context.Context, c *client, i int) error {
				return exactly(10)(c.query(ctx, big, fmt.Sprintf("Rank eq %d", inBig(i).number%distinctRanks)))
			}},
	}
}

func found(is bool, err error) error {
	if err == nil && !is {
		err = fmt.Errorf("an entity of the load is missing")
	}
	return err
}

// exactly returns an error for any other number of entities.
func exactly(want int) func(int, error) error {
	return func(n int, err error) error {
		if err == nil && n != want {
			err = fmt.Errorf("%d entities, want %d", n, want)
		}
		return err
	}
}
