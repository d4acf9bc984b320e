package answerer

import (
	"context"
	"errors"
	"fmt"

	"github.com/askbridge/bridge/internal/seam"
)

// Answer settles what a person sent through the API: all of it or nothing. Errors: ErrNotFound, ErrInvalidAnswer,
// ErrForbidden, ErrAlreadySettled (its Detail names who won), ErrStore.
func (d *Desk) Answer(ctx context.Context, in seam.Submission) (seam.Record, error) {
	rec, err := d.store.Get(ctx, in.Request)
	if err != nil {
		return rec, err
	}
	votes, err := votes(rec, in)
	if err != nil {
		return rec, err
	}
	if reason := d.may(ctx, rec, in.Person); reason != "" {
		d.after(seam.Press{Request: rec.ID, Person: in.Person}, refused(reason, rec), 0)
		return rec, forbidden[reason]
	}
	rec, err = d.submit(ctx, rec, in, votes)
	switch {
	case err == nil:
		d.after(seam.Press{Request: rec.ID, Person: in.Person}, verdict(seam.Taken, rec), 0)
	case errors.Is(err, seam.ErrAlreadySettled):
		d.after(seam.Press{Request: rec.ID, Person: in.Person}, refused(seam.ReasonLate, rec), 0)
	}
	return rec, err
}

var forbidden = map[seam.Reason]error{
	seam.ReasonNotAllowed: seam.ErrForbidden.With("you may not answer this request"),
	seam.ReasonUnverified: seam.ErrForbidden.With("whether you may answer this request could not be verified"),
}

func (d *Desk) submit(ctx context.Context, rec seam.Record, in seam.Submission, votes []seam.Vote) (seam.Record, error) {
	if in.Cancel {
		rec, err := d.store.End(ctx, rec.ID, seam.Ending{State: seam.Cancelled, By: in.Person, Token: in.Token})
		if err == nil && (rec.State != seam.Cancelled || rec.Token != in.Token) {
			err = late(rec, nil)
		}
		return rec, err
	}
	rec, err := d.store.Settle(ctx, rec.ID, votes)
	if errors.Is(err, seam.ErrAlreadySettled) {
		err = late(rec, votes)
	}
	return rec, err
}

// votes checks a submission against its request.
func votes(rec seam.Record, in seam.Submission) ([]seam.Vote, error) {
	switch {
	case in.Cancel && len(in.Answers) > 0:
		return nil, seam.ErrInvalidAnswer.With("either answers or cancel, not both")
	case in.Cancel:
		return nil, nil
	case len(in.Answers) == 0:
		return nil, seam.ErrInvalidAnswer.With("there are no answers")
	}
	var out []seam.Vote
	given := map[int]bool{}
	for _, a := range in.Answers {
		v, err := vote(rec, a)
		if err != nil {
			return nil, err
		}
		if given[v.N] {
			return nil, seam.ErrInvalidAnswer.With("question %q is answered twice", a.ID)
		}
		given[v.N] = true
		v.Person, v.Token = in.Person, in.Token
		out = append(out, v)
	}
	return out, nil
}

func vote(rec seam.Record, a seam.Submitted) (seam.Vote, error) {
	for i, q := range rec.Questions {
		if q.ID != a.ID {
			continue
		}
		v := seam.Vote{N: i + 1, Skip: a.Skip, Answer: seam.Answer{ID: q.ID, Selected: []string{}}}
		said := seam.Answer{ID: q.ID, Selected: a.Selected, Custom: a.Custom}
		switch {
		case a.Skip && !q.MaySkip(len(rec.Questions)):
			return v, seam.ErrInvalidAnswer.With("question %q cannot be skipped", q.ID)
		case a.Skip && !said.Empty():
			return v, seam.ErrInvalidAnswer.With("question %q is both answered and skipped", q.ID)
		case a.Skip:
			return v, nil
		}
		var err error
		v.Answer, err = q.Legal(said)
		return v, err
	}
	return seam.Vote{}, seam.ErrInvalidAnswer.With("%q is no question of this request", a.ID)
}

// late says who won.
func late(rec seam.Record, votes []seam.Vote) error {
	e := &seam.Error{Code: seam.ErrAlreadySettled, Request: rec.ID}
	for _, v := range votes {
		if it := rec.Items[v.N-1]; it.State == seam.ItemAnswered || it.State == seam.ItemSkipped {
			who := "somebody"
			if w := it.Winners(); len(w) > 0 {
				who = name(w[0].Person)
			}
			e.Detail = fmt.Sprintf("question %q was %s by %s", rec.Questions[v.N-1].ID, it.State, who)
			return e
		}
	}
	e.Detail = fmt.Sprintf("the request was %s", rec.State)
	if rec.State == seam.Cancelled {
		e.Detail += " by " + name(rec.By)
	}
	return e
}

func name(p seam.Person) string {
	if p.Name != "" {
		return p.Name
	}
	return p.ID
}
