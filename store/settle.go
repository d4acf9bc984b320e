package store

import (
	"slices"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// settle records votes, all or nothing. A vote whose token is known was recorded before: the same verdict again, whatever
// has become of the request since.
func settle(votes []seam.Vote) transition {
	return func(r *seam.Record, now time.Time) ([]seam.Entry, error) {
		fresh, err := unrecorded(r, votes)
		if err != nil {
			return nil, err
		}
		var events []seam.Entry
		for _, v := range fresh {
			v.At = now
			events = append(events, vote(r, v, now))
		}
		if len(fresh) > 0 && len(r.Open()) == 0 {
			finish(r, seam.Answered, now)
			r.Kept = len(r.Owners) == 0
		}
		return events, nil
	}
}

// unrecorded are the votes that the record does not hold yet. One that comes too late refuses all.
func unrecorded(r *seam.Record, votes []seam.Vote) (fresh []seam.Vote, err error) {
	for _, v := range votes {
		if v.N < 1 || v.N > len(r.Items) {
			return nil, seam.ErrInvalidAnswer.With("there is no question %d", v.N)
		}
		it := r.Items[v.N-1]
		switch {
		case v.Token != "" && slices.ContainsFunc(it.Votes, func(w seam.Vote) bool { return w.Token == v.Token }):
		case r.State.Ended() || it.State != seam.ItemPending:
			return nil, seam.ErrAlreadySettled
		case slices.ContainsFunc(fresh, func(w seam.Vote) bool { return w.N == v.N }):
			return nil, seam.ErrInvalidAnswer.With("question %q is answered twice", r.Questions[v.N-1].ID)
		default:
			fresh = append(fresh, v)
		}
	}
	return fresh, nil
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
