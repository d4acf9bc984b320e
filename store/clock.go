package store

import (
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// outlived reports whether a record has been kept for as long as it has to be.
func outlived(r *seam.Record, cfg Config, now time.Time) bool {
	return r.State.Ended() && !now.Before(r.Ended.Add(cfg.Retention))
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

// Pauses of the sweep before it lends a hand to a record, doubled with each attempt in vain.
const (
	firstRedraw = 5 * time.Second  // gives whoever made the change the time to draw it
	firstPost   = 65 * time.Second // gives whoever posts, at most a minute, the time to say so: no second card
	longest     = 10 * time.Minute
)

func pause(r *seam.Record) time.Duration {
	first := firstRedraw
	if unposted(r) {
		first = firstPost
	}
	return min(longest, first<<min(r.Redraws, 10))
}

// unposted reports whether no answerer has accepted the request yet.
func unposted(r *seam.Record) bool { return !r.State.Ended() && !r.Placed }

// needsHand reports whether somebody has to draw or post cards of the record now.
func needsHand(r *seam.Record, now time.Time) bool {
	if unposted(r) {
		return !r.RedrawAt.IsZero() && !now.Before(r.RedrawAt)
	}
	return len(r.Stale()) > 0
}

// schedule sets when the sweep looks at a record that has just changed.
func schedule(r *seam.Record, now time.Time) {
	// Posting is for whoever created the request, but the reply to that may have been lost: then nobody posts, so the
	// sweep looks after it even while somebody waits.
	work := len(r.Stale()) > 0 || unposted(r)
	if !work {
		r.RedrawAt, r.Redraws = time.Time{}, 0
	}
	fresh := *r
	fresh.Redraws = 0
	if soon := now.Add(pause(&fresh)); work && (r.RedrawAt.IsZero() || r.RedrawAt.After(soon)) {
		r.RedrawAt, r.Redraws = soon, 0
	}
}

// attempted is what schedule is to an attempt of the sweep: the next one comes later.
func attempted(r *seam.Record, now time.Time) {
	r.Redraws++
	r.RedrawAt = now.Add(pause(r))
}

// mourn takes a dead replica out. What it had not posted yet is posted by another: at once where nobody else waits, else
// when whoever may be posting must have said so.
func mourn(r *seam.Record, replica string, now time.Time) []seam.Entry {
	if r.State.Ended() {
		return nil
	}
	events := release(r, replica, false, now)
	if unposted(r) {
		r.RedrawAt = now
		if soon := r.Created.Add(firstPost); len(r.Owners) > 0 && soon.After(now) {
			r.RedrawAt = soon
		}
	}
	return events
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
