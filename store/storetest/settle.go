package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

var settling = []scene{
	{"fifty at once: one wins, the others are told who", func(b *bench) {
		rec := b.ask(1)
		var votes []seam.Vote
		for i := range 50 {
			votes = append(votes, b.vote(1, []string{"Yes", "No"}[i%2], fmt.Sprint("person-", i)))
		}
		wins := race(50, func(i int) bool {
			got, err := b.Settle(context.Background(), rec.ID, votes[i:i+1])
			if err != nil && !errors.Is(err, seam.ErrAlreadySettled) {
				b.Error(err)
			}
			if got.State != seam.Answered || len(got.Items[0].Winners()) != 1 {
				b.Errorf("%v: %+v", err, got.Items)
				return false
			}
			winner := got.Items[0].Winners()[0]
			if mine := winner.Token == votes[i].Token; mine != (err == nil) {
				b.Errorf("%s: %v, but %s won", votes[i].Token, err, winner.Token)
			}
			return err == nil
		})
		if wins != 1 {
			b.Errorf("%d won", wins)
		}
		if n := len(b.events()); n != 2 {
			b.Errorf("%d lines in the log: %q", n, b.events())
		}
	}},
	{"the same press always gets the same verdict", func(b *bench) {
		rec := b.ask(2)
		won, lost := b.vote(1, "Yes", "ann"), b.vote(1, "No", "bob")
		b.must(b.Settle(b.ctx(), rec.ID, []seam.Vote{won}))
		verdicts := func() {
			b.Helper()
			before := b.read(rec.ID).Rev
			if _, err := b.Settle(b.ctx(), rec.ID, []seam.Vote{won}); err != nil {
				b.Error("the winner was told", err)
			}
			got, err := b.Settle(b.ctx(), rec.ID, []seam.Vote{lost})
			b.want(err, seam.ErrAlreadySettled)
			if got.ID != rec.ID || got.Rev != before {
				b.Error("a repeated press wrote something")
			}
		}
		verdicts()
		b.answer(rec.ID, 2, "Yes")
		verdicts()
		b.clock.Pass(grace)
		b.lapse()
		verdicts()
	}},
	{"the same press after its request was dismissed", func(b *bench) {
		rec := b.ask(2)
		v := b.vote(1, "Yes", "ann")
		b.must(b.Settle(b.ctx(), rec.ID, []seam.Vote{v}))
		b.end(rec.ID, seam.Ending{State: seam.Cancelled, Token: "p"})
		b.must(b.Settle(b.ctx(), rec.ID, []seam.Vote{v}))
		got, err := b.Settle(b.ctx(), rec.ID, []seam.Vote{b.vote(2, "Yes", "ann")})
		b.want(err, seam.ErrAlreadySettled)
		b.state(got, seam.Cancelled)
	}},
	{"a repeated press at once is one vote", func(b *bench) {
		rec := b.ask(1)
		v := b.vote(1, "Yes", "ann")
		taken := race(20, func(int) bool {
			_, err := b.Settle(context.Background(), rec.ID, []seam.Vote{v})
			return err == nil
		})
		if n := len(b.read(rec.ID).Items[0].Votes); taken != 20 || n != 1 {
			b.Errorf("%d of 20 were taken, %d votes kept", taken, n)
		}
	}},
	{"presses without a token are not one press", func(b *bench) {
		rec := b.ask(1)
		a, c := b.vote(1, "Yes", "ann"), b.vote(1, "No", "bob")
		a.Token, c.Token = "", ""
		b.must(b.Settle(b.ctx(), rec.ID, []seam.Vote{a}))
		_, err := b.Settle(b.ctx(), rec.ID, []seam.Vote{c})
		b.want(err, seam.ErrAlreadySettled)
	}},
	{"several answers are taken together", func(b *bench) {
		rec := b.ask(3)
		rec = b.must(b.Settle(b.ctx(), rec.ID, []seam.Vote{b.vote(1, "Yes", "ann"), b.vote(3, "No", "ann")}))
		b.wantItems(rec, seam.ItemAnswered, seam.ItemPending, seam.ItemAnswered)
		if rec.Items[0].Votes[0].At != b.now() {
			b.Errorf("%+v", rec.Items[0].Votes)
		}
	}},
	{"or none of them", func(b *bench) {
		rec := b.ask(3)
		rec = b.answer(rec.ID, 2, "Yes")
		for _, c := range []struct {
			votes []seam.Vote
			want  seam.Code
		}{
			{[]seam.Vote{b.vote(1, "Yes", "bob"), b.vote(2, "No", "bob")}, seam.ErrAlreadySettled},
			{[]seam.Vote{b.vote(2, "No", "bob"), b.vote(3, "Yes", "bob")}, seam.ErrAlreadySettled},
			{[]seam.Vote{b.vote(1, "Yes", "bob"), b.vote(4, "No", "bob")}, seam.ErrInvalidAnswer},
			{[]seam.Vote{b.vote(1, "Yes", "bob"), b.vote(0, "No", "bob")}, seam.ErrInvalidAnswer},
			{[]seam.Vote{b.vote(1, "Yes", "bob"), b.vote(1, "No", "bob")}, seam.ErrInvalidAnswer},
		} {
			got, err := b.Settle(b.ctx(), rec.ID, c.votes)
			b.want(err, c.want)
			if got.Rev != rec.Rev || b.read(rec.ID).Rev != rec.Rev {
				b.Errorf("%+v wrote something", c.votes)
			}
		}
	}},
	{"a repeat of several answers after a lost reply", func(b *bench) {
		rec := b.ask(2)
		votes := []seam.Vote{b.vote(1, "Yes", "ann"), b.vote(2, "No", "ann")}
		votes[1].Token = votes[0].Token
		b.must(b.Settle(b.ctx(), rec.ID, votes))
		b.state(b.must(b.Settle(b.ctx(), rec.ID, votes)), seam.Answered)
	}},
	{"a quorum of different people for the same", func(b *bench) {
		rec := b.ask(1, quorum(2))
		step := func(label, who string, want seam.State) {
			b.Helper()
			b.state(b.must(b.Settle(b.ctx(), rec.ID, []seam.Vote{b.vote(1, label, who)})), want)
		}
		step("Yes", "ann", seam.Pending)
		step("Yes", "ann", seam.Pending)
		step("No", "bob", seam.Pending)
		step("No", "ann", seam.Answered)
		got := b.read(rec.ID).Items[0]
		if got.Answer.Selected[0] != "No" || len(got.Winners()) != 2 || len(got.Votes) != 4 {
			b.Errorf("%+v", got)
		}
		b.wantEvents("asked  pending", "voted q1 pending", "voted q1 pending", "voted q1 pending", "answered q1 answered")
	}},
	{"a changed vote counts no more for what it said first", func(b *bench) {
		rec := b.ask(1, quorum(2))
		for _, v := range []seam.Vote{b.vote(1, "Yes", "ann"), b.vote(1, "No", "ann"), b.vote(1, "Yes", "bob")} {
			rec = b.must(b.Settle(b.ctx(), rec.ID, []seam.Vote{v}))
		}
		b.state(rec, seam.Pending)
	}},
	{"the same id on two surfaces is two people", func(b *bench) {
		rec := b.ask(1, quorum(2))
		v, w := b.vote(1, "Yes", "1"), b.vote(1, "Yes", "1")
		w.Person.Answerer = "other"
		b.must(b.Settle(b.ctx(), rec.ID, []seam.Vote{v}))
		b.state(b.must(b.Settle(b.ctx(), rec.ID, []seam.Vote{w})), seam.Answered)
	}},
	{"a quorum of skips, and own words that differ", func(b *bench) {
		rec := b.ask(2, quorum(2))
		skip := func(who string) seam.Vote {
			v := b.vote(1, "", who)
			v.Skip, v.Answer.Selected = true, []string{}
			return v
		}
		words := func(text, who string) seam.Vote {
			v := b.vote(2, "", who)
			v.Answer.Selected, v.Answer.Custom = []string{}, text
			return v
		}
		for _, v := range []seam.Vote{skip("ann"), words("later", "ann"), words("soon", "bob")} {
			rec = b.must(b.Settle(b.ctx(), rec.ID, []seam.Vote{v}))
			b.wantItems(rec, seam.ItemPending, seam.ItemPending)
		}
		rec = b.must(b.Settle(b.ctx(), rec.ID, []seam.Vote{skip("bob"), words("later", "cy")}))
		b.wantItems(rec, seam.ItemSkipped, seam.ItemAnswered)
		b.state(rec, seam.Answered)
	}},
	{"an answer and an abort at once: the store says which", func(b *bench) {
		for range 20 {
			rec := b.ask(1)
			v := b.vote(1, "Yes", "ann")
			race(2, func(i int) bool {
				var got seam.Record
				var err error
				if i == 0 {
					got, err = b.Settle(context.Background(), rec.ID, []seam.Vote{v})
				} else {
					got, err = b.End(context.Background(), rec.ID, seam.Ending{State: seam.Aborted})
				}
				stands, _ := b.Get(context.Background(), rec.ID)
				if got.State != stands.State || !got.State.Ended() {
					b.Errorf("said %s (%v), stands %s", got.State, err, stands.State)
				}
				return true
			})
		}
	}},
	{"words are kept to the letter", func(b *bench) {
		rec := b.ask(1)
		v := b.vote(1, "", "ann")
		v.Answer.Selected, v.Answer.Custom = []string{}, " <&>\u2028 😀\n\tend "
		b.must(b.Settle(b.ctx(), rec.ID, []seam.Vote{v}))
		if got := b.read(rec.ID).Answers()[0]; got.Custom != v.Answer.Custom {
			b.Errorf("%q", got.Custom)
		}
	}},
	{"what a caller gets is its own", func(b *bench) {
		rec := b.ask(1)
		rec.Items[0].State, rec.Owners[0] = seam.ItemSkipped, "nobody"
		told := b.heard(rec.ID)
		told.Items[0].State = seam.ItemSkipped
		b.clock.Pass(time.Second)
		if got := b.read(rec.ID); got.Items[0].State != seam.ItemPending || got.Owners[0] != "A" {
			b.Errorf("%+v", got.Life)
		}
	}},
}
