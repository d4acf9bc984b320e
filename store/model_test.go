package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/store"
	"github.com/askbridge/bridge/store/storetest"
)

// TestModel does the same at random to the memory store and to the file store. They must say the same, keep their
// indexes in step with their records, and no history may break a promise.
func TestModel(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		m := newModel(t, filepath.Join(dir, fmt.Sprint(n)))
		defer m.close(t)
		t.Repeat(map[string]func(*rapid.T){
			"create":  m.create,
			"settle":  m.settle,
			"end":     m.end,
			"hold":    m.hold,
			"place":   m.place,
			"drawn":   m.drawn,
			"deliver": m.deliver,
			"offer":   m.offer,
			"lapse":   m.lapse,
			"pass":    m.pass,
			"":        m.check,
		})
	})
}

type model struct {
	clock *storetest.Clock
	mem   *storetest.Memory
	file  *store.Bolt
	dir   string
	made  int
	ids   []string
	known map[string]seam.Record // as last seen
	taken map[string]bool        // presses that were told so
	gone  map[string]bool        // deleted
}

func newModel(t *rapid.T, dir string) *model {
	m := &model{clock: storetest.NewClock(), dir: dir, known: map[string]seam.Record{}, taken: map[string]bool{}, gone: map[string]bool{}}
	cfg := store.Config{
		Path: filepath.Join(dir, "bridge.db"), Now: m.clock.Now,
		Grace: 10 * time.Minute, Handover: time.Hour, Retention: 2 * time.Hour, Lease: 3 * time.Minute,
	}
	m.mem = storetest.NewMemory(cfg)
	var err error
	if m.file, err = store.Open(cfg); err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *model) close(t *rapid.T) {
	if err := errors.Join(m.file.Close(), m.mem.Close(), os.RemoveAll(m.dir)); err != nil {
		t.Fatal(err)
	}
}

func pick[T any](t *rapid.T, name string, of ...T) T { return rapid.SampledFrom(of).Draw(t, name) }

// id is one of the requests so far.
func (m *model) id(t *rapid.T) string {
	if len(m.ids) == 0 {
		t.Skip("nothing asked yet")
	}
	return rapid.SampledFrom(m.ids).Draw(t, "request")
}

// same compares as a store would keep it; cmp is slow under the race detector and comes in for what differs.
func same(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// both compares what the two stores say of a step on one request, and the step with what was known before it.
func (m *model) both(t *rapid.T, step func(storetest.Store) (seam.Record, error)) (seam.Record, error) {
	a, errA := step(m.mem)
	b, errB := step(m.file)
	if !same(a, b) {
		t.Fatalf("memory and file differ:\n%s", cmp.Diff(a, b))
	}
	if fmt.Sprint(errA) != fmt.Sprint(errB) {
		t.Fatalf("memory says %v, file says %v", errA, errB)
	}
	if a.ID != "" {
		m.see(t, a)
	}
	return a, errA
}

// see holds the next revision of a record to the promises.
func (m *model) see(t *rapid.T, now seam.Record) {
	was, known := m.known[now.ID]
	m.known[now.ID] = now
	if !known {
		return
	}
	switch {
	case now.Rev < was.Rev, now.Rev == was.Rev && !same(was, now):
		t.Fatalf("revision %d became %d\n%s", was.Rev, now.Rev, cmp.Diff(was, now))
	case !same(was.Body, now.Body):
		t.Fatalf("the question changed\n%s", cmp.Diff(was.Body, now.Body))
	case was.State.Ended() && (now.State != was.State || !now.Ended.Equal(was.Ended) || now.By != was.By || now.Kept != was.Kept):
		t.Fatalf("an end was undone: %+v became %+v", was.Life, now.Life)
	case now.State == seam.Answered && len(now.Partial()) != len(now.Items):
		t.Fatalf("answered without answers: %+v", now.Items)
	case now.State.Ended() && len(now.Open()) > 0:
		t.Fatalf("ended with open questions: %+v", now.Items)
	case now.State == seam.Pending && len(now.Owners) > 0 && !(now.Detached.IsZero() && now.HandedOver.IsZero()):
		t.Fatalf("detached although somebody waits: %+v", now.Life)
	case now.State == seam.Pending && len(now.Owners) == 0 && now.Detached.IsZero() == now.HandedOver.IsZero():
		t.Fatalf("nobody waits, and it is not exactly one of detached and handed over: %+v", now.Life)
	}
	for i := range was.Items {
		a, b := was.Items[i], now.Items[i]
		if a.State != seam.ItemPending && (a.State != b.State || !a.Answer.Equal(b.Answer) || len(a.Votes) != len(b.Votes)) {
			t.Fatalf("a settled question changed: %+v became %+v", a, b)
		}
		if settled := b.State == seam.ItemAnswered || b.State == seam.ItemSkipped; settled && len(b.Winners()) < now.Plan.Need() {
			t.Fatalf("settled by %d of %d: %+v", len(b.Winners()), now.Plan.Need(), b)
		}
	}
}

func (m *model) create(t *rapid.T) {
	m.made++
	qs := []seam.Question{{ID: "q1", Text: pick(t, "text", "Deploy?", "Delete?"), Options: []seam.Option{{Label: "Yes"}, {Label: "No"}}}}
	if pick(t, "two", true, false) {
		qs = append(qs, seam.Question{ID: "q2", Text: "Why?"})
	}
	n := seam.New{
		Key: pick(t, "key", "", "", "k1", "k2"), Replica: pick(t, "replica", "A", "B"), Limit: pick(t, "limit", 0, 0, 3),
		Within: pick(t, "within", 0, 0, time.Minute, 30*time.Minute), JoinOnly: pick(t, "join only", false, false, false, true),
		Body: seam.Body{
			ID: fmt.Sprint("r", m.made), Questions: qs, Hash: seam.HashQuestions(qs), Plan: seam.Plan{Quorum: pick(t, "quorum", 0, 1, 2)},
			Caller: seam.Caller{Token: pick(t, "token", "ci", "cd"), Session: pick(t, "session", "", "", "s")},
		},
	}
	if pick(t, "default", false, true) {
		for _, q := range qs {
			n.Body.Default = append(n.Body.Default, seam.Answer{ID: q.ID, Selected: []string{}, Custom: "default"})
		}
	}
	var joined [2]bool
	i := 0
	rec, err := m.both(t, func(s storetest.Store) (rec seam.Record, err error) {
		rec, joined[i], err = s.Create(context.Background(), n)
		i++
		return rec, err
	})
	switch {
	case joined[0] != joined[1]:
		t.Fatalf("joined: memory %v, file %v", joined[0], joined[1])
	case err != nil:
	case !joined[0]:
		m.ids = append(m.ids, rec.ID)
	case rec.Caller.Token != n.Body.Caller.Token || rec.Hash != n.Body.Hash:
		t.Fatalf("joined a request of %s", rec.Caller.Token)
	}
}

func (m *model) settle(t *rapid.T) {
	id := m.id(t)
	items := len(m.known[id].Items)
	var votes []seam.Vote
	for n := 1; n <= items; n++ {
		if !pick(t, "vote", true, true, false) {
			continue
		}
		who := pick(t, "who", "ann", "bob", "cy")
		v := seam.Vote{N: n, Person: seam.Person{Answerer: "wall", ID: who}, Answer: seam.Answer{ID: fmt.Sprint("q", n), Selected: []string{}}}
		switch pick(t, "what", "Yes", "Yes", "No", "skip") {
		case "Yes":
			v.Answer.Selected = []string{"Yes"}
		case "No":
			v.Answer.Custom = "No, because"
		case "skip":
			v.Skip = true
		}
		// A press that is repeated says the same as before.
		v.Token = fmt.Sprintf("%s/%d/%s/%v/%d", id, n, who, v.Answer, rapid.IntRange(1, 2).Draw(t, "press"))
		votes = append(votes, v)
	}
	rec, err := m.both(t, func(s storetest.Store) (seam.Record, error) { return s.Settle(context.Background(), id, votes) })
	if errors.Is(err, seam.ErrNotFound) {
		return
	}
	for _, v := range votes {
		recorded := slices.ContainsFunc(rec.Items[v.N-1].Votes, func(w seam.Vote) bool { return w.Token == v.Token })
		switch {
		case err == nil && !recorded:
			t.Fatalf("%s was told that it was taken, and is not in the record", v.Token)
		case m.taken[v.Token] && !recorded:
			t.Fatalf("%s was taken and is lost", v.Token)
		case m.taken[v.Token] && err != nil && len(votes) == 1:
			t.Fatalf("%s was taken before and is now told %v", v.Token, err)
		case err == nil:
			m.taken[v.Token] = true
		}
	}
}

func (m *model) end(t *rapid.T) {
	id := m.id(t)
	e := seam.Ending{State: pick(t, "state", seam.Aborted, seam.Cancelled, seam.Failed), Alone: pick(t, "alone", "", "A")}
	_, _ = m.both(t, func(s storetest.Store) (seam.Record, error) { return s.End(context.Background(), id, e) })
}

func (m *model) hold(t *rapid.T) {
	id := m.id(t)
	h := seam.Hold{Replica: pick(t, "replica", "A", "B"), Kind: pick(t, "kind", seam.Attach, seam.Release, seam.HandOver)}
	_, _ = m.both(t, func(s storetest.Store) (seam.Record, error) { return s.Hold(context.Background(), id, h) })
}

func (m *model) place(t *rapid.T) {
	id := m.id(t)
	p := seam.Placement{
		N: rapid.IntRange(1, len(m.known[id].Items)).Draw(t, "n"), Answerer: pick(t, "answerer", "wall", "web"), Channel: "c",
		Message: pick(t, "message", "1", "2"), Drawn: seam.StageOpen, Moved: pick(t, "moved", false, false, true),
	}
	accepted := pick(t, "accepted", true, false)
	_, _ = m.both(t, func(s storetest.Store) (seam.Record, error) {
		return s.Place(context.Background(), id, []seam.Placement{p}, accepted)
	})
}

func (m *model) drawn(t *rapid.T) {
	id := m.id(t)
	rec := m.known[id]
	cards := rec.Stale()
	for i, p := range cards {
		cards[i].Drawn = rec.Stage(p)
	}
	_, _ = m.both(t, func(s storetest.Store) (seam.Record, error) { return s.Drawn(context.Background(), id, cards) })
}

func (m *model) deliver(t *rapid.T) {
	id := m.id(t)
	_, _ = m.both(t, func(s storetest.Store) (seam.Record, error) { return s.Deliver(context.Background(), id) })
}

func (m *model) offer(t *rapid.T) {
	id := m.id(t)
	o := seam.Offer{ID: pick(t, "offer", "o1", "o2"), Text: "well"}
	_, _ = m.both(t, func(s storetest.Store) (seam.Record, error) { return s.Offer(context.Background(), id, 1, o) })
}

func (m *model) lapse(t *rapid.T) {
	var hands [2][]seam.Record
	limit := rapid.IntRange(1, 5).Draw(t, "limit")
	beat := pick(t, "beat", "", "A", "B")
	for i, s := range []storetest.Store{m.mem, m.file} {
		if beat != "" {
			if err := s.Beat(context.Background(), beat, nil); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		if hands[i], err = s.Lapse(context.Background(), limit); err != nil || len(hands[i]) > limit {
			t.Fatalf("%d of %d records, %v", len(hands[i]), limit, err)
		}
	}
	if !same(hands[0], hands[1]) {
		t.Fatal(cmp.Diff(hands[0], hands[1]))
	}
	for _, rec := range hands[0] {
		m.see(t, rec)
		if len(rec.Stale()) == 0 && (rec.Placed || rec.State.Ended()) {
			t.Fatalf("given out although it needs no hand: %+v", rec.Life)
		}
	}
}

func (m *model) pass(t *rapid.T) {
	m.clock.Pass(pick(t, "time", time.Second, 5*time.Second, time.Minute, 10*time.Minute, time.Hour))
}

// check reads everything after each step.
func (m *model) check(t *rapid.T) {
	for _, id := range m.ids {
		if m.gone[id] {
			continue
		}
		_, err := m.both(t, func(s storetest.Store) (seam.Record, error) { return s.Get(context.Background(), id) })
		if was := m.known[id]; errors.Is(err, seam.ErrNotFound) && m.clock.Now().Before(was.Ended.Add(2*time.Hour-time.Millisecond)) {
			t.Fatalf("deleted before its time: %+v", was.Life)
		}
		m.gone[id] = errors.Is(err, seam.ErrNotFound)
	}
	for _, s := range []*store.Store{m.mem.Store, m.file.Store} {
		if faults := store.Audit(s); len(faults) > 0 {
			t.Fatalf("%q", faults)
		}
	}
}
