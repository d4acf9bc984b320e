package store

import (
	"slices"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

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
			if !slices.Contains(r.Owners, h.Replica) {
				r.Owners = append(r.Owners, h.Replica)
			}
			r.Detached, r.HandedOver = time.Time{}, time.Time{}
			return nil, nil
		}
		return release(r, h.Replica, h.Kind == seam.HandOver, now), nil
	})
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
	if len(r.Answers()) == 0 || !r.Delivered.IsZero() || r.State != seam.Answered && r.State != seam.Expired {
		return nil, nil
	}
	r.Delivered, r.Uncollected = now, false
	return []seam.Entry{event(seam.EventDelivered, r, 0)}, nil
}

// settle records votes, all or nothing. A vote whose token is known was recorded before: the same verdict again.
func settle(votes []seam.Vote) transition {
	return func(r *seam.Record, now time.Time) ([]seam.Entry, error) {
		var fresh []seam.Vote
		for _, v := range votes {
			if v.N < 1 || v.N > len(r.Items) {
				return nil, seam.ErrInvalidAnswer.With("there is no question %d", v.N)
			}
			if slices.ContainsFunc(r.Items[v.N-1].Votes, func(w seam.Vote) bool { return w.Token == v.Token }) {
				continue
			}
			if r.State.Ended() || r.Items[v.N-1].State != seam.ItemPending {
				return nil, seam.ErrAlreadySettled
			}
			v.At = now
			fresh = append(fresh, v)
		}
		var events []seam.Entry
		for _, v := range fresh {
			events = append(events, vote(r, v, now))
		}
		if len(fresh) > 0 && len(r.Open()) == 0 {
			finish(r, seam.Answered, now)
			r.Kept = len(r.Owners) == 0
		}
		return events, nil
	}
}

// vote records one vote and settles the question when enough different people say the same.
func vote(r *seam.Record, v seam.Vote, now time.Time) seam.Entry {
	it := &r.Items[v.N-1]
	it.Votes = append(it.Votes, v)
	settled := *it
	settled.State, settled.Answer = seam.ItemAnswered, v.Answer
	name := seam.EventAnswered
	if v.Skip {
		settled.State, name = seam.ItemSkipped, seam.EventSkipped
	}
	if len(settled.Winners()) < r.Plan.Need() {
		name = seam.EventVoted
	} else {
		settled.At = now
		*it = settled
	}
	e := event(name, r, v.N)
	e.Person = v.Person
	return e
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

// lapse applies what the clock has brought.
func lapse(r *seam.Record, cfg Config, now time.Time) []seam.Entry {
	passed := func(since time.Time, after time.Duration) bool {
		return !since.IsZero() && !now.Before(since.Add(after))
	}
	switch {
	case r.State == seam.Answered && r.Delivered.IsZero() && passed(r.Ended, cfg.Grace):
		r.Uncollected = true
		return nil
	case r.State.Ended():
		return nil
	case passed(r.Deadline, 0):
		byDefault(r)
		finish(r, seam.Expired, now)
	case passed(r.Detached, cfg.Grace), passed(r.HandedOver, cfg.Handover):
		finish(r, seam.Abandoned, now)
	default:
		return nil
	}
	return []seam.Entry{event(seam.EventClosed, r, 0)}
}

// byDefault gives the caller's own answers to the questions that nobody answered.
func byDefault(r *seam.Record) {
	for i := range r.Items {
		if len(r.Default) == len(r.Items) && r.Items[i].State == seam.ItemPending {
			r.Items[i].Answer, r.Items[i].Defaulted = r.Default[i], true
		}
	}
}

// Pauses of the sweep between attempts on the same record.
const (
	firstRedraw = 5 * time.Second
	lastRedraw  = 10 * time.Minute
)

// needsHand reports whether somebody has to draw or post cards of the record.
func needsHand(r *seam.Record) bool { return len(r.Stale()) > 0 || unposted(r) }

func unposted(r *seam.Record) bool { return !r.State.Ended() && !r.Placed && len(r.Owners) == 0 }

// schedule sets when the sweep looks at the record: soon after a change that leaves work, to give whoever made it the
// time to do it.
func schedule(r *seam.Record, now time.Time) {
	switch {
	case !needsHand(r):
		r.RedrawAt, r.Redraws = time.Time{}, 0
	case r.RedrawAt.IsZero() || r.RedrawAt.After(now.Add(firstRedraw)):
		r.RedrawAt, r.Redraws = now.Add(firstRedraw), 0
	}
}

// attempted is what schedule is to an attempt of the sweep: the next one comes later.
func attempted(r *seam.Record, now time.Time) {
	pause := min(lastRedraw, firstRedraw<<min(r.Redraws, 10))
	r.RedrawAt, r.Redraws = now.Add(pause), r.Redraws+1
}

// due is when the record needs looking at next: a function of the record, so that its place in the schedule can be found
// again. Zero = never.
func due(r *seam.Record, cfg Config) time.Time {
	var at time.Time
	sooner := func(since time.Time, after time.Duration) {
		if t := since.Add(after); !since.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	sooner(r.RedrawAt, 0)
	if r.State.Ended() {
		sooner(r.Ended, cfg.Retention)
		if r.State == seam.Answered && r.Delivered.IsZero() && !r.Uncollected {
			sooner(r.Ended, cfg.Grace)
		}
		return at
	}
	sooner(r.Deadline, 0)
	sooner(r.Detached, cfg.Grace)
	sooner(r.HandedOver, cfg.Handover)
	return at
}
