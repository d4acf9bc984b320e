package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

// TestMain makes the program itself a command of the scripts, a second one that kills itself where it is told to, and a
// third whose store takes nothing.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"bridge": main, "bridge-crash": crashMain, "bridge-full": fullMain})
}

// fullMain is the program with a daemon whose store takes no request.
func fullMain() { os.Exit(run(func(r records) records { return full{r} })) }

type full struct{ records }

func (full) Create(context.Context, seam.New) (seam.Record, bool, error) {
	return seam.Record{}, false, seam.ErrStore
}

// people are the tokens of every test: their secrets are their names doubled.
var people = []struct{ name, scope string }{{"ci", "ask"}, {"cd", "ask"}, {"ann", "answer"}, {"bob", "answer"}, {"ops", "admin"}}

func secretOf(name string) string { return name + "-" + name }

func tokensFile() string {
	var b strings.Builder
	for _, p := range people {
		sum := sha256.Sum256([]byte(secretOf(p.name)))
		fmt.Fprintln(&b, p.name, p.scope, hex.EncodeToString(sum[:]))
	}
	return b.String()
}

// environ is that of a daemon and its callers below a directory, and nothing else.
func environ(dir string) []string {
	env := []string{
		"HOME=" + dir, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir, "BRIDGE_STATE_DIR=" + filepath.Join(dir, "state"),
		"BRIDGE_LISTEN=127.0.0.1:0", "BRIDGE_TOKENS_FILE=" + filepath.Join(dir, "tokens"),
	}
	for _, p := range people {
		env = append(env, strings.ToUpper(p.name)+"="+secretOf(p.name))
	}
	return env
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			for _, kv := range environ(env.WorkDir) {
				name, value, _ := strings.Cut(kv, "=")
				env.Setenv(name, value)
			}
			return os.WriteFile(filepath.Join(env.WorkDir, "tokens"), []byte(tokensFile()), 0o600)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"ready": scriptReady, "open": scriptOpen, "becomes": scriptBecomes, "code": scriptCode, "says": scriptSays,
		},
	})
}

// until tries again and again, for at most half a minute.
func until(ok func() bool) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(30 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-limit:
			return false
		}
	}
	return true
}

// scriptClient speaks to the daemon of a script as an admin.
func scriptClient(state string, name string) *tool.Client {
	return &tool.Client{Endpoint: func() (string, string, error) {
		url, err := line(filepath.Join(state, "url"))
		return url, secretOf(name), err
	}}
}

func isReady(state string) bool {
	url, err := line(filepath.Join(state, "url"))
	if err != nil {
		return false
	}
	resp, err := http.Get(url + "/readyz")
	if err != nil {
		return false
	}
	return resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
}

// ready waits for the daemon.
func scriptReady(ts *testscript.TestScript, _ bool, _ []string) {
	if !until(func() bool { return isReady(ts.Getenv("BRIDGE_STATE_DIR")) }) {
		ts.Fatalf("the daemon is not ready")
	}
}

// open N VAR waits until N requests are pending and puts the newest id into VAR.
func scriptOpen(ts *testscript.TestScript, _ bool, args []string) {
	c := scriptClient(ts.Getenv("BRIDGE_STATE_DIR"), "ops")
	var page tool.List
	ok := until(func() (ok bool) {
		page, _ = c.List(context.Background(), seam.Query{Status: seam.Pending})
		return fmt.Sprint(len(page.Requests)) == args[0]
	})
	if !ok {
		ts.Fatalf("%d requests are pending, want %s", len(page.Requests), args[0])
	}
	if len(args) > 1 {
		ts.Setenv(args[1], page.Requests[0].Request)
	}
}

// becomes ID STATE waits until a request is in a state, or detached.
func scriptBecomes(ts *testscript.TestScript, _ bool, args []string) {
	c := scriptClient(ts.Getenv("BRIDGE_STATE_DIR"), "ops")
	var r tool.Request
	ok := until(func() bool {
		r, _ = c.Get(context.Background(), args[0], 0)
		return string(r.Status) == args[1] || args[1] == "detached" && r.Detached
	})
	if !ok {
		ts.Fatalf("%s is %s (detached: %v), want %s", args[0], r.Status, r.Detached, args[1])
	}
}

// says FILE PATTERN waits until a file that a process writes holds a match.
func scriptSays(ts *testscript.TestScript, _ bool, args []string) {
	pattern := regexp.MustCompile(args[1])
	var raw []byte
	ok := until(func() bool {
		raw, _ = os.ReadFile(ts.MkAbs(args[0]))
		return pattern.Match(raw)
	})
	if !ok {
		ts.Fatalf("%s does not say %s:\n%s", args[0], pattern, raw)
	}
}

// code N COMMAND… runs a command that has to end with exit code N.
func scriptCode(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	if e, ok := err.(interface{ ExitCode() int }); ok {
		got = e.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if fmt.Sprint(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}
