package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/store"
)

// crashFile names the store on which a copy of the test binary settles until it is killed.
const crashFile = "BRIDGE_TEST_CRASH_FILE"

// settleUntilKilled is the child of TestKill. Two people press different buttons on every request; each verdict is
// printed after the store has given it.
func settleUntilKilled() bool {
	path := os.Getenv(crashFile)
	if path == "" {
		return false
	}
	s, err := store.Open(store.Config{Path: path})
	if err != nil {
		fmt.Println("error", err)
		return true
	}
	var mu sync.Mutex
	say := func(words ...any) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Println(words...) // one write each: os.Stdout has no buffer
	}
	for worker := range 4 {
		go func() {
			for n := 0; ; n++ {
				settleOne(s, say, fmt.Sprint("key-", os.Getpid(), "-", worker, "-", n))
			}
		}()
	}
	select {}
}

func settleOne(s *store.Bolt, say func(...any), key string) {
	ctx := context.Background()
	rec, _, err := s.Create(ctx, ask(key))
	if err != nil {
		say("error", err)
		return
	}
	say("asked", rec.ID, key)
	var wg sync.WaitGroup
	for _, label := range []string{"Yes", "No"} {
		wg.Go(func() {
			_, err := s.Settle(ctx, rec.ID, []seam.Vote{press(label, label+key)})
			switch {
			case err == nil:
				say("won", rec.ID, label)
			case !errors.Is(err, seam.ErrAlreadySettled):
				say("error", err)
			}
		})
	}
	wg.Wait()
}

func ask(key string) seam.New {
	qs := []seam.Question{{ID: "q", Text: "Deploy?", Options: []seam.Option{{Label: "Yes"}, {Label: "No"}}}}
	return seam.New{Replica: "child", Key: key, Body: seam.Body{
		ID: seam.NewRequestID(), Caller: seam.Caller{Token: "ci"}, Questions: qs, Hash: seam.HashQuestions(qs),
	}}
}

func press(label, token string) seam.Vote {
	return seam.Vote{
		N: 1, Answer: seam.Answer{ID: "q", Selected: []string{label}},
		Person: seam.Person{Answerer: "wall", ID: label}, Token: token,
	}
}

// promises are what a killed process had said.
type promises struct{ asked, won map[string]string }

// listen reads what the child says until it is killed, after a number of lines that differs from round to round.
func listen(t *testing.T, out io.Reader, kill func(), p promises) {
	t.Helper()
	left := 20 + rand.IntN(400)
	for lines := bufio.NewScanner(out); lines.Scan(); left-- {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) == 3 && words[0] == "asked":
			p.asked[words[1]] = words[2]
		case len(words) == 3 && words[0] == "won":
			if other, twice := p.won[words[1]]; twice {
				t.Errorf("%s was won by %s and %s", words[1], other, words[2])
			}
			p.won[words[1]] = words[2]
		case len(words) > 0 && words[0] == "error":
			t.Errorf("child: %s", lines.Text())
		}
		if left == 0 {
			kill()
		}
	}
}

func TestKill(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "bridge.db")
	all := promises{map[string]string{}, map[string]string{}}
	for round := range 12 {
		now := promises{map[string]string{}, map[string]string{}}
		child := exec.CommandContext(t.Context(), exe)
		child.Env = append(os.Environ(), crashFile+"="+path)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		listen(t, out, func() { _ = child.Process.Kill() }, now)
		_ = child.Wait() // killed
		maps.Copy(all.asked, now.asked)
		maps.Copy(all.won, now.won)
		keepsPromises(t, path, all, now)
		if t.Failed() {
			t.Fatalf("round %d, %d asked, %d won", round, len(all.asked), len(all.won))
		}
	}
	if len(all.won) < 12 {
		t.Errorf("only %d requests were settled", len(all.won))
	}
}

// keepsPromises opens what a killed process left and holds it to what it and those before it said.
func keepsPromises(t *testing.T, path string, said, now promises) {
	t.Helper()
	s := open(t, store.Config{Path: path})
	defer s.Close()
	for id := range said.asked {
		rec, err := s.Get(t.Context(), id)
		if err != nil {
			t.Errorf("%s was acknowledged: %v", id, err)
			continue
		}
		if label, won := said.won[id]; won {
			w := rec.Items[0].Winners()
			if rec.State != seam.Answered || len(w) != 1 || w[0].Answer.Selected[0] != label {
				t.Errorf("%s was won by %s: %+v", id, label, rec.Life)
			}
		}
		if rec.State == seam.Pending && (rec.Detached.IsZero() || len(rec.Owners) != 0) {
			t.Errorf("%s still waits for a dead process: %+v", id, rec.Life)
		}
	}
	for id, key := range now.asked {
		if label, won := now.won[id]; won {
			if _, err := s.Settle(t.Context(), id, []seam.Vote{press(label, label+key)}); err != nil {
				t.Errorf("%s: the winner presses again and is told %v", id, err)
			}
		}
		if again, joined, err := s.Create(t.Context(), ask(key)); err != nil || !joined || again.ID != id {
			t.Errorf("%s lost its key: %v %v", id, joined, err)
		}
	}
}

func TestSecondProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bridge.db")
	s := open(t, store.Config{Path: path})
	start := time.Now()
	_, err := store.Open(store.Config{Path: path})
	if err == nil || !strings.Contains(err.Error(), "another process has "+path+" open") {
		t.Errorf("%v", err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("said so after %v", took)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := open(t, store.Config{Path: path}).Close(); err != nil {
		t.Fatal(err)
	}
}
