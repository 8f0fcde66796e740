package client

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

const (
	// retries is how often an endpoint may say "not yet" to one request: a
	// worker that is starting does, for as long as it starts.
	retries = 20
	// shortestWait is the shortest pause between two attempts.
	shortestWait = 100 * time.Millisecond
	// longestWait is the longest Retry-After that is obeyed. Nobody watches an empty
	// page for longer: the page shows the error, and the user decides when to try again.
	longestWait = 2 * time.Second
)

// Send sends a request, and repeats it after each 503 that says when to try again. An
// answer other than success is an error.
func Send(ctx context.Context, t Transport, r Request) (Response, error) {
	for attempt := 0; ; attempt++ {
		response, err := t.Do(ctx, r)
		if err != nil {
			return Response{}, err
		}
		if response.Status < 400 {
			return response, nil
		}
		wait, ok := retryAfter(response)
		switch {
		case !ok || attempt == retries:
			return response, refusal(response)
		case wait > longestWait:
			e := refusal(response)
			e.Message = fmt.Sprintf("%s The endpoint asks for a pause of %d s.", e.Message, (wait+time.Second-1)/time.Second)
			return response, e
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return Response{}, ctx.Err()
		}
	}
}

func retryAfter(r Response) (time.Duration, bool) {
	// IndexedDB also fails for a moment, and the page would offer to delete the store.
	if reason := r.Header.Get(reasonHeader); r.Status != 503 || reason != "" && reason != "database" {
		return 0, false
	}
	wait := time.Duration(0)
	if ms, err := strconv.Atoi(r.Header.Get("x-ms-retry-after-ms")); err == nil {
		wait = time.Duration(ms) * time.Millisecond
	} else if s, err := strconv.Atoi(r.Header.Get("Retry-After")); err == nil {
		wait = time.Duration(s) * time.Second
	} else {
		return 0, false
	}
	return max(wait, shortestWait), true
}
