// Package store keeps records: the embedded store for one process.
//
// What a change means is in transition.go, pure; where things lie is in keys.go; how a change becomes durable is the
// Engine's: bbolt (bolt.go) for a daemon, memory (storetest) for unit tests. It decides what wins, never who may press
// and never what a card looks like.
package store

import (
	"context"
	"encoding/json"
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

// Engine is a small transactional key-value engine. Update is one durable step: when it returns nil, what f wrote
// survives kill -9. An f that fails has written nothing. Keys are ordered.
type Engine interface {
	Update(ctx context.Context, f func(Tx) error) error
	View(f func(Tx) error) error
	Close() error
}

// Tx reads and writes within one step.
type Tx interface {
	Get(bucket, key string) []byte // nil = absent; valid until the step ends
	Put(bucket, key string, value []byte)
	Delete(bucket, key string)
	// Scan calls f with each key at or after from, in order, until f returns false. f does not write.
	Scan(bucket, from string, f func(key string, value []byte) bool)
	// ScanBack calls f with each key before the given one, in reverse order, until f returns false. "" = from the end.
	ScanBack(bucket, before string, f func(key string, value []byte) bool)
}

// Store is the embedded store. It implements seam.Store, seam.Sweep and seam.Agents and what the desk and the doors ask.
type Store struct {
	cfg    Config
	engine Engine

	mu      sync.Mutex
	changed func(seam.Record)
	logged  chan struct{} // closed and replaced when the log grows
}

// New makes a store over an engine.
func New(cfg Config, engine Engine) *Store {
	return &Store{
		cfg: cfg.withDefaults(), engine: engine,
		changed: func(seam.Record) {}, logged: make(chan struct{}),
	}
}

// Close ends the store. Calls that come after it get seam.ErrStore.
func (s *Store) Close() error { return s.engine.Close() }

// Watch names the function that hears of every change.
func (s *Store) Watch(changed func(seam.Record)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = changed
}

// now is the store's clock: UTC, to the millisecond, as every other store can keep it.
func (s *Store) now() time.Time { return s.cfg.Now().UTC().Truncate(time.Millisecond) }

// step is one durable change with the records and log entries that it touches, told of after it is durable.
type step struct {
	Tx
	s       *Store
	now     time.Time
	touched []seam.Record
	logged  bool
}

// update runs one step and then tells who listens.
func (s *Store) update(ctx context.Context, what string, f func(*step) error) error {
	var st *step
	err := s.engine.Update(ctx, func(tx Tx) error {
		st = &step{Tx: tx, s: s, now: s.now()}
		return f(st)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	s.mu.Lock()
	changed := s.changed
	if st.logged {
		close(s.logged)
		s.logged = make(chan struct{})
	}
	s.mu.Unlock()
	for _, rec := range st.touched {
		changed(rec.Clone())
	}
	return nil
}

// change applies a transition to one request. Whatever its clock has brought comes first, so that a press after the
// deadline finds an expired request, whether or not the sweep has been there.
func (s *Store) change(ctx context.Context, what, id string, t transition) (seam.Record, error) {
	var rec seam.Record
	var late error
	err := s.update(ctx, what, func(st *step) error {
		old, err := st.load(id)
		if err != nil {
			return err
		}
		rec = old.Clone()
		events := lapse(&rec, s.cfg, st.now)
		more, refused := t(&rec, st.now)
		late = refused
		if refused == nil {
			events = append(events, more...)
		}
		return st.save(old, &rec, events)
	})
	if err != nil {
		return seam.Record{}, err
	}
	return rec.Clone(), late
}

// load reads a record.
func (st *step) load(id string) (seam.Record, error) { return load(st.Tx, id) }

func load(tx Tx, id string) (seam.Record, error) {
	var rec seam.Record
	body := tx.Get(bodies, id)
	if body == nil {
		return rec, seam.ErrNotFound
	}
	if err := json.Unmarshal(body, &rec.Body); err != nil {
		return rec, seam.ErrStore.From(fmt.Errorf("body of %s: %w", id, err))
	}
	if err := json.Unmarshal(tx.Get(lives, id), &rec.Life); err != nil {
		return rec, seam.ErrStore.From(fmt.Errorf("life of %s: %w", id, err))
	}
	return rec, nil
}

func encode(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("store: records hold plain values only: " + err.Error())
	}
	return raw
}

// Get reads one request, as its clock has it.
func (s *Store) Get(ctx context.Context, id string) (seam.Record, error) {
	if err := ctx.Err(); err != nil {
		return seam.Record{}, seam.ErrStore.From(context.Cause(ctx))
	}
	var rec seam.Record
	err := s.engine.View(func(tx Tx) (err error) {
		rec, err = load(tx, id)
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
