package jshttp

import (
	"context"
	"sync"
	"time"
)

// Client is who reads an answer. It is the Context of its request, made so that
// an answer that is never streamed costs no more for it.
type Client struct {
	guard sync.Mutex
	gone  chan struct{} // closed when the client has gone; made when it is first asked for
	err   error         // why it has
	wants chan struct{} // holds the wish for one more chunk
}

// closed is the channel of contexts that ended before anybody asked.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Deadline returns none: readers are patient.
func (c *Client) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }

// Value returns nil: nothing is kept here.
func (c *Client) Value(any) any { return nil }

// Done returns a channel that is closed when the client has gone, or the
// answer is whole.
func (c *Client) Done() <-chan struct{} {
	c.guard.Lock()
	defer c.guard.Unlock()
	switch {
	case c.gone == nil && c.err != nil:
		return closed
	case c.gone == nil:
		c.gone = make(chan struct{})
	}
	return c.gone
}

// Err returns [context.Canceled] once Done is closed.
func (c *Client) Err() error {
	c.guard.Lock()
	defer c.guard.Unlock()
	return c.err
}

// Cancel says that nobody reads on.
func (c *Client) Cancel() {
	c.guard.Lock()
	defer c.guard.Unlock()
	if c.err != nil {
		return
	}
	c.err = context.Canceled
	if c.gone != nil {
		close(c.gone)
	}
}

// Pull says that the reader has room for one more chunk.
func (c *Client) Pull() {
	select {
	case c.wants <- struct{}{}:
	default: // it has said so
	}
}

// wait returns when the reader wants a chunk, or an error when it has gone.
func (c *Client) wait() error {
	if err := c.Err(); err != nil {
		return err
	}
	select {
	case <-c.wants:
		return nil
	case <-c.Done():
		return c.Err()
	}
}
