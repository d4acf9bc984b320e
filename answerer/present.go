package answerer

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// redrawing bounds what happens to cards after nobody waits for it any more.
const redrawing = 60 * time.Second

// Present posts the open questions of a request as its plan says: one answerer after another until one has accepted the
// whole request, or all at once.
func (d *Desk) Present(ctx context.Context, rec seam.Record) (seam.Record, error) {
	var known []Answerer
	for _, name := range rec.Plan.Answerers {
		if a, ok := d.answerers[name]; ok {
			known = append(known, a)
		}
	}
	if len(known) == 0 {
		return rec, seam.ErrNoProvider
	}
	if rec.Plan.All {
		return d.presentAll(ctx, rec, known)
	}
	return d.waterfall(ctx, rec, known)
}

func (d *Desk) waterfall(ctx context.Context, rec seam.Record, from []Answerer) (seam.Record, error) {
	var reasons []string
	for i, a := range from {
		cards, err := a.Present(ctx, rec, rec.Open())
		d.cfg.Observer.Observe(seam.Event{Name: "posted", Request: rec.ID, Answerer: a.Name(), Err: err})
		if len(cards) > 0 || err == nil {
			var stored error
			if rec, stored = d.store.Place(ctx, rec.ID, cards, err == nil); stored != nil {
				return rec, stored
			}
		}
		if err == nil || rec.State.Ended() || len(rec.Open()) == 0 {
			return rec, nil
		}
		reasons = append(reasons, reason(a, err))
		if i == len(from)-1 {
			break
		}
		if rec, err = d.moveOn(ctx, rec, cards); err != nil {
			return rec, err
		}
	}
	return rec, seam.ErrDeliveryFailed.With("%s", strings.Join(reasons, "; "))
}

// moveOn retires the unanswered cards of an answerer that did not take the whole request: asked elsewhere.
func (d *Desk) moveOn(ctx context.Context, rec seam.Record, cards []seam.Placement) (seam.Record, error) {
	var moved []seam.Placement
	for _, c := range cards {
		if rec.Items[c.N-1].State == seam.ItemPending {
			c.Moved = true
			moved = append(moved, c)
		}
	}
	if len(moved) == 0 {
		return rec, nil
	}
	rec, err := d.store.Place(ctx, rec.ID, moved, false)
	if err == nil {
		d.background(redrawing, func(ctx context.Context) { d.Redraw(ctx, rec) })
	}
	return rec, err
}

// presentAll asks on every answerer at once. One that accepts is enough; the cards of those that did not are retired.
func (d *Desk) presentAll(ctx context.Context, rec seam.Record, on []Answerer) (seam.Record, error) {
	type posted struct {
		cards []seam.Placement
		err   error
	}
	results := make([]posted, len(on))
	var wg sync.WaitGroup
	for i, a := range on {
		wg.Go(func() {
			cards, err := a.Present(ctx, rec, rec.Open())
			d.cfg.Observer.Observe(seam.Event{Name: "posted", Request: rec.ID, Answerer: a.Name(), Err: err})
			results[i] = posted{cards, err}
		})
	}
	wg.Wait()
	var stand, fell []seam.Placement
	var reasons []string
	for i, r := range results {
		if r.err != nil {
			reasons, fell = append(reasons, reason(on[i], r.err)), append(fell, r.cards...)
			continue
		}
		stand = append(stand, r.cards...)
	}
	accepted := len(reasons) < len(on)
	now, err := d.store.Place(ctx, rec.ID, append(stand, fell...), accepted)
	switch {
	case err != nil:
		return rec, err
	case accepted:
		return d.moveOn(ctx, now, fell)
	case now.State.Ended():
		return now, nil
	}
	return now, seam.ErrDeliveryFailed.With("%s", strings.Join(reasons, "; "))
}

func reason(a Answerer, err error) string { return fmt.Sprintf("%s: %v", a.Name(), err) }

// Redraw draws every card that does not show the record, and records what it drew. One hand at a time draws the cards of
// a request, from the newest record, so that an old picture never covers a new one; should another replica have done
// that, the record says so and the card is drawn again. What fails is left for the sweep.
func (d *Desk) Redraw(ctx context.Context, rec seam.Record) {
	defer d.drawing.lock(rec.ID)()
	now, err := d.store.Get(ctx, rec.ID)
	for err == nil && ctx.Err() == nil {
		drawn := d.draw(ctx, now)
		if len(drawn) == 0 {
			return
		}
		now, err = d.store.Drawn(ctx, now.ID, drawn)
	}
	if err != nil {
		d.cfg.Log.Info("cards left for the sweep", "request", rec.ID, "error", err)
	}
}

func (d *Desk) draw(ctx context.Context, rec seam.Record) []seam.Placement {
	var drawn []seam.Placement
	for _, p := range rec.Stale() {
		a, ok := d.answerers[p.Answerer]
		if !ok {
			continue // not configured on this replica
		}
		err := a.Redraw(ctx, rec, p)
		d.cfg.Observer.Observe(seam.Event{
			Name: "redrawn", Request: rec.ID, Answerer: p.Answerer, Result: string(rec.Stage(p)), Err: err,
		})
		if err != nil {
			d.cfg.Log.Info("card not redrawn", "request", rec.ID, "answerer", p.Answerer, "error", err)
			continue
		}
		p.Drawn = rec.Stage(p)
		drawn = append(drawn, p)
	}
	return drawn
}
