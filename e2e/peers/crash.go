package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// crashes is how often each server is killed.
const crashes = 4

// losses are the results of one server's rounds.
type losses struct {
	acknowledged, lost int
	each               []int // lost, by round
}

// crash inserts with one client for a while, kills the server right after a
// response, restarts it on the same folder and looks for every acknowledged entity.
func crash(ctx context.Context, p *peer, folder string, while time.Duration) (acknowledged, lost int, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return 0, 0, err
	}
	first, err := p.start(ctx, folder)
	if err != nil {
		return 0, 0, err
	}
	acknowledged, err = insertFor(ctx, first.client, while)
	first.kill()
	if err != nil {
		return 0, 0, err
	}
	second, err := p.start(ctx, folder)
	if err != nil {
		return 0, 0, fmt.Errorf("after SIGKILL: %w", err)
	}
	defer second.kill()
	for i := range acknowledged {
		is, err := second.client.get(ctx, small, entityAt(i))
		if err != nil {
			return 0, 0, fmt.Errorf("after SIGKILL: %w", err)
		}
		if !is {
			lost++
		}
	}
	return acknowledged, lost, nil
}

// pace is the interval between inserts before a crash: a hundred a second, so
// that the number of lost entities shows how much time is lost.
const pace = 10 * time.Millisecond

func insertFor(ctx context.Context, c *client, while time.Duration) (int, error) {
	if err := c.createTable(ctx, small); err != nil {
		return 0, err
	}
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	n := 0
	for begin := time.Now(); time.Since(begin) < while; n++ {
		if err := c.insert(ctx, small, entityAt(n)); err != nil {
			return n, err
		}
		<-ticker.C
	}
	return n + 1, c.insert(ctx, small, entityAt(n))
}

// crashAll runs the rounds of both servers concurrently, because nothing is timed.
func crashAll(ctx context.Context, peers [2]*peer, folder string, random *rand.Rand) ([2]losses, error) {
	var all [2]losses
	for n := range crashes {
		while := time.Second + time.Duration(random.Int64N(int64(7*time.Second)))
		var wait sync.WaitGroup
		var errs [2]error
		for p := range peers {
			wait.Go(func() {
				a, l, err := crash(ctx, peers[p], filepath.Join(folder, fmt.Sprintf("crash-%d-%d", n, p)), while)
				all[p].acknowledged, all[p].lost, errs[p] = all[p].acknowledged+a, all[p].lost+l, err
				all[p].each = append(all[p].each, l)
			})
		}
		wait.Wait()
		for p, err := range errs {
			if err != nil {
				return all, fmt.Errorf("%s: %w", peers[p].name, err)
			}
		}
	}
	return all, nil
}
