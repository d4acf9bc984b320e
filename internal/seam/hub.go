package seam

import (
	"sync"
	"time"
)

// hub is the table of those who wait in this process. It decides nothing about a request; it counts.
type hub struct {
	mu     sync.Mutex
	groups map[string]*group
	idle   map[string]departure // groups without waiters whose leaving the store does not know yet
	agents map[Caller]int       // live agents with an open call
}

// group is everybody who waits for one request. Its channel is shared: a waiter costs no more than its goroutine.
type group struct {
	waiters int
	ended   chan struct{}
	rec     Record // valid once ended is closed
}

// how the last waiter of a request left.
type leaving int

const (
	lost     leaving = iota // connection lost or client time-out: after LINGER nobody waits
	handover                // on purpose, to come back
	abort                   // the turn has ended
	drain                   // this process stops
)

type departure struct {
	how leaving
	at  time.Time // when the store is to be told
}

func newHub() *hub {
	return &hub{groups: map[string]*group{}, idle: map[string]departure{}, agents: map[Caller]int{}}
}

// join counts a waiter in, before the store is asked: a wake-up that comes first is not lost.
func (h *hub) join(id string, c Caller) *group {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.groups[id]
	if g == nil {
		g = &group{ended: make(chan struct{})}
		h.groups[id] = g
	}
	g.waiters++
	delete(h.idle, id)
	if c.Agent != "" {
		h.agents[c]++
	}
	return g
}

// leave counts a waiter out. The last one of a request that goes on leaves a departure. others reports whether anybody
// is left.
func (h *hub) leave(id string, g *group, c Caller, d departure) (others bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.Agent != "" {
		if h.agents[c]--; h.agents[c] == 0 {
			delete(h.agents, c)
		}
	}
	if g.waiters--; g.waiters > 0 {
		return true
	}
	select {
	case <-g.ended:
		h.forgetLocked(id, g)
	default:
		h.idle[id] = d
	}
	return false
}

// forget drops a group that nobody waits in any more.
func (h *hub) forget(id string, g *group) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if g.waiters == 0 {
		h.forgetLocked(id, g)
	}
}

func (h *hub) forgetLocked(id string, g *group) {
	if h.groups[id] == g {
		delete(h.groups, id)
		delete(h.idle, id)
	}
}

// wake tells everybody who waits for a request that it has ended.
func (h *hub) wake(rec Record) {
	if !rec.State.Ended() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.groups[rec.ID]
	if g == nil {
		return
	}
	select {
	case <-g.ended:
		return
	default:
	}
	g.rec = rec
	close(g.ended)
	if g.waiters == 0 {
		h.forgetLocked(rec.ID, g)
	}
}

// due lists the departures whose time has come.
func (h *hub) due(now time.Time) map[string]departure {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := map[string]departure{}
	for id, d := range h.idle {
		if !d.at.After(now) {
			out[id] = d
		}
	}
	return out
}

// departed ends a departure that the store has been told of. back reports that somebody has come meanwhile, so that the
// store must hear of that.
func (h *hub) departed(id string) (back bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.groups[id]
	if g == nil {
		delete(h.idle, id)
		return false
	}
	if g.waiters > 0 {
		return true
	}
	h.forgetLocked(id, g)
	return false
}

// waiting lists the requests that somebody waits for.
func (h *hub) waiting() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]string, 0, len(h.groups))
	for id, g := range h.groups {
		if g.waiters > 0 {
			out = append(out, id)
		}
	}
	return out
}

// open lists the live agents with an open call.
func (h *hub) open() []Caller {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]Caller, 0, len(h.agents))
	for c := range h.agents {
		out = append(out, c)
	}
	return out
}
