// Package store keeps records: the embedded store of one process, in one file.
//
// What a change means is pure and stands in transition.go, settle.go and clock.go; where things lie is on one page,
// keys.go; what is written together is a step (step.go, save.go); how a step becomes durable is the Engine's business:
// bbolt behind one committer for a daemon, memory (storetest) for unit tests.
//
// It decides what wins, never who may press and never what a card looks like, and it wakes nobody by itself: it tells
// the function that was given to Watch.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// Config of a store. A zero duration takes its default.
type Config struct {
	Path      string           // the file; its directory is made
	Grace     time.Duration    // how long a detached request, and an answer that nobody fetched, are kept open: 15 min
	Handover  time.Duration    // how long a request that was handed over waits for its caller: 24 h
	Retention time.Duration    // how long what has ended is kept: 168 h
	Lease     time.Duration    // how long a replica lives without a heartbeat: 30 s
	AgentTTL  time.Duration    // how long an agent lives without one: 60 s
	Now       func() time.Time // nil = time.Now
	Log       *slog.Logger     // nil = none
}

func (c Config) withDefaults() Config {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&c.Grace, 15 * time.Minute},
		{&c.Handover, 24 * time.Hour},
		{&c.Retention, 168 * time.Hour},
		{&c.Lease, 30 * time.Second},
		{&c.AgentTTL, 60 * time.Second},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Store keeps requests over an Engine. It implements seam.Store, seam.Sweep and seam.Agents and what the desk and the
// doors ask.
type Store struct {
	cfg    Config
	engine Engine
	closed chan struct{}

	mu      sync.Mutex
	changed func(seam.Record)
	logged  chan struct{} // closed and replaced when the log grows
}

var errClosed = errors.New("the store is closed")

// New makes a store over an engine.
func New(cfg Config, engine Engine) *Store {
	return &Store{
		cfg: cfg.withDefaults(), engine: engine, closed: make(chan struct{}),
		changed: func(seam.Record) {}, logged: make(chan struct{}),
	}
}

// Close ends the store: calls under way finish, those that come after it get seam.ErrStore. Closing twice is closing once.
func (s *Store) Close() error {
	s.mu.Lock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	s.mu.Unlock()
	return s.engine.Close()
}

// ready is why a call cannot be served at all.
func (s *Store) ready(ctx context.Context) error {
	select {
	case <-s.closed:
		return seam.ErrStore.From(errClosed)
	case <-ctx.Done():
		return seam.ErrStore.From(context.Cause(ctx))
	default:
		return nil
	}
}

// Watch names the function that hears of every change.
func (s *Store) Watch(changed func(seam.Record)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = changed
}

// now is the store's clock: UTC, to the millisecond, as every other store can keep it.
func (s *Store) now() time.Time { return s.cfg.Now().UTC().Truncate(time.Millisecond) }

// update runs one durable step. What f returns is read only when the step is over: a call whose ctx has ended leaves
// while its step may still run.
func update[T any](ctx context.Context, s *Store, what string, f func(*step) (T, error)) (T, error) {
	var none T
	if err := s.ready(ctx); err != nil {
		return none, fmt.Errorf("%s: %w", what, err)
	}
	out := new(T)
	err := s.engine.Update(ctx, func(tx Tx) (func(), error) {
		st := s.step(tx)
		v, err := f(st)
		if err != nil {
			return nil, err
		}
		*out = v
		return func() { s.tell(st) }, st.flush()
	})
	if err != nil {
		return none, fmt.Errorf("%s: %w", what, err)
	}
	return *out, nil
}

// run is update for what has no result.
func (s *Store) run(ctx context.Context, what string, f func(*step) error) error {
	_, err := update(ctx, s, what, func(st *step) (struct{}, error) { return struct{}{}, f(st) })
	return err
}

// view reads one consistent state.
func (s *Store) view(ctx context.Context, f func(*step) error) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	return s.engine.View(func(tx Tx) error { return f(s.step(tx)) })
}

// tell tells who listens of a step that has become durable.
func (s *Store) tell(st *step) {
	s.mu.Lock()
	changed := s.changed
	if st.logged {
		close(s.logged)
		s.logged = make(chan struct{})
	}
	s.mu.Unlock()
	for _, rec := range st.touched {
		changed(rec)
	}
}

// change applies a transition to one request. Whatever its clock has brought comes first, so that a press after the
// deadline finds an expired request, whether or not the sweep has been there. A refusal comes with the record.
func (s *Store) change(ctx context.Context, what, id string, t transition) (seam.Record, error) {
	type result struct {
		rec     seam.Record
		refused error
	}
	out, err := update(ctx, s, what, func(st *step) (r result, err error) {
		old, err := st.load(id)
		if err != nil {
			return r, err
		}
		r.rec = old.Clone()
		events := lapse(&r.rec, s.cfg, st.now)
		more, refused := t(&r.rec, st.now)
		r.refused = refused
		st.save(old, &r.rec, append(events, more...))
		return r, nil
	})
	if err != nil {
		return seam.Record{}, err
	}
	return out.rec, out.refused
}

// Get reads one request.
func (s *Store) Get(ctx context.Context, id string) (seam.Record, error) {
	var rec seam.Record
	err := s.view(ctx, func(st *step) (err error) {
		rec, err = st.load(id)
		return err
	})
	return rec, err
}

// Place records where cards stand.
func (s *Store) Place(ctx context.Context, id string, cards []seam.Placement, accepted bool) (seam.Record, error) {
	return s.change(ctx, "place", id, place(cards, accepted))
}

// End ends a pending request.
func (s *Store) End(ctx context.Context, id string, e seam.Ending) (seam.Record, error) {
	return s.change(ctx, "end", id, end(e))
}

// Hold changes who waits.
func (s *Store) Hold(ctx context.Context, id string, h seam.Hold) (seam.Record, error) {
	return s.change(ctx, "hold", id, hold(h))
}

// Deliver records that the asking token got the answer.
func (s *Store) Deliver(ctx context.Context, id string) (seam.Record, error) {
	return s.change(ctx, "deliver", id, deliver)
}

// Settle records votes, all or nothing. One that comes too late: the record and seam.ErrAlreadySettled.
func (s *Store) Settle(ctx context.Context, id string, votes []seam.Vote) (seam.Record, error) {
	return s.change(ctx, "settle", id, settle(votes))
}

// Offer keeps a text that its author is asked about; conversation has begun beside the card.
func (s *Store) Offer(ctx context.Context, id string, n int, o seam.Offer) (seam.Record, error) {
	return s.change(ctx, "offer", id, offer(n, o))
}

// Drawn records what cards show now.
func (s *Store) Drawn(ctx context.Context, id string, cards []seam.Placement) (seam.Record, error) {
	return s.change(ctx, "drawn", id, drawn(cards))
}
