package store

import (
	"slices"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// born is the record of a new request.
func born(n seam.New, now time.Time) seam.Record {
	r := seam.Record{Body: n.Body, Life: seam.Life{State: seam.Pending, Owners: []string{n.Replica}}}
	r.Created, r.Items = now, make([]seam.Item, len(n.Body.Questions))
	for i := range r.Items {
		r.Items[i].State = seam.ItemPending
	}
	if n.Within > 0 {
		r.Deadline = now.Add(n.Within)
	}
	if !r.Deadline.IsZero() {
		r.Deadline = r.Deadline.UTC().Truncate(time.Millisecond)
	}
	if n.Key != "" {
		r.Keys = []string{n.Key}
	}
	return r
}

// holdsKey reports whether a key stays bound to a request in this state; any other state frees it.
func holdsKey(s seam.State) bool {
	return s == seam.Pending || s == seam.Answered || s == seam.Cancelled
}

// joinsSession reports whether the same questions of the same session join the request.
func joinsSession(r *seam.Record, cfg Config, now time.Time) bool {
	return r.State == seam.Pending ||
		r.State == seam.Answered && r.Delivered.IsZero() && now.Before(r.Ended.Add(cfg.Grace))
}

// transition changes a record, or refuses and leaves it as it is. It returns the events to be logged.
type transition func(r *seam.Record, now time.Time) ([]seam.Entry, error)

// event is an entry about a request, or about its question n.
func event(name string, r *seam.Record, n int) seam.Entry {
	e := seam.Entry{Event: name, Request: r.ID, Caller: r.Caller.Token}
	if n > 0 {
		e.Question = r.Questions[n-1].ID
	}
	return e
}

// pending runs a transition that means nothing to a request that has ended.
func pending(t transition) transition {
	return func(r *seam.Record, now time.Time) ([]seam.Entry, error) {
		if r.State.Ended() {
			return nil, nil
		}
		return t(r, now)
	}
}

func place(cards []seam.Placement, accepted bool) transition {
	return func(r *seam.Record, _ time.Time) (events []seam.Entry, _ error) {
		for _, c := range cards {
			if c.N < 1 || c.N > len(r.Items) {
				continue
			}
			if i := slices.IndexFunc(r.Placements, c.At); i >= 0 {
				r.Placements[i].Moved = r.Placements[i].Moved || c.Moved
				continue
			}
			r.Placements = append(r.Placements, c)
			e := event(seam.EventPlaced, r, c.N)
			e.Answerer = c.Answerer
			events = append(events, e)
		}
		r.Placed = r.Placed || accepted
		return events, nil
	}
}

func drawn(cards []seam.Placement) transition {
	return func(r *seam.Record, _ time.Time) (events []seam.Entry, _ error) {
		for _, c := range cards {
			i := slices.IndexFunc(r.Placements, c.At)
			if i < 0 {
				continue
			}
			if c.Drawn.Final() && !r.Placements[i].Drawn.Final() {
				e := event(seam.EventRetired, r, c.N)
				e.Answerer = c.Answerer
				events = append(events, e)
			}
			r.Placements[i].Drawn = c.Drawn
		}
		return events, nil
	}
}

func end(e seam.Ending) transition {
	return pending(func(r *seam.Record, now time.Time) ([]seam.Entry, error) {
		others := slices.ContainsFunc(r.Owners, func(o string) bool { return o != e.Alone })
		if e.Alone != "" && others {
			return nil, nil
		}
		r.By, r.Token, r.Fail, r.Why = e.By, e.Token, e.Fail, e.Why
		closed := event(seam.EventClosed, r, 0)
		closed.Person = e.By
		finish(r, e.State, now)
		return []seam.Entry{closed}, nil
	})
}

// finish ends a request. What was not settled is closed.
func finish(r *seam.Record, state seam.State, now time.Time) {
	r.State, r.Ended = state, now
	for i := range r.Items {
		if r.Items[i].State == seam.ItemPending {
			r.Items[i].State = seam.ItemClosed
		}
	}
}

func hold(h seam.Hold) transition {
	return pending(func(r *seam.Record, now time.Time) ([]seam.Entry, error) {
		if h.Kind == seam.Attach {
			attach(r, h.Replica)
			return nil, nil
		}
		return release(r, h.Replica, h.Kind == seam.HandOver, now), nil
	})
}

// attach counts a replica in: somebody waits.
func attach(r *seam.Record, replica string) {
	if !slices.Contains(r.Owners, replica) {
		r.Owners = append(r.Owners, replica)
	}
	r.Detached, r.HandedOver = time.Time{}, time.Time{}
}

// release takes a replica out. The last one decides what becomes of the request.
func release(r *seam.Record, replica string, handover bool, now time.Time) []seam.Entry {
	r.Owners = slices.DeleteFunc(r.Owners, func(o string) bool { return o == replica })
	switch {
	case len(r.Owners) > 0, r.State.Ended():
	case handover:
		r.HandedOver, r.Detached = now, time.Time{}
	case r.HandedOver.IsZero() && r.Detached.IsZero():
		r.Detached = now
		return []seam.Entry{event(seam.EventDetached, r, 0)}
	}
	return nil
}

func deliver(r *seam.Record, now time.Time) ([]seam.Entry, error) {
	if answer := r.State == seam.Answered || len(r.Defaulted()) > 0; !answer || !r.Delivered.IsZero() {
		return nil, nil
	}
	r.Delivered, r.Uncollected = now, false
	return []seam.Entry{event(seam.EventDelivered, r, 0)}, nil
}

// maxOffers bounds what replies can make a record grow to; the oldest goes first.
const maxOffers = 20

func offer(n int, o seam.Offer) transition {
	return pending(func(r *seam.Record, _ time.Time) ([]seam.Entry, error) {
		if n < 1 || n > len(r.Items) {
			return nil, seam.ErrInvalidAnswer.With("there is no question %d", n)
		}
		it := &r.Items[n-1]
		it.Talk = true
		if slices.ContainsFunc(it.Offers, func(x seam.Offer) bool { return x.ID == o.ID }) {
			return nil, nil
		}
		it.Offers = append(it.Offers, o)
		if extra := len(it.Offers) - maxOffers; extra > 0 {
			it.Offers = slices.Delete(it.Offers, 0, extra)
		}
		return nil, nil
	})
}
