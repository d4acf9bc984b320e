package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/askbridge/bridge/config"
)

// local is the configuration of a process below a directory, with the tokens of every test.
func local(t *testing.T, dir string) config.Config {
	t.Helper()
	cfg := config.Local(filepath.Join(dir, "state"))
	cfg.TokensFile = filepath.Join(dir, "tokens")
	if err := os.WriteFile(cfg.TokensFile, []byte(tokensFile()), 0o600); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestNothingIsLeftBehind: a process that is stopped while calls block and streams are open takes every goroutine along.
func TestNothingIsLeftBehind(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Run("process", func(t *testing.T) {
		b := bed(t, nil)
		id, got := b.ask(asks(single))
		events, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+"/v1/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		events.Header.Set("Authorization", "Bearer "+secretOf("ann"))
		resp, err := http.DefaultClient.Do(events)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp, err)
		}
		defer resp.Body.Close() //nolint:errcheck // a stream that is cut
		ann, _ := b.browser("ann")
		defer ann.client.CloseIdleConnections()
		live, err := ann.client.Get(b.url + "/live")
		if err != nil || live.StatusCode != http.StatusOK {
			t.Fatal(live, err)
		}
		defer live.Body.Close() //nolint:errcheck // a stream that is cut
		waits := make(chan response, 1)
		go func() { waits <- b.do("ci", http.MethodGet, "/v1/requests/"+id+"?wait=5m", "") }()
		if err := b.stop(); err != nil { // also where it waited in vain for a stream
			t.Error("stop:", err)
		}
		if r := <-got; r.field("code") != "DRAINING" {
			t.Error("the blocked ask:", r)
		}
		<-waits // refused or drained: it has ended
		b.process = nil
	})
	http.DefaultClient.CloseIdleConnections()
	goleak.VerifyNone(t, before)
}

// TestStateDirectory: only its user reads it, the local token stays the same, and one process at a time has it.
func TestStateDirectory(t *testing.T) {
	cfg := local(t, t.TempDir())
	read := func(name string) string {
		s, err := line(filepath.Join(cfg.StateDir, name))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	run := func() *process {
		p, err := start(cfg, options{log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := run()
	token := read("token")
	if read("url") != p.url {
		t.Errorf("%s, want %s", read("url"), p.url)
	}
	for name, want := range map[string]fs.FileMode{".": 0o700, "token": 0o600, "url": 0o600, "bridge.db": 0o600} {
		info, err := os.Stat(filepath.Join(cfg.StateDir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %v", name, info.Mode(), err, want)
		}
	}
	if files, err := os.ReadDir(cfg.StateDir); err != nil || len(files) != 3 {
		t.Errorf("%v %v: a file was left lying about", files, err)
	}
	if err := p.stop(); err != nil {
		t.Fatal(err)
	}
	p = run()
	if read("token") != token {
		t.Error("the local token is another one after a restart")
	}
	if err := p.stop(); err != nil {
		t.Fatal(err)
	}
}

// notes is a log that is kept.
type notes struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (n *notes) Write(p []byte) (int, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.buf.Write(p)
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.buf.String()
}

// TestLogsHoldNothing: on the finest level, through everything that goes well and much that does not, no token, no
// question and no answer is logged.
func TestLogsHoldNothing(t *testing.T) {
	cfg := local(t, t.TempDir())
	cfg.Linger = 50 * time.Millisecond
	var log notes
	p, err := start(cfg, options{log: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	b := &testbed{p, t}
	const asked = `{"id":"hush-id","header":"hush-header","question":"hush-question","detail":"hush-detail","options":[{"label":"hush-label","description":"hush-description"}]}`
	id, got := b.ask(asks(asked, free))
	b.answer(id, `{"answers":[{"id":"hush-id","selected":["hush-wrong"]}]}`)
	b.answer(id, `{"answers":[{"id":"hush-id","custom":"hush-custom"}]}`)
	b.answer(id, `{"answers":[{"id":"hush-id","custom":"hush-late"}]}`)
	b.answer(id, `{"answers":[{"id":"f","custom":"hush-free"}]}`)
	<-got
	b.do("ci", http.MethodPost, "/v1/ask", `{"questions":"hush-malformed`)
	b.do("hush-token", http.MethodPost, "/v1/ask", asks(asked))
	link, err := b.signInLink(t.Context(), "ann")
	if err != nil {
		t.Fatal(err)
	}
	b.do("", http.MethodGet, strings.TrimPrefix(link, b.url), "")
	b.do("", http.MethodPost, "/v1/logins/redeem", `{"code":"hush-code"}`)
	ctx, hangUp := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() { _, err := b.call(ctx, "ci", http.MethodPost, "/v1/ask", asks(asked)); gone <- err }()
	if !until(func() bool { return len(b.ids()) == 2 }) {
		t.Fatal("not asked")
	}
	hangUp()
	<-gone
	if !until(func() bool {
		return b.do("ops", http.MethodGet, "/v1/requests/"+b.ids()[0], "").field("detached") == "true"
	}) {
		t.Fatal("not detached")
	}
	if err := os.WriteFile(cfg.TokensFile, []byte("ci ask hush-hash\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.reload()
	if err := p.stop(); err != nil {
		t.Fatal(err)
	}
	http.DefaultClient.CloseIdleConnections()
	all := log.String()
	if !strings.Contains(all, "tokens file not reloaded") {
		t.Fatalf("this is not the log:\n%s", all)
	}
	_, code, _ := strings.Cut(link, "code=")
	secrets := []string{"hush", code, secretOf("ci"), secretOf("ann"), secretOf("ops")}
	for _, secret := range secrets {
		if strings.Contains(all, secret) {
			t.Errorf("%q is in the log:\n%s", secret, all)
		}
	}
	if raw, err := os.ReadFile(filepath.Join(cfg.StateDir, "token")); err != nil || strings.Contains(all, strings.TrimSpace(string(raw))) {
		t.Error("the local token is in the log", err)
	}
}

// TestFailedStartLeavesNothing: what was opened on the way is closed again, so that the next start has it.
func TestFailedStartLeavesNothing(t *testing.T) {
	before := goleak.IgnoreCurrent()
	cfg := local(t, t.TempDir())
	taken := bed(t, nil)
	cfg.Listen = strings.TrimPrefix(taken.url, "http://")
	if _, err := start(cfg, options{log: slog.New(slog.DiscardHandler)}); err == nil || strings.Contains(err.Error(), "\n") ||
		!strings.Contains(err.Error(), fmt.Sprint(cfg.Listen, " is in use")) {
		t.Fatalf("%v, want one line about the port", err)
	}
	if err := taken.stop(); err != nil {
		t.Fatal(err)
	}
	taken.process = nil
	p, err := start(cfg, options{log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal("the port and the store are free again:", err)
	}
	if err := p.stop(); err != nil {
		t.Fatal(err)
	}
	http.DefaultClient.CloseIdleConnections()
	goleak.VerifyNone(t, before)
}
