package seam

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// The pace of the loop. One tick costs one read of the head of the schedule.
const (
	tick    = 500 * time.Millisecond
	beat    = 5 * time.Second
	recheck = 25 * time.Second // the net below the wake-ups
	batch   = 100              // records per Lapse
	hands   = 16               // redraws and departures at once
)

// Run keeps the schedule of this process until ctx ends: its lease, what lapses, cards that do not show their record,
// waiters that have gone. The parts run beside each other: a slow platform must not cost the lease. One Run per Seam.
func (s *Seam) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, part := range []struct {
		every time.Duration
		do    func(context.Context)
	}{{beat, s.beat}, {tick, s.sweep}, {tick, s.flushDue}, {recheck, s.recheck}} {
		wg.Go(func() {
			ticker := time.NewTicker(part.every)
			defer ticker.Stop()
			for ctx.Err() == nil {
				part.do(ctx)
				select {
				case <-ctx.Done():
				case <-ticker.C:
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

func (s *Seam) beat(ctx context.Context) {
	if err := s.ports.Sweep.Beat(ctx, s.cfg.Replica, s.hub.open()); err != nil && ctx.Err() == nil {
		s.cfg.Log.Warn("lease not renewed", "error", err)
	}
}

func (s *Seam) flushDue(ctx context.Context) { s.flush(ctx, s.hub.due(s.cfg.Now())) }

// sweep takes what has lapsed and lends it a hand.
func (s *Seam) sweep(ctx context.Context) {
	for ctx.Err() == nil {
		recs, err := s.ports.Sweep.Lapse(ctx, batch)
		if err != nil {
			s.cfg.Log.Debug("sweep", "error", err)
			return
		}
		each(recs, func(rec Record) {
			ctx, cancel := context.WithTimeout(ctx, posting)
			defer cancel()
			if !rec.State.Ended() && !rec.Placed {
				s.present(ctx, rec)
				return
			}
			s.ports.Desk.Redraw(ctx, rec)
			s.observe(Event{Name: "swept", Request: rec.ID, Result: string(rec.State)})
		})
		if len(recs) < batch {
			return
		}
	}
}

// flush tells the store of waiters that have gone. What fails comes again with the next tick.
func (s *Seam) flush(ctx context.Context, left map[string]departure) {
	ids := make([]string, 0, len(left))
	for id := range left {
		ids = append(ids, id)
	}
	each(ids, func(id string) {
		if _, err := s.depart(ctx, id, left[id]); err != nil && !errors.Is(err, ErrNotFound) {
			s.cfg.Log.Debug("departure not recorded yet", "request", id, "error", err)
		}
	})
}

var holds = map[leaving]HoldKind{lost: Release, handover: HandOver, abort: Release, drain: Release}

// depart tells the store that nobody waits here any more.
func (s *Seam) depart(ctx context.Context, id string, d departure) (Record, error) {
	var rec Record
	var err error
	if d.how == abort {
		if rec, err = s.ports.Store.End(ctx, id, Ending{State: Aborted, Alone: s.cfg.Replica}); err == nil && rec.State.Ended() {
			s.ended(rec)
		}
	}
	if err == nil && !rec.State.Ended() {
		if rec, err = s.ports.Store.Hold(ctx, id, Hold{Replica: s.cfg.Replica, Kind: holds[d.how]}); err == nil {
			s.redraw(rec)
		}
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return rec, err
	}
	if s.hub.departed(id) { // somebody came while the store was told: they wait
		return s.ports.Store.Hold(ctx, id, Hold{Replica: s.cfg.Replica, Kind: Attach})
	}
	return rec, err
}

// recheck reads every request that somebody waits for: a wake-up that was lost is found here, and so is a stall so long
// that this process was taken for dead and its waiters with it.
func (s *Seam) recheck(ctx context.Context) {
	for _, id := range s.hub.waiting() {
		rec, err := s.ports.Store.Get(ctx, id)
		if err == nil && rec.State == Pending && !slices.Contains(rec.Owners, s.cfg.Replica) {
			if rec, err = s.ports.Store.Hold(ctx, id, Hold{Replica: s.cfg.Replica, Kind: Attach}); err == nil {
				s.redraw(rec)
			}
		}
		if errors.Is(err, ErrStore) {
			return
		}
		if err == nil {
			s.hub.wake(rec)
		}
	}
}

// present posts the cards of a request and, if nobody took it, ends it. It runs beside the call that waits.
func (s *Seam) present(ctx context.Context, rec Record) {
	start := s.cfg.Now()
	placed, err := s.ports.Desk.Present(ctx, rec)
	s.observe(Event{Name: "presented", Request: rec.ID, Took: s.cfg.Now().Sub(start), Err: err})
	e, _ := AsError(err)
	switch {
	case err == nil:
		s.redraw(placed) // a person may have been faster than Place
	case e != nil && (e.Code == ErrNoProvider || e.Code == ErrDeliveryFailed):
		failed, err := s.ports.Store.End(ctx, rec.ID, Ending{State: Failed, Fail: e.Code, Why: e.Detail})
		if err != nil {
			s.later(rec, err)
			return
		}
		s.ended(failed)
	default:
		s.later(rec, err)
	}
}

// later posts again once the store has come back: what was posted, if anything was, is not recorded.
func (s *Seam) later(rec Record, cause error) {
	s.cfg.Log.Warn("cards not recorded, posting again", "request", rec.ID, "error", cause)
	s.background(posting+recheck, func(ctx context.Context) {
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.calls.draining:
				return
			case <-time.After(tick):
			}
			now, err := s.ports.Store.Get(ctx, rec.ID)
			switch {
			case errors.Is(err, ErrNotFound) || err == nil && (now.State.Ended() || now.Placed):
				return
			case err == nil:
				s.present(ctx, now)
				return
			}
		}
	})
}

func (s *Seam) ended(rec Record) {
	s.observe(Event{Name: "ended", Request: rec.ID, Result: string(rec.State)})
	s.hub.wake(rec)
	s.redraw(rec)
}

// redraw draws what is stale, beside the caller.
func (s *Seam) redraw(rec Record) {
	if len(rec.Stale()) > 0 {
		s.background(posting, func(ctx context.Context) { s.ports.Desk.Redraw(ctx, rec) })
	}
}

func (s *Seam) observe(e Event) { s.ports.Observer.Observe(e) }

// background runs work that outlives its call, bounded in time and awaited by Drain.
func (s *Seam) background(limit time.Duration, work func(context.Context)) {
	s.calls.add()
	go func() {
		defer s.calls.leave()
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		work(ctx)
	}()
}

// Drain ends every blocked call with ErrDraining, waits for them and for what runs beside them, and leaves their
// requests detached. After it the seam takes no more calls.
func (s *Seam) Drain(ctx context.Context) error {
	s.calls.drain()
	err := s.calls.idle(ctx)
	s.flush(ctx, s.hub.due(s.cfg.Now().Add(s.cfg.Linger)))
	return errors.Join(err, s.calls.idle(ctx))
}

// each runs f over all of in, a few at once, and returns when all are done.
func each[T any](in []T, f func(T)) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, hands)
	for _, x := range in {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			f(x)
		})
	}
	wg.Wait()
}
