package jshttp

import (
	"context"
	"sync"
	"time"
)

// Client is the reader of a response, and the Context of its request. A response
// that is not streamed allocates nothing for it.
type Client struct {
	guard sync.Mutex
	gone  chan struct{} // closed when the client is gone; made on first use
	err   error         // why it is gone
	wants chan struct{} // holds a request for one more chunk
}

// closed is the channel of contexts that ended before Done was called.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Deadline returns no deadline.
func (c *Client) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }

// Value returns nil.
func (c *Client) Value(any) any { return nil }

// Done returns a channel that is closed when the client is gone, or the response
// is complete.
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

// Cancel reports that the reader is gone.
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

// Pull reports that the reader wants one more chunk.
func (c *Client) Pull() {
	select {
	case c.wants <- struct{}{}:
	default: // already requested
	}
}

// wait returns when the reader wants a chunk, or an error when it is gone.
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
