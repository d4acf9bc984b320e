package answerer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/bridge/answerer"
	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/store"
	"github.com/askbridge/bridge/store/storetest"
)

// wall is an answerer whose cards can be seen.
type wall struct {
	name   string
	fail   error // after room cards were posted
	room   int
	locked error // of redraws

	mu    sync.Mutex
	cards map[string]seam.Stage // message → what it shows
}

func (w *wall) Name() string { return w.name }

func (w *wall) Present(_ context.Context, rec seam.Record, open []int) ([]seam.Placement, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var cards []seam.Placement
	for i, n := range open {
		if w.fail != nil && i == w.room {
			return cards, w.fail
		}
		p := seam.Placement{N: n, Answerer: w.name, Channel: "c", Message: fmt.Sprintf("%s.%d", rec.ID, n)}
		p.Drawn = rec.Stage(p)
		w.show(p.Message, p.Drawn)
		cards = append(cards, p)
	}
	return cards, nil
}

func (w *wall) show(message string, s seam.Stage) {
	if w.cards == nil {
		w.cards = map[string]seam.Stage{}
	}
	w.cards[message] = s
}

func (w *wall) Redraw(_ context.Context, rec seam.Record, p seam.Placement) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.locked != nil {
		return w.locked
	}
	w.show(p.Message, rec.Stage(p))
	return nil
}

// stages are what the cards of a request show, by question.
func (w *wall) stages(rec seam.Record) (out []seam.Stage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for n := range rec.Questions {
		out = append(out, w.cards[fmt.Sprintf("%s.%d", rec.ID, n+1)])
	}
	return out
}

var (
	ann = seam.Person{Answerer: "wall", ID: "ann", Name: "Ann"}
	bob = seam.Person{Answerer: "wall", ID: "bob"}
)

func choice(id string) seam.Question {
	return seam.Question{ID: id, Text: "Deploy?", Options: []seam.Option{{Label: "Yes"}, {Label: "No"}}}
}

type scene struct {
	*answerer.Desk
	t     *testing.T
	store *storetest.Memory
}

func set(t *testing.T, cfg answerer.Config, on ...answerer.Answerer) *scene {
	t.Helper()
	mem := storetest.NewMemory(store.Config{})
	s := &scene{Desk: answerer.New(cfg, mem, on...), t: t, store: mem}
	t.Cleanup(s.Drain)
	return s
}

// stored is a request on the given answerers; nothing is posted yet.
func (s *scene) stored(plan seam.Plan, qs ...seam.Question) seam.Record {
	s.t.Helper()
	rec, _, err := s.store.Create(s.t.Context(), seam.New{Replica: "p", Body: seam.Body{
		ID: seam.NewRequestID(), Caller: seam.Caller{Token: "ci"}, Questions: qs, Hash: seam.HashQuestions(qs), Plan: plan,
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	return rec
}

func (s *scene) get(id string) seam.Record {
	s.t.Helper()
	s.Drain()
	rec, err := s.store.Get(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return rec
}

func option(rec seam.Record, n, i int, who seam.Person, token string) seam.Press {
	return seam.Press{Token: token, Person: who, Request: rec.ID, N: n, Control: seam.PressOption, Option: i}
}

func TestPress(t *testing.T) {
	plan := seam.Plan{Answerers: []string{"wall"}}
	w := &wall{name: "wall"}
	s := set(t, answerer.Config{}, w)
	present := func(qs ...seam.Question) seam.Record {
		t.Helper()
		rec, err := s.Present(t.Context(), s.stored(plan, qs...))
		if err != nil {
			t.Fatal(err)
		}
		return rec
	}
	is := func(t *testing.T, r answerer.Reply, kind seam.VerdictKind, why seam.Reason) {
		t.Helper()
		if r.Kind != kind || r.Reason != why {
			t.Fatalf("got %s %s, want %s %s", r.Kind, r.Reason, kind, why)
		}
		if said := r.Say != ""; said != (kind == seam.Taken || kind == seam.Refused || kind == seam.Unknown) {
			t.Errorf("%s: said %q", kind, r.Say)
		}
	}
	t.Run("taken, and the same token is taken again", func(t *testing.T) {
		rec := present(choice("q"))
		for range 3 {
			is(t, s.Press(t.Context(), option(rec, 1, 1, ann, "t1")), seam.Taken, "")
		}
		got := s.get(rec.ID)
		if diff := cmp.Diff([]seam.Answer{{ID: "q", Selected: []string{"Yes"}}}, got.Answers()); diff != "" {
			t.Error(diff)
		}
		if st := w.stages(got); len(got.Items[0].Votes) != 1 || st[0] != seam.StageAnswered {
			t.Errorf("votes %d, card %v", len(got.Items[0].Votes), st)
		}
	})
	t.Run("late is told who won", func(t *testing.T) {
		rec := present(choice("q"))
		s.Press(t.Context(), option(rec, 1, 1, ann, "t1"))
		r := s.Press(t.Context(), option(rec, 1, 2, bob, "t2"))
		is(t, r, seam.Refused, seam.ReasonLate)
		if !strings.Contains(r.Say, "Ann") {
			t.Errorf("%q names not the winner", r.Say)
		}
	})
	t.Run("no such option, no such question, no such request", func(t *testing.T) {
		rec := present(choice("q"))
		is(t, s.Press(t.Context(), option(rec, 1, 3, ann, "t")), seam.Refused, seam.ReasonInvalid)
		is(t, s.Press(t.Context(), option(rec, 2, 1, ann, "t")), seam.Refused, seam.ReasonInvalid)
		is(t, s.Press(t.Context(), option(rec, 0, 1, ann, "t")), seam.Refused, seam.ReasonInvalid)
		is(t, s.Press(t.Context(), seam.Press{Request: seam.NewRequestID(), N: 1, Person: ann, Token: "t"}), seam.Refused, seam.ReasonGone)
	})
	t.Run("skip and dismiss ask once more", func(t *testing.T) {
		rec := present(choice("q"), choice("r"))
		for i, c := range []seam.Control{seam.PressSkip, seam.PressDismiss} {
			p := seam.Press{Token: "a" + string(c), Person: ann, Request: rec.ID, N: i + 1, Control: c}
			r := s.Press(t.Context(), p)
			is(t, r, seam.Asked, "")
			if r.Confirm == nil || s.get(rec.ID).Items[i].State != seam.ItemPending {
				t.Fatalf("%s: %+v", c, r)
			}
			p.Token, p.Sure = "b"+string(c), true
			is(t, s.Press(t.Context(), p), seam.Taken, "")
		}
		got := s.get(rec.ID)
		if got.State != seam.Cancelled || got.By != ann || got.Items[0].State != seam.ItemSkipped || got.Items[1].State != seam.ItemClosed {
			t.Errorf("%+v", got.Life)
		}
		if st := w.stages(got); !slices.Equal(st, []seam.Stage{seam.StageCancelled, seam.StageCancelled}) {
			t.Error("cards show", st)
		}
	})
	t.Run("a copy of the card is adopted and retired with it", func(t *testing.T) {
		rec := present(choice("q"))
		p := option(rec, 1, 1, ann, "t")
		p.Card = seam.Placement{N: 1, Answerer: "wall", Channel: "c", Message: "copy", Drawn: seam.StageOpen}
		is(t, s.Press(t.Context(), p), seam.Taken, "")
		if got := s.get(rec.ID); len(got.Placements) != 2 || len(got.Stale()) != 0 {
			t.Errorf("%+v", got.Placements)
		}
	})
	t.Run("a card that cannot be redrawn is left for the sweep, the answer stands", func(t *testing.T) {
		rec := present(choice("q"))
		w.locked = errors.New("rate limited")
		is(t, s.Press(t.Context(), option(rec, 1, 1, ann, "t")), seam.Taken, "")
		got := s.get(rec.ID)
		if got.State != seam.Answered || len(got.Stale()) != 1 {
			t.Errorf("%+v", got.Life)
		}
		w.mu.Lock()
		w.locked = nil
		w.mu.Unlock()
		s.Redraw(t.Context(), got)
		if got = s.get(rec.ID); len(got.Stale()) != 0 {
			t.Errorf("still stale: %+v", got.Placements)
		}
	})
}

// gate answers what it is told to.
type gate struct {
	ok  bool
	err error
}

func (g gate) May(context.Context, seam.Record, seam.Person) (bool, error) { return g.ok, g.err }

func TestWhoMayNotChangesNothing(t *testing.T) {
	for reason, g := range map[seam.Reason]gate{
		seam.ReasonNotAllowed: {},
		seam.ReasonUnverified: {ok: true, err: errors.New("users.info: timeout")},
	} {
		t.Run(string(reason), func(t *testing.T) {
			s := set(t, answerer.Config{Gate: g}, &wall{name: "wall"})
			rec := s.stored(seam.Plan{Answerers: []string{"wall"}}, choice("q"))
			for _, c := range []seam.Control{seam.PressOption, seam.PressForm, seam.PressSkip, seam.PressDismiss, seam.PressReply} {
				p := seam.Press{Token: "t", Person: ann, Request: rec.ID, N: 1, Control: c, Option: 1, Chosen: []int{1}, Text: "Yes", Sure: true}
				if r := s.Press(t.Context(), p); r.Kind != seam.Refused || r.Reason != reason {
					t.Errorf("%s: %+v", c, r.Verdict)
				}
			}
			_, err := s.Answer(t.Context(), seam.Submission{Request: rec.ID, Person: ann, Token: "t", Answers: []seam.Submitted{{ID: "q", Selected: []string{"Yes"}}}})
			if !errors.Is(err, seam.ErrForbidden) {
				t.Error(err)
			}
			if got := s.get(rec.ID); got.Rev != rec.Rev {
				t.Errorf("the record changed: %+v", got.Life)
			}
			log, err := s.store.Tail(t.Context(), "1", 100)
			if err != nil || len(log) != 6 || log[0].Event != seam.EventRefused || log[0].Reason != reason || log[0].Person != ann {
				t.Errorf("the log has %d entries, %v: %+v", len(log), err, log)
			}
		})
	}
}

func TestFiftyAtOnce(t *testing.T) {
	s := set(t, answerer.Config{}, &wall{name: "wall"})
	rec := s.stored(seam.Plan{Answerers: []string{"wall"}}, choice("q"))
	var wg sync.WaitGroup
	replies := make([]answerer.Reply, 50)
	for i := range replies {
		wg.Go(func() {
			who := seam.Person{Answerer: "wall", ID: fmt.Sprint("person-", i)}
			replies[i] = s.Press(t.Context(), option(rec, 1, 1+i%2, who, fmt.Sprint("t", i)))
		})
	}
	wg.Wait()
	winner := s.get(rec.ID).Items[0].Votes[0].Person.ID
	taken := 0
	for i, r := range replies {
		switch {
		case r.Kind == seam.Taken:
			taken++
		case r.Reason != seam.ReasonLate || !strings.Contains(r.Say, winner):
			t.Errorf("press %d: %+v %q", i, r.Verdict, r.Say)
		}
	}
	if taken != 1 {
		t.Errorf("%d were taken", taken)
	}
}

// stuck is a store that does not answer.
type stuck struct{ *storetest.Memory }

func (stuck) Get(ctx context.Context, _ string) (seam.Record, error) {
	<-ctx.Done()
	return seam.Record{}, seam.ErrStore.From(ctx.Err())
}

func TestAStuckStoreIsUnknownInTime(t *testing.T) {
	for control, limit := range map[seam.Control]time.Duration{
		seam.PressOption: time.Second, seam.PressForm: 2 * time.Second, seam.PressOther: 500 * time.Millisecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			d := answerer.New(answerer.Config{}, stuck{storetest.NewMemory(store.Config{})})
			start := time.Now()
			r := d.Press(t.Context(), seam.Press{Token: "t", Person: ann, Request: seam.NewRequestID(), N: 1, Control: control, Option: 1})
			if took := time.Since(start); r.Kind != seam.Unknown || r.Say == "" || took > limit {
				t.Errorf("%s: %s %q after %v", control, r.Kind, r.Say, took)
			}
		})
	}
}

func TestAnswer(t *testing.T) {
	s := set(t, answerer.Config{}, &wall{name: "wall"})
	plan := choice("plan")
	plan.Detail, plan.Intent = "the plan", &seam.Intent{Kind: seam.PlanReview, Approve: "Yes"}
	multi := choice("multi")
	multi.MultiSelect = true
	rec := s.stored(seam.Plan{Answerers: []string{"wall"}}, choice("one"), multi, plan)
	send := func(as ...seam.Submitted) error {
		_, err := s.Answer(t.Context(), seam.Submission{Request: rec.ID, Person: bob, Token: fmt.Sprint(as), Answers: as})
		return err
	}
	yes := func(id string) seam.Submitted { return seam.Submitted{ID: id, Selected: []string{"Yes"}} }
	for name, as := range map[string][]seam.Submitted{
		"none":                       {},
		"unknown question":           {yes("one"), yes("nope")},
		"unknown label":              {yes("one"), {ID: "multi", Selected: []string{"Maybe"}}},
		"the same question twice":    {yes("one"), yes("one")},
		"neither label nor words":    {yes("multi"), {ID: "one"}},
		"skip of a plan":             {yes("one"), {ID: "plan", Skip: true}},
		"skip and answer":            {{ID: "one", Skip: true, Selected: []string{"Yes"}}},
		"two labels of a single one": {{ID: "one", Selected: []string{"Yes", "No"}}},
	} {
		if err := send(as...); !errors.Is(err, seam.ErrInvalidAnswer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := s.get(rec.ID); got.Rev != rec.Rev {
		t.Fatalf("refused answers changed the record: %+v", got.Life)
	}
	if err := send(yes("one"), seam.Submitted{ID: "multi", Skip: true}); err != nil {
		t.Fatal(err)
	}
	if err := send(yes("plan"), yes("multi")); !errors.Is(err, seam.ErrAlreadySettled) || !strings.Contains(err.Error(), "bob") {
		t.Error(err)
	}
	if got := s.get(rec.ID); got.Items[2].State != seam.ItemPending {
		t.Error("half of a refused submission was recorded")
	}
	for range 2 { // the same token, the same verdict
		got, err := s.Answer(t.Context(), seam.Submission{Request: rec.ID, Person: bob, Token: "c", Cancel: true})
		if err != nil || got.State != seam.Cancelled {
			t.Error(got.State, err)
		}
	}
	if _, err := s.Answer(t.Context(), seam.Submission{Request: rec.ID, Person: ann, Token: "d", Cancel: true}); !errors.Is(err, seam.ErrAlreadySettled) {
		t.Error(err)
	}
}

func TestPresent(t *testing.T) {
	refusal := errors.New("channel_not_found")
	both := seam.Plan{Answerers: []string{"a", "b"}}
	two := []seam.Question{choice("q"), choice("r")}
	elsewhere, open := seam.StageElsewhere, seam.StageOpen
	for name, c := range map[string]struct {
		a, b     *wall
		plan     seam.Plan
		code     seam.Code
		onA, onB []seam.Stage
		detail   string
	}{
		"the first to accept has it": {&wall{}, &wall{}, both, "", []seam.Stage{open, open}, []seam.Stage{"", ""}, ""},
		"refused outright":           {&wall{fail: refusal}, &wall{}, both, "", []seam.Stage{"", ""}, []seam.Stage{open, open}, ""},
		"one card fails, the other is retired, the next has both": {
			&wall{fail: refusal, room: 1}, &wall{}, both, "", []seam.Stage{elsewhere, ""}, []seam.Stage{open, open}, "",
		},
		"everybody refused": {
			&wall{fail: refusal}, &wall{fail: errors.New("missing_scope")}, both, seam.ErrDeliveryFailed,
			[]seam.Stage{"", ""},
			[]seam.Stage{"", ""},
			"a: channel_not_found; b: missing_scope",
		},
		"nobody there": {&wall{}, &wall{}, seam.Plan{Answerers: []string{"slack"}}, seam.ErrNoProvider, []seam.Stage{"", ""}, []seam.Stage{"", ""}, ""},
		"all at once":  {&wall{}, &wall{}, seam.Plan{Answerers: []string{"a", "b"}, All: true}, "", []seam.Stage{open, open}, []seam.Stage{open, open}, ""},
		"all at once, one is enough": {
			&wall{fail: refusal, room: 1}, &wall{},
			seam.Plan{Answerers: []string{"a", "b"}, All: true},
			"",
			[]seam.Stage{elsewhere, ""},
			[]seam.Stage{open, open},
			"",
		},
		"all at once, none": {
			&wall{fail: refusal}, &wall{fail: refusal},
			seam.Plan{Answerers: []string{"a", "b"}, All: true},
			seam.ErrDeliveryFailed,
			[]seam.Stage{"", ""},
			[]seam.Stage{"", ""},
			"a: channel_not_found; b: channel_not_found",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.a.name, c.b.name = "a", "b"
			s := set(t, answerer.Config{}, c.a, c.b)
			rec, err := s.Present(t.Context(), s.stored(c.plan, two...))
			if e, _ := seam.AsError(err); c.code == "" != (err == nil) || err != nil && (e.Code != c.code || e.Detail != c.detail) {
				t.Fatal(err)
			}
			got := s.get(rec.ID)
			if got.Placed != (c.code == "") {
				t.Error("placed:", got.Placed)
			}
			if diff := cmp.Diff([][]seam.Stage{c.onA, c.onB}, [][]seam.Stage{c.a.stages(got), c.b.stages(got)}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestHandOverKeepsWhatIsRecorded(t *testing.T) {
	a, b := &wall{name: "a", fail: errors.New("rate limited"), room: 1}, &wall{name: "b"}
	s := set(t, answerer.Config{}, a, b)
	rec := s.stored(seam.Plan{Answerers: []string{"a", "b"}}, choice("q"), choice("r"))
	s.Press(t.Context(), option(rec, 1, 2, ann, "t")) // faster than the second card
	if _, err := s.Present(t.Context(), rec); err != nil {
		t.Fatal(err)
	}
	s.Redraw(t.Context(), rec)
	got := s.get(rec.ID)
	if st := b.stages(got); !slices.Equal(st, []seam.Stage{"", seam.StageOpen}) {
		t.Error("the next answerer shows", st)
	}
	if st := a.stages(got); st[0] != seam.StageRecorded || got.Items[0].Answer.Selected[0] != "No" {
		t.Error("the recorded answer is shown as", st)
	}
}
