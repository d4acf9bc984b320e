package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

// crashAt names the step at which bridge-crash kills itself: an operation of the store, and the side of it.
const crashAt = "CRASH_AT"

// crashMain is the program with a daemon that kills itself, as kill -9 would, before or after a step.
func crashMain() {
	op, side, _ := strings.Cut(os.Getenv(crashAt), ".")
	os.Exit(run(func(r records) records { return &crashing{records: r, op: op, after: side == "after"} }))
}

// crashing dies at the first call of one operation.
type crashing struct {
	records
	op    string
	after bool
	died  atomic.Bool
}

func (c *crashing) at(op string, after bool) {
	if c.op == op && c.after == after && c.died.CompareAndSwap(false, true) {
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
		select {} // until the signal is there
	}
}

// around runs one operation between its two sides.
func around[T any](c *crashing, op string, f func() (T, error)) (T, error) {
	c.at(op, false)
	v, err := f()
	c.at(op, true)
	return v, err
}

func (c *crashing) Create(ctx context.Context, n seam.New) (rec seam.Record, joined bool, err error) {
	c.at("create", false)
	rec, joined, err = c.records.Create(ctx, n)
	c.at("create", true)
	return rec, joined, err
}

func (c *crashing) Place(ctx context.Context, id string, cards []seam.Placement, ok bool) (seam.Record, error) {
	return around(c, "place", func() (seam.Record, error) { return c.records.Place(ctx, id, cards, ok) })
}

func (c *crashing) Settle(ctx context.Context, id string, votes []seam.Vote) (seam.Record, error) {
	return around(c, "settle", func() (seam.Record, error) { return c.records.Settle(ctx, id, votes) })
}

func (c *crashing) Drawn(ctx context.Context, id string, cards []seam.Placement) (seam.Record, error) {
	return around(c, "drawn", func() (seam.Record, error) { return c.records.Drawn(ctx, id, cards) })
}

func (c *crashing) Deliver(ctx context.Context, id string) (seam.Record, error) {
	return around(c, "deliver", func() (seam.Record, error) { return c.records.Deliver(ctx, id) })
}

// Watch dies at a settle that has just been made durable, before anybody is woken.
func (c *crashing) Watch(changed func(seam.Record)) {
	c.records.Watch(func(rec seam.Record) {
		if rec.State == seam.Answered {
			c.at("wake", false)
		}
		changed(rec)
	})
}

// TestKill kills the daemon at each step of an ask while the call blocks, and starts it again. Nothing that was
// acknowledged is lost, the call comes back with the one answer, and there was one request.
func TestKill(t *testing.T) {
	var steps []string
	for _, op := range []string{"create", "place", "settle", "drawn", "deliver"} {
		steps = append(steps, op+".before", op+".after")
	}
	steps = append(steps, "wake.before")
	for len(steps) < 21 {
		steps = append(steps, fmt.Sprint("any.", len(steps))) // at any moment
	}
	for _, step := range steps {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			newCrime(t).round(step)
		})
	}
}

// crime is one round: a daemon that dies, one that takes over, an agent that waits, a person who answers.
type crime struct {
	t     *testing.T
	dir   string
	state string
	admin *tool.Client
	ann   *tool.Client
}

func newCrime(t *testing.T) *crime {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "tokens"), []byte(tokensFile()), 0o600); err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(dir, "state")
	return &crime{t: t, dir: dir, state: state, admin: scriptClient(state, "ops"), ann: scriptClient(state, "ann")}
}

func (c *crime) command(env string, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = append(environ(c.dir), "BRIDGE_LOG_LEVEL=error", env)
	return cmd
}

func (c *crime) round(step string) {
	t := c.t
	daemon := c.command(crashAt+"="+step, "bridge-crash", "serve")
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	if !until(func() bool { return isReady(c.state) }) {
		t.Fatal("the daemon is not ready")
	}
	if strings.HasPrefix(step, "any.") {
		time.AfterFunc(time.Duration(rand.IntN(400))*time.Millisecond, func() { _ = daemon.Process.Kill() })
	}

	var out, complaints bytes.Buffer
	agent := c.command("BRIDGE_TOKEN="+secretOf("ci"), "bridge", "ask", "--question", "Alive?", "--key", "k")
	agent.Stdout, agent.Stderr = &out, &complaints
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	acknowledged := make(chan string, 1)
	var person sync.WaitGroup
	person.Go(func() { acknowledged <- c.answer() })

	died := make(chan error, 1)
	go func() { died <- daemon.Wait() }()
	select {
	case <-died:
	case <-time.After(20 * time.Second):
		t.Error("the daemon did not die at this step")
		_ = daemon.Process.Kill()
		<-died
	}
	heir := c.command("", "bridge", "serve")
	heir.Stderr = os.Stderr
	if err := heir.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = heir.Process.Signal(os.Interrupt)
		if err := heir.Wait(); err != nil {
			t.Error("the daemon that took over:", err)
		}
	}()

	if !until(func() bool { return isReady(c.state) }) {
		t.Fatal("the daemon that took over is not ready")
	}
	if err := agent.Wait(); err != nil {
		t.Fatalf("ask: %v\n%s", err, &complaints)
	}
	person.Wait()
	said := <-acknowledged
	want := tool.ModelJSON([]seam.Answer{{ID: "q1", Custom: said}}) + "\n"
	if said == "" || out.String() != want {
		t.Fatalf("the person was told that %q is recorded, the agent got %s", said, &out)
	}
	page, err := c.admin.List(t.Context(), seam.Query{})
	if err != nil || len(page.Requests) != 1 || page.Requests[0].Status != seam.Answered {
		t.Fatalf("%v: %+v", err, page.Requests)
	}
	ok := until(func() bool { // every card is retired, by whoever is there; one answered before it was posted has none
		r, err := c.admin.Get(t.Context(), page.Requests[0].Request, 0)
		return err == nil && !slices.ContainsFunc(r.Placements, func(p tool.Placement) bool { return !p.Retired })
	})
	if !ok {
		t.Error("a live card was left behind")
	}
}

// answer is a person who answers as soon as there is a question, and presses again until they are told that it is
// recorded. It gives what they were told.
func (c *crime) answer() (said string) {
	for i := range 1000 {
		var page tool.List
		ok := until(func() bool {
			page, _ = c.ann.List(context.Background(), seam.Query{})
			return len(page.Requests) > 0
		})
		if !ok {
			return ""
		}
		said = fmt.Sprint("answer ", i)
		_, err := c.ann.Answer(context.Background(), seam.Submission{
			Request: page.Requests[0].Request, Token: fmt.Sprint("press ", i), Answers: []seam.Submitted{{ID: "q1", Custom: said}},
		})
		switch {
		case err == nil:
			return said
		case errors.Is(err, seam.ErrAlreadySettled):
			c.t.Error("a press that was not acknowledged was taken, and its repetition refused:", err)
			return ""
		}
	}
	return ""
}
