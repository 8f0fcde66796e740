package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestVerifyOnceAtATime: each Verify reads the WAL and the catalog again, so that many at
// once would take that much memory, and the writers' turns.
func TestVerifyOnceAtATime(t *testing.T) {
	store := soundStore(t)
	synctest.Test(t, func(t *testing.T) {
		db, err := Open(store, Options{})
		if err != nil {
			t.Fatal(err)
		}
		proceed := make(chan struct{})
		go db.Verify(t.Context(), VerifyOptions{Progress: func(Report) { <-proceed }})
		synctest.Wait()
		var reading atomic.Bool
		var verified atomic.Int32
		ctx, cancel := context.WithCancel(t.Context())
		for range 3 {
			go func() {
				_, err := db.Verify(ctx, VerifyOptions{Progress: func(Report) { reading.Store(true) }})
				if verified.Add(1); !errors.Is(err, context.Canceled) {
					t.Errorf("a cancelled Verify: %v", err)
				}
			}()
		}
		synctest.Wait()
		if cancel(); reading.Load() {
			t.Error("another Verify reads the store")
		}
		if synctest.Wait(); verified.Load() != 3 {
			t.Errorf("%d of 3 have ended without their turn", verified.Load())
		}
		close(proceed)
		if _, err := db.Verify(t.Context(), VerifyOptions{}); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}
