package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/store"
)

// What the suite configures a store with.
const (
	grace     = 15 * time.Minute
	handover  = 24 * time.Hour
	retention = 168 * time.Hour
	lease     = 30 * time.Second
	agentTTL  = 60 * time.Second
)

// Run holds a store to the contract of seam.Store, seam.Sweep and seam.Agents and of the desk's and the doors' ports.
// open makes an empty one, on the clock of its configuration.
func Run(t *testing.T, open func(t *testing.T, cfg store.Config) Store) {
	for _, part := range []struct {
		name string
		of   []scene
	}{
		{"create", creating},
		{"join", joining},
		{"endings", endings},
		{"holds", holds},
		{"settle", settling},
		{"cards", drawing},
		{"sweep", sweeping},
		{"agents", registry},
		{"lists", listing},
		{"log", logging},
		{"grants", granting},
		{"calls", calling},
	} {
		t.Run(part.name, func(t *testing.T) {
			for _, sc := range part.of {
				t.Run(sc.name, func(t *testing.T) {
					clock := NewClock()
					s := open(t, store.Config{
						Grace: grace, Handover: handover, Retention: retention, Lease: lease, AgentTTL: agentTTL, Now: clock.Now,
					})
					b := &bench{T: t, Store: s, clock: clock, told: map[string]seam.Record{}}
					s.Watch(b.hear)
					t.Cleanup(func() {
						if err := s.Close(); err != nil {
							t.Error("close:", err)
						}
					})
					sc.play(b)
				})
			}
		})
	}
}

// scene is one promise of a store.
type scene struct {
	name string
	play func(b *bench)
}

// bench is a store under test with what makes a scene short.
type bench struct {
	*testing.T
	Store
	clock *Clock
	presses

	mu   sync.Mutex
	told map[string]seam.Record // what Watch said last
}

type presses struct{ n int }

func (p *presses) token() string {
	p.n++
	return fmt.Sprint("press-", p.n)
}

func (b *bench) hear(rec seam.Record) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if rec.Rev > b.told[rec.ID].Rev {
		b.told[rec.ID] = rec
	}
}

func (b *bench) heard(id string) seam.Record {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.told[id]
}

// now is the clock as a store keeps it.
func (b *bench) now() time.Time { return b.clock.Now().UTC().Truncate(time.Millisecond) }

func (b *bench) ctx() context.Context { return b.Context() }

// yesNo are questions q1, q2, …
func yesNo(n int) (qs []seam.Question) {
	for i := range n {
		qs = append(qs, seam.Question{
			ID: fmt.Sprint("q", i+1), Text: "Deploy?", Options: []seam.Option{{Label: "Yes"}, {Label: "No"}},
		})
	}
	return qs
}

// request is a new request of the token ci with n questions, waited for by replica A.
func request(n int, edit ...func(*seam.New)) seam.New {
	r := seam.New{Replica: "A", Body: seam.Body{
		ID: seam.NewRequestID(), Caller: seam.Caller{Token: "ci"}, Questions: yesNo(n),
		Plan: seam.Plan{Route: "default", Answerers: []string{"wall"}},
	}}
	for _, e := range edit {
		e(&r)
	}
	r.Body.Hash = seam.HashQuestions(r.Body.Questions)
	return r
}

func key(k string) func(*seam.New)     { return func(n *seam.New) { n.Key = k } }
func session(s string) func(*seam.New) { return func(n *seam.New) { n.Body.Caller.Session = s } }
func token(t string) func(*seam.New)   { return func(n *seam.New) { n.Body.Caller.Token = t } }
func replica(r string) func(*seam.New) { return func(n *seam.New) { n.Replica = r } }
func quorum(q int) func(*seam.New)     { return func(n *seam.New) { n.Body.Plan.Quorum = q } }
func text(s string) func(*seam.New)    { return func(n *seam.New) { n.Body.Questions[0].Text = s } }

func within(d time.Duration) func(*seam.New) { return func(n *seam.New) { n.Within = d } }

// byDefault gives "No" to every question.
func byDefault(n *seam.New) {
	for _, q := range n.Body.Questions {
		n.Body.Default = append(n.Body.Default, seam.Answer{ID: q.ID, Selected: []string{"No"}})
	}
}

// ask stores a request that must be new.
func (b *bench) ask(n int, edit ...func(*seam.New)) seam.Record {
	b.Helper()
	rec, joined, err := b.Create(b.ctx(), request(n, edit...))
	if err != nil || joined {
		b.Fatalf("create: joined %v, %v", joined, err)
	}
	return rec
}

// join stores a request that must join one.
func (b *bench) join(want seam.Record, edit ...func(*seam.New)) seam.Record {
	b.Helper()
	rec, joined, err := b.Create(b.ctx(), request(len(want.Items), edit...))
	if err != nil || !joined || rec.ID != want.ID {
		b.Fatalf("got %s, joined %v, %v; want to join %s", rec.ID, joined, err, want.ID)
	}
	return rec
}

// must is the record of a step that may not fail.
func (b *bench) must(rec seam.Record, err error) seam.Record {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
	return rec
}

func (b *bench) read(id string) seam.Record {
	b.Helper()
	return b.must(b.Get(b.ctx(), id))
}

func (b *bench) want(err error, code seam.Code) *seam.Error {
	b.Helper()
	if !errors.Is(err, code) {
		b.Fatalf("got %v, want %s", err, code)
	}
	e, _ := seam.AsError(err)
	return e
}

func ann(id string) seam.Person { return seam.Person{Answerer: "wall", ID: id} }

// vote is a fresh press of somebody for question n.
func (b *bench) vote(n int, label, who string) seam.Vote {
	return seam.Vote{
		N: n, Answer: seam.Answer{ID: fmt.Sprint("q", n), Selected: []string{label}}, Person: ann(who), Token: b.token(),
	}
}

func (b *bench) answer(id string, n int, label string) seam.Record {
	b.Helper()
	return b.must(b.Settle(b.ctx(), id, []seam.Vote{b.vote(n, label, "ann")}))
}

func (b *bench) end(id string, e seam.Ending) seam.Record {
	b.Helper()
	return b.must(b.End(b.ctx(), id, e))
}

func (b *bench) hold(id, replica string, kind seam.HoldKind) seam.Record {
	b.Helper()
	return b.must(b.Hold(b.ctx(), id, seam.Hold{Replica: replica, Kind: kind}))
}

// place puts a card of question n on the wall and tells the store.
func (b *bench) place(id string, n int) seam.Placement {
	b.Helper()
	p := seam.Placement{N: n, Answerer: "wall", Channel: "c", Message: fmt.Sprint("m", n), Drawn: seam.StageOpen}
	b.must(b.Place(b.ctx(), id, []seam.Placement{p}, true))
	return p
}

// drawn redraws every stale card.
func (b *bench) drawn(rec seam.Record) seam.Record {
	b.Helper()
	cards := rec.Stale()
	for i, p := range cards {
		cards[i].Drawn = rec.Stage(p)
	}
	return b.must(b.Drawn(b.ctx(), rec.ID, cards))
}

// lapse sweeps until nothing is due and returns the ids that need a hand.
func (b *bench) lapse() (ids []string) {
	b.Helper()
	for {
		recs, err := b.Lapse(b.ctx(), 10)
		if err != nil {
			b.Fatal("lapse:", err)
		}
		for _, r := range recs {
			ids = append(ids, r.ID)
		}
		if len(recs) < 10 {
			return ids
		}
	}
}

// live lets time go by while a replica keeps its lease and sweeps; it returns what needed a hand.
func (b *bench) live(d time.Duration, replica string) (ids []string) {
	b.Helper()
	for end := b.clock.Now().Add(d); b.clock.Now().Before(end); {
		if err := b.Beat(b.ctx(), replica, nil); err != nil {
			b.Fatal(err)
		}
		b.clock.Pass(min(lease/3, end.Sub(b.clock.Now())))
		ids = append(ids, b.lapse()...)
	}
	return ids
}

// events are the log's lines, oldest first: "event question status".
func (b *bench) events() (lines []string) {
	b.Helper()
	for _, e := range b.entries() {
		lines = append(lines, fmt.Sprintf("%s %s %s", e.Event, e.Question, e.Status))
	}
	return lines
}

func (b *bench) entries() []seam.Entry {
	b.Helper()
	out, err := b.Tail(b.ctx(), "0", 1000)
	if err != nil {
		b.Fatal("tail:", err)
	}
	return out
}

func (b *bench) wantEvents(want ...string) {
	b.Helper()
	if got := b.events(); !slices.Equal(got, want) {
		b.Errorf("log\n got %q\nwant %q", got, want)
	}
}

func (b *bench) state(rec seam.Record, want seam.State) {
	b.Helper()
	if rec.State != want {
		b.Fatalf("request is %s, want %s", rec.State, want)
	}
	if stored := b.read(rec.ID); stored.State != want {
		b.Fatalf("stored request is %s, want %s", stored.State, want)
	}
	if told := b.heard(rec.ID); told.State != want {
		b.Fatalf("watchers were told %q, want %s", told.State, want)
	}
}
