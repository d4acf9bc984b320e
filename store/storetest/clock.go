package storetest

import (
	"sync"
	"time"
)

// Clock is a clock that a test moves.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock stands at a fixed time, in another zone and with more digits than a store keeps.
func NewClock() *Clock {
	return &Clock{now: time.Date(2026, 12, 1, 14, 0, 0, 123_456_789, time.FixedZone("east", 2*60*60))}
}

// Now is what store.Config.Now wants.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Pass lets time go by.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
