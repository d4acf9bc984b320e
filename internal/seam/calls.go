package seam

import (
	"context"
	"sync"
)

// calls counts what is under way, so that a drain sees the last of it: a call is counted in before it touches the store,
// so a settle that has just woken it is never cut off.
type calls struct {
	mu       sync.Mutex
	n        int
	closed   bool
	draining chan struct{} // closed when the seam takes no more calls
	changed  chan struct{} // closed and replaced when n reaches 0
}

func newCalls() *calls {
	return &calls{draining: make(chan struct{}), changed: make(chan struct{})}
}

// enter counts a call in, or reports that the seam drains.
func (c *calls) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.n++
	return true
}

// add counts in work that a running call leaves behind.
func (c *calls) add() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

func (c *calls) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n == 0 {
		close(c.changed)
		c.changed = make(chan struct{})
	}
}

func (c *calls) drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.closed = true
		close(c.draining)
	}
}

// idle waits until nothing is under way.
func (c *calls) idle(ctx context.Context) error {
	for {
		c.mu.Lock()
		n, changed := c.n, c.changed
		c.mu.Unlock()
		if n == 0 {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
