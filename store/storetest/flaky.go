package storetest

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/askbridge/bridge/internal/seam"
)

// Flaky is a store that can be put to sleep: every call fails with seam.ErrStore then. What it wraps stays awake.
type Flaky struct {
	s    Store
	mood atomic.Int32
}

// The moods of a Flaky.
const (
	awake int32 = iota
	asleep
	lossy
)

// NewFlaky wraps a store, awake.
func NewFlaky(s Store) *Flaky { return &Flaky{s: s} }

// Sleep makes every call fail without effect.
func (f *Flaky) Sleep() { f.mood.Store(asleep) }

// Lose makes every call fail after it was carried out: its reply is lost.
func (f *Flaky) Lose() { f.mood.Store(lossy) }

// Wakeup makes calls work again.
func (f *Flaky) Wakeup() { f.mood.Store(awake) }

var errFlaky = errors.New("the store is asleep")

func via[T any](f *Flaky, call func() (T, error)) (T, error) {
	var none T
	switch f.mood.Load() {
	case asleep:
		return none, seam.ErrStore.From(errFlaky)
	case lossy:
		_, _ = call()
		return none, seam.ErrStore.From(errFlaky)
	}
	return call()
}

func viaErr(f *Flaky, call func() error) error {
	_, err := via(f, func() (struct{}, error) { return struct{}{}, call() })
	return err
}

// Create implements Store, and so does every method below.
func (f *Flaky) Create(ctx context.Context, n seam.New) (seam.Record, bool, error) {
	var joined bool
	rec, err := via(f, func() (rec seam.Record, err error) {
		rec, joined, err = f.s.Create(ctx, n)
		return rec, err
	})
	return rec, joined && err == nil, err
}

func (f *Flaky) Get(ctx context.Context, id string) (seam.Record, error) {
	return via(f, func() (seam.Record, error) { return f.s.Get(ctx, id) })
}

func (f *Flaky) Place(ctx context.Context, id string, cards []seam.Placement, accepted bool) (seam.Record, error) {
	return via(f, func() (seam.Record, error) { return f.s.Place(ctx, id, cards, accepted) })
}

func (f *Flaky) End(ctx context.Context, id string, e seam.Ending) (seam.Record, error) {
	return via(f, func() (seam.Record, error) { return f.s.End(ctx, id, e) })
}

func (f *Flaky) Hold(ctx context.Context, id string, h seam.Hold) (seam.Record, error) {
	return via(f, func() (seam.Record, error) { return f.s.Hold(ctx, id, h) })
}

func (f *Flaky) Deliver(ctx context.Context, id string) (seam.Record, error) {
	return via(f, func() (seam.Record, error) { return f.s.Deliver(ctx, id) })
}

func (f *Flaky) Settle(ctx context.Context, id string, votes []seam.Vote) (seam.Record, error) {
	return via(f, func() (seam.Record, error) { return f.s.Settle(ctx, id, votes) })
}

func (f *Flaky) Offer(ctx context.Context, id string, n int, o seam.Offer) (seam.Record, error) {
	return via(f, func() (seam.Record, error) { return f.s.Offer(ctx, id, n, o) })
}

func (f *Flaky) Drawn(ctx context.Context, id string, cards []seam.Placement) (seam.Record, error) {
	return via(f, func() (seam.Record, error) { return f.s.Drawn(ctx, id, cards) })
}

func (f *Flaky) Lapse(ctx context.Context, limit int) ([]seam.Record, error) {
	return via(f, func() ([]seam.Record, error) { return f.s.Lapse(ctx, limit) })
}

func (f *Flaky) Beat(ctx context.Context, replica string, agents []seam.Caller) error {
	return viaErr(f, func() error { return f.s.Beat(ctx, replica, agents) })
}

func (f *Flaky) Watch(changed func(seam.Record)) { f.s.Watch(changed) }

func (f *Flaky) Register(ctx context.Context, a seam.Agent) (seam.Agent, error) {
	return via(f, func() (seam.Agent, error) { return f.s.Register(ctx, a) })
}

func (f *Flaky) Heartbeat(ctx context.Context, token, agent, instance string) error {
	return viaErr(f, func() error { return f.s.Heartbeat(ctx, token, agent, instance) })
}

func (f *Flaky) Unregister(ctx context.Context, token, agent string) error {
	return viaErr(f, func() error { return f.s.Unregister(ctx, token, agent) })
}

func (f *Flaky) Check(ctx context.Context, c seam.Caller) error {
	return viaErr(f, func() error { return f.s.Check(ctx, c) })
}

func (f *Flaky) Note(ctx context.Context, e seam.Entry) error {
	return viaErr(f, func() error { return f.s.Note(ctx, e) })
}

func (f *Flaky) List(ctx context.Context, q seam.Query) ([]seam.Record, string, error) {
	var cursor string
	recs, err := via(f, func() (recs []seam.Record, err error) {
		recs, cursor, err = f.s.List(ctx, q)
		return recs, err
	})
	if err != nil {
		cursor = ""
	}
	return recs, cursor, err
}

func (f *Flaky) Head(ctx context.Context) (string, error) {
	return via(f, func() (string, error) { return f.s.Head(ctx) })
}

func (f *Flaky) Tail(ctx context.Context, after string, limit int) ([]seam.Entry, error) {
	return via(f, func() ([]seam.Entry, error) { return f.s.Tail(ctx, after, limit) })
}

func (f *Flaky) PutGrant(ctx context.Context, g seam.Grant) error {
	return viaErr(f, func() error { return f.s.PutGrant(ctx, g) })
}

func (f *Flaky) TakeGrant(ctx context.Context, hash string) (seam.Grant, error) {
	return via(f, func() (seam.Grant, error) { return f.s.TakeGrant(ctx, hash) })
}

func (f *Flaky) Grant(ctx context.Context, hash string) (seam.Grant, error) {
	return via(f, func() (seam.Grant, error) { return f.s.Grant(ctx, hash) })
}

func (f *Flaky) DropGrant(ctx context.Context, hash string) error {
	return viaErr(f, func() error { return f.s.DropGrant(ctx, hash) })
}

// Close closes the store, asleep or not.
func (f *Flaky) Close() error { return f.s.Close() }
