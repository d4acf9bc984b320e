package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	bolt "go.etcd.io/bbolt"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/store"
	"github.com/askbridge/bridge/store/storetest"
)

// daemon is a store on one file that is stopped and started.
type daemon struct {
	*store.Bolt
	t     *testing.T
	cfg   store.Config
	clock *storetest.Clock
}

func start(t *testing.T) *daemon {
	clock := storetest.NewClock()
	d := &daemon{t: t, clock: clock, cfg: store.Config{Path: filepath.Join(t.TempDir(), "state", "bridge.db"), Now: clock.Now}}
	d.Bolt = open(t, d.cfg)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func (d *daemon) restart() {
	d.t.Helper()
	if err := d.Close(); err != nil {
		d.t.Fatal(err)
	}
	d.Bolt = open(d.t, d.cfg)
}

func (d *daemon) must(rec seam.Record, err error) seam.Record {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
	return rec
}

func (d *daemon) ask(key string) seam.Record {
	d.t.Helper()
	rec, _, err := d.Create(d.t.Context(), ask(key))
	return d.must(rec, err)
}

func (d *daemon) place(id string) {
	d.t.Helper()
	card := seam.Placement{N: 1, Answerer: "wall", Channel: "c", Message: id, Drawn: seam.StageOpen}
	d.must(d.Place(d.t.Context(), id, []seam.Placement{card}, true))
}

func (d *daemon) read(id string) seam.Record {
	d.t.Helper()
	return d.must(d.Get(d.t.Context(), id))
}

func TestReopenKeepsEverything(t *testing.T) {
	d, ctx := start(t), t.Context()
	answered := d.ask("answered")
	answered = d.must(d.Settle(ctx, answered.ID, []seam.Vote{press("Yes", "p")}))
	agent, err := d.Register(ctx, seam.Agent{Token: "ci", Name: "bot"})
	if err != nil {
		t.Fatal(err)
	}
	grant := seam.Grant{Hash: "h", Person: "ann", Expires: d.clock.Now().Add(time.Hour).UTC()}
	if err := d.PutGrant(ctx, grant); err != nil {
		t.Fatal(err)
	}
	log, err := d.Tail(ctx, "0", 100)
	if err != nil {
		t.Fatal(err)
	}
	d.restart()
	if diff := cmp.Diff(answered, d.read(answered.ID)); diff != "" {
		t.Error(diff)
	}
	if rec, joined, err := d.Create(ctx, ask("answered")); err != nil || !joined || rec.ID != answered.ID {
		t.Error(joined, err)
	}
	if err := d.Check(ctx, seam.Caller{Token: "ci", Agent: agent.ID, Instance: agent.Instance}); err != nil {
		t.Error(err)
	}
	if got, err := d.Grant(ctx, "h"); err != nil || got != grant {
		t.Error(got, err)
	}
	again, err := d.Tail(ctx, "0", 100)
	if err != nil || len(again) != len(log)+1 { // the replay
		t.Fatalf("%+v %v", again, err)
	}
	if diff := cmp.Diff(log, again[:len(log)]); diff != "" {
		t.Error(diff)
	}
}

func TestReopenDetachesWhatTheFormerProcessWaitedFor(t *testing.T) {
	d, ctx := start(t), t.Context()
	posted, unposted, handed := d.ask("posted"), d.ask("unposted"), d.ask("handed over")
	d.place(posted.ID)
	d.place(handed.ID)
	d.must(d.Hold(ctx, posted.ID, seam.Hold{Replica: "another", Kind: seam.Attach}))
	d.must(d.Hold(ctx, handed.ID, seam.Hold{Replica: "child", Kind: seam.HandOver}))
	d.clock.Pass(time.Second)
	d.restart()
	for _, id := range []string{posted.ID, unposted.ID} {
		rec := d.read(id)
		if want := d.clock.Now().UTC().Truncate(time.Millisecond); len(rec.Owners) != 0 || rec.Detached != want {
			t.Errorf("%+v", rec.Life)
		}
	}
	if rec := d.read(handed.ID); !rec.Detached.IsZero() || rec.HandedOver.IsZero() {
		t.Errorf("%+v", rec.Life)
	}
	// Its caller is back before the sweep: what was never posted is posted all the same, at once.
	d.ask("unposted")
	recs, err := d.Lapse(ctx, 10)
	if err != nil || len(recs) != 1 || recs[0].ID != unposted.ID || recs[0].Placed {
		t.Errorf("%+v %v", recs, err)
	}
}

func TestReopenWithMoreThanOneBatchOfWaiters(t *testing.T) {
	d := start(t)
	const n = 1100
	var ids sync.Map
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			rec, _, err := d.Create(context.Background(), ask(fmt.Sprint(i)))
			if err != nil {
				t.Error(err)
			}
			ids.Store(rec.ID, true)
		})
	}
	wg.Wait()
	d.restart()
	ids.Range(func(id, _ any) bool {
		if rec := d.read(id.(string)); len(rec.Owners) != 0 || rec.Detached.IsZero() {
			t.Errorf("%+v", rec.Life)
		}
		return !t.Failed()
	})
}

func TestReopenWithOtherDurations(t *testing.T) {
	d, ctx := start(t), t.Context()
	d.cfg.Grace = time.Minute
	d.restart()
	rec := d.ask("k")
	d.place(rec.ID)
	d.must(d.Hold(ctx, rec.ID, seam.Hold{Replica: "child", Kind: seam.Release}))
	d.must(d.Drawn(ctx, rec.ID, []seam.Placement{{
		N: 1, Answerer: "wall", Channel: "c", Message: rec.ID, Drawn: seam.StageDetached,
	}}))
	d.cfg.Grace = time.Hour
	d.restart()
	sweep := func(after time.Duration, want seam.State) {
		t.Helper()
		d.clock.Pass(after)
		for range 3 {
			if _, err := d.Lapse(ctx, 10); err != nil {
				t.Fatal(err)
			}
		}
		if got := d.read(rec.ID).State; got != want {
			t.Errorf("%s after %v, want %s", got, after, want)
		}
	}
	sweep(time.Minute, seam.Pending)
	sweep(time.Hour, seam.Abandoned)
}

func TestFileIsPrivate(t *testing.T) {
	d := start(t)
	for path, want := range map[string]os.FileMode{d.cfg.Path: 0o600, filepath.Dir(d.cfg.Path): 0o700} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %v", path, info.Mode(), err, want)
		}
	}
}

func TestUnknownLayout(t *testing.T) {
	d := start(t)
	edit(t, d, func(tx *bolt.Tx) error { return tx.Bucket([]byte("meta")).Put([]byte("layout"), []byte("99")) })
	_, err := store.Open(d.cfg)
	if err == nil || !strings.Contains(err.Error(), "layout 99") || !strings.Contains(err.Error(), d.cfg.Path) {
		t.Errorf("%v", err)
	}
}

// A record that cannot be read is reported and left alone; the sweep goes on with the others.
func TestSweepPassesABadRecord(t *testing.T) {
	d, ctx := start(t), t.Context()
	bad, good := d.ask("bad"), d.ask("good")
	for _, rec := range []seam.Record{bad, good} {
		d.must(d.Hold(ctx, rec.ID, seam.Hold{Replica: "child", Kind: seam.Release}))
	}
	waited := d.ask("waited for")
	edit(t, d, func(tx *bolt.Tx) error {
		b := tx.Bucket([]byte("lives"))
		return errors.Join(b.Put([]byte(bad.ID), []byte("{")), b.Put([]byte(waited.ID), []byte("{")))
	})
	var said bytes.Buffer
	d.cfg.Log = slog.New(slog.NewTextHandler(&said, nil))
	d.Bolt = open(t, d.cfg)
	d.clock.Pass(15 * time.Minute)
	for range 3 {
		if _, err := d.Lapse(ctx, 10); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.read(good.ID).State; got != seam.Abandoned {
		t.Errorf("the good one is %s", got)
	}
	for _, id := range []string{bad.ID, waited.ID} {
		if _, err := d.Get(ctx, id); !errors.Is(err, seam.ErrStore) {
			t.Errorf("%v", err)
		}
		// Once where it is owned and once where it is due; each report names it twice.
		if n := strings.Count(said.String(), id); n == 0 || n > 4 {
			t.Errorf("%s was reported %d times:\n%s", id, n, said.String())
		}
	}
}

// edit changes the file of a daemon behind its back, and leaves it closed.
func edit(t *testing.T, d *daemon, change func(*bolt.Tx) error) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bolt.Open(d.cfg.Path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Update(change), db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestFileThatIsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bridge.db")
	if err := os.WriteFile(path, []byte(strings.Repeat("no database ", 4096)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(store.Config{Path: path}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
	if _, err := store.Open(store.Config{Path: filepath.Join(path, "below", "a-file")}); err == nil {
		t.Error("a directory below a file")
	}
}

// One bad operation of a batch fails alone, though all share a transaction.
func TestBadOperationFailsAlone(t *testing.T) {
	d := start(t)
	const n = 200
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			bad := ask(fmt.Sprint("bad-", i))
			bad.Body.ID = strings.Repeat("x", 40_000)
			if _, _, err := d.Create(context.Background(), bad); !errors.Is(err, seam.ErrStore) {
				t.Errorf("a key that is too long: %v", err)
			}
		})
		wg.Go(func() {
			if _, _, err := d.Create(context.Background(), ask(fmt.Sprint("good-", i))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	recs, _, err := d.List(t.Context(), seam.Query{Status: seam.Pending, Limit: 200})
	if err != nil || len(recs) != n {
		t.Errorf("%d of %d were stored, %v", len(recs), n, err)
	}
	log, err := d.Tail(t.Context(), "0", 10*n)
	if err != nil || len(log) != n {
		t.Errorf("%d log entries, want %d (%v)", len(log), n, err)
	}
	if _, _, err := d.Create(t.Context(), ask("bad-0")); err != nil {
		t.Error("a refused request left its key behind:", err)
	}
}

// A settle that takes longer than its press is willing to wait still wakes who waits for it.
func TestLateSettleIsTold(t *testing.T) {
	d := start(t)
	var mu sync.Mutex
	told := map[string]chan struct{}{}
	d.Watch(func(rec seam.Record) {
		mu.Lock()
		defer mu.Unlock()
		if ch := told[rec.ID]; ch != nil && rec.State.Ended() {
			close(ch)
			delete(told, rec.ID)
		}
	})
	for i := range 50 {
		rec := d.ask(fmt.Sprint(i))
		ch := make(chan struct{})
		mu.Lock()
		told[rec.ID] = ch
		mu.Unlock()
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		if _, err := d.Settle(ctx, rec.ID, []seam.Vote{press("Yes", fmt.Sprint("p", i))}); err != nil && !errors.Is(err, seam.ErrStore) {
			t.Fatal(err)
		}
		if d.must(d.Settle(t.Context(), rec.ID, []seam.Vote{press("Yes", fmt.Sprint("p", i))})).State != seam.Answered {
			t.Fatal("not settled")
		}
		<-ch
	}
}

// Started and stopped by many at once, with calls under way: each call is either carried out or told that it was not.
func TestStartStop(t *testing.T) {
	d := start(t)
	for round := range 10 {
		var wg sync.WaitGroup
		var mu sync.Mutex
		var stored []string
		begin := make(chan struct{})
		for i := range 40 {
			wg.Go(func() {
				<-begin
				rec, _, err := d.Create(context.Background(), ask(fmt.Sprint(round, "-", i)))
				switch {
				case err == nil:
					mu.Lock()
					stored = append(stored, rec.ID)
					mu.Unlock()
				case !errors.Is(err, seam.ErrStore):
					t.Error(err)
				}
			})
		}
		for range 5 {
			wg.Go(func() {
				<-begin
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		close(begin)
		wg.Wait()
		d.Bolt = open(t, d.cfg)
		for _, id := range stored {
			d.read(id)
		}
	}
	if recs, _, err := d.List(t.Context(), seam.Query{Limit: 200}); err != nil || !slices.IsSortedFunc(recs, func(a, b seam.Record) int {
		return b.Created.Compare(a.Created)
	}) {
		t.Error("order lost", err)
	}
}
