package answerer

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/askbridge/bridge/answerer/card"
	"github.com/askbridge/bridge/internal/seam"
)

// Config of the desk. The zero value works.
type Config struct {
	Locale   string           // of what people are told
	Gate     Gate             // nil = everybody whom a surface lets in
	Observer seam.Observer    // nil = none
	Now      func() time.Time // nil = time.Now
	Log      *slog.Logger     // nil = none
}

// Gate says who may answer. It is asked on every press, never remembered. An error means that it could not find out.
type Gate interface {
	May(ctx context.Context, rec seam.Record, who seam.Person) (bool, error)
}

// Records is where the desk settles. See seam.Store for what all of them promise.
type Records interface {
	Get(ctx context.Context, id string) (seam.Record, error)
	// Settle records votes, all or nothing. One that comes too late: the record and seam.ErrAlreadySettled. A token that
	// was recorded before is recorded again.
	Settle(ctx context.Context, id string, votes []seam.Vote) (seam.Record, error)
	End(ctx context.Context, id string, e seam.Ending) (seam.Record, error)
	// Offer keeps a text that its author is asked about. Conversation has begun beside the card.
	Offer(ctx context.Context, id string, n int, o seam.Offer) (seam.Record, error)
}

// Cards is where the desk keeps where cards stand and what they show.
type Cards interface {
	Place(ctx context.Context, id string, cards []seam.Placement, accepted bool) (seam.Record, error)
	// Drawn records what cards show now.
	Drawn(ctx context.Context, id string, cards []seam.Placement) (seam.Record, error)
	// Note appends to the log.
	Note(ctx context.Context, e seam.Entry) error
}

// Store is all that the desk asks of one.
type Store interface {
	Records
	Cards
}

// Desk decides who may press and carries out what a press asks for, over all surfaces.
type Desk struct {
	cfg       Config
	store     Store
	answerers map[string]Answerer
	words     card.Words
	drawing   keyed
	running   sync.WaitGroup
}

// New makes a desk over the given answerers.
func New(cfg Config, store Store, answerers ...Answerer) *Desk {
	if cfg.Gate == nil {
		cfg.Gate = everybody{}
	}
	if cfg.Observer == nil {
		cfg.Observer = deaf{}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	d := &Desk{cfg: cfg, store: store, answerers: map[string]Answerer{}, words: card.WordsFor(cfg.Locale)}
	for _, a := range answerers {
		d.answerers[a.Name()] = a
	}
	return d
}

// everybody is the gate of a route without approvers: whom the surface lets in may answer. Surfaces let in no bots, no
// guests and nobody whom they cannot name.
type everybody struct{}

func (everybody) May(_ context.Context, _ seam.Record, who seam.Person) (bool, error) {
	return who.Answerer != "" && who.ID != "", nil
}

type deaf struct{}

func (deaf) Observe(seam.Event) {}

// Drain waits for what presses have left behind: redraws and notes.
func (d *Desk) Drain() { d.running.Wait() }

// background runs what the person need not wait for, detached and bounded.
func (d *Desk) background(limit time.Duration, work func(context.Context)) {
	d.running.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		work(ctx)
	})
}

// keyed is a mutex per key: one card is drawn by one hand at a time.
type keyed struct {
	mu   sync.Mutex
	held map[string]*hold
}

type hold struct {
	mu    sync.Mutex
	users int
}

func (k *keyed) lock(key string) (unlock func()) {
	k.mu.Lock()
	if k.held == nil {
		k.held = map[string]*hold{}
	}
	h := k.held[key]
	if h == nil {
		h = &hold{}
		k.held[key] = h
	}
	h.users++
	k.mu.Unlock()
	h.mu.Lock()
	return func() {
		h.mu.Unlock()
		k.mu.Lock()
		defer k.mu.Unlock()
		if h.users--; h.users == 0 {
			delete(k.held, key)
		}
	}
}
