package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/askbridge/bridge/answerer"
	"github.com/askbridge/bridge/answerer/web"
	"github.com/askbridge/bridge/config"
	"github.com/askbridge/bridge/internal/policy"
	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
	"github.com/askbridge/bridge/store"
)

const (
	drainTime  = 20 * time.Second // for blocked calls to end and responses to be written
	headerTime = 10 * time.Second
	linkTime   = 10 * time.Minute
	localToken = "local" // the name of the ask-only token of the state directory
)

// records is what the process asks of a store; a test may put something between.
type records interface {
	seam.Store
	seam.Sweep
	seam.Agents
	answerer.Store
	tool.Requests
	tool.Log
	tool.Grants
}

// options of a process beside its configuration.
type options struct {
	log  *slog.Logger
	wrap func(records) records // nil = the store as it is
}

// process is the daemon: a value that listens when start returns and has gone when stop returns.
type process struct {
	cfg    config.Config
	log    *slog.Logger
	url    string
	tokens *tool.Tokens

	file   *store.Bolt
	store  records
	seam   *seam.Seam
	desk   *answerer.Desk
	door   *tool.HTTP
	inbox  *web.Inbox
	server *http.Server
	served chan error
	sweep  sync.WaitGroup
	halt   context.CancelCauseFunc
}

// start wires the rooms and listens. What it opened is closed again when it fails.
func start(cfg config.Config, opt options) (p *process, err error) {
	p = &process{cfg: cfg, log: opt.log, served: make(chan error, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	if err = os.MkdirAll(cfg.StateDir, 0o700); err != nil {
		return p, fmt.Errorf("state directory: %w", err)
	}
	if p.tokens, err = loadTokens(cfg.TokensFile); err != nil {
		return p, err
	}
	secret, err := p.localToken()
	if err != nil {
		return p, err
	}
	p.file, err = store.Open(store.Config{
		Path: cfg.StorePath, Grace: cfg.Grace, Handover: cfg.Handover, Retention: cfg.Retention, Log: p.log,
	})
	if err != nil {
		return p, err
	}
	if p.store = p.file; opt.wrap != nil {
		p.store = opt.wrap(p.file)
	}
	listener, err := listen(cfg.Listen)
	if err != nil {
		return p, err
	}
	p.url = "http://" + reachable(listener.Addr())
	p.wire(listener)
	return p, p.announce(secret)
}

func listen(at string) (net.Listener, error) {
	l, err := net.Listen("tcp", at)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use; is another daemon running? BRIDGE_LISTEN names another address", at)
	}
	return l, err
}

// reachable is the address by which this machine reaches a listener.
func reachable(a net.Addr) string {
	host, port, _ := net.SplitHostPort(a.String())
	if ip := net.ParseIP(host); ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// wire builds the rooms on top of the store and begins to serve.
func (p *process) wire(l net.Listener) {
	public := p.cfg.PublicURL
	if public == "" {
		public = p.url
	}
	host, _, _ := net.SplitHostPort(l.Addr().String())
	loopback := net.ParseIP(host).IsLoopback()
	metrics := newMetrics()

	late := &latePress{}
	p.inbox = web.New(web.Config{
		PublicURL: public, Locale: p.cfg.Locale, AllowedHosts: p.cfg.AllowedHosts, Loopback: loopback, Log: p.log,
	}, web.Ports{Desk: late, Requests: p.store, Log: p.store, Grants: p.store})
	p.desk = answerer.New(answerer.Config{Locale: p.cfg.Locale, Observer: metrics, Log: p.log}, p.store, p.inbox)
	late.Desk = p.desk
	surfaces := []string{p.inbox.Name()}
	if !p.cfg.Inbox {
		surfaces = nil
	}
	p.seam = seam.NewSeam(seam.Config{Linger: p.cfg.Linger, Limit: p.cfg.CallerOpen, Log: p.log}, seam.Ports{
		Store: p.store, Sweep: p.store, Agents: p.store, Desk: p.desk, Router: policy.Default(surfaces...), Observer: metrics,
	})
	p.door = tool.NewHTTP(tool.Config{PublicURL: public, Loopback: loopback, AllowedHosts: p.cfg.AllowedHosts, Log: p.log}, tool.Ports{
		Asker: p.seam, Requests: p.store, Log: p.store, Agents: p.store, Answers: p.desk, Grants: p.store, Tokens: p.tokens,
	})

	mux := http.NewServeMux()
	for _, path := range []string{"/v1/", "/healthz", "/readyz"} {
		mux.Handle(path, p.door)
	}
	mux.Handle("GET /metrics", p.door.Guard(metrics.handler(loopback, p.tokens)))
	if p.cfg.Inbox {
		mux.Handle("/", p.inbox)
	} else {
		mux.Handle("/", p.door)
	}
	p.server = &http.Server{
		Handler: mux, ReadHeaderTimeout: headerTime, ErrorLog: slog.NewLogLogger(p.log.Handler(), slog.LevelDebug),
	}
	ctx, halt := context.WithCancelCause(context.Background())
	p.halt = halt
	p.sweep.Go(func() { _ = p.seam.Run(ctx) }) // ends with halt alone
	go func() { p.served <- p.server.Serve(l) }()
}

// latePress breaks the circle of inbox and desk: the inbox is one of the desk's answerers and sends it presses.
type latePress struct{ *answerer.Desk }

// localToken is the ask-only token by which the command line on this machine finds the daemon: kept across restarts, so
// that a command that waits through one goes on.
func (p *process) localToken() (string, error) {
	raw, err := os.ReadFile(filepath.Join(p.cfg.StateDir, "token"))
	secret := strings.TrimSpace(string(raw))
	if err != nil || secret == "" {
		secret, _ = tool.NewToken()
	}
	err = p.tokens.Add(tool.Token{Name: localToken, Scopes: []tool.Scope{tool.ScopeAsk}, Hash: tool.HashSecret(secret)})
	if err != nil {
		return "", fmt.Errorf("the local token: %w", err)
	}
	return secret, nil
}

// announce tells the command line on this machine where the daemon is.
func (p *process) announce(secret string) error {
	if err := writeFile(filepath.Join(p.cfg.StateDir, "token"), secret); err != nil {
		return err
	}
	return writeFile(filepath.Join(p.cfg.StateDir, "url"), p.url)
}

// writeFile puts a line into a file that only its user may read, in one step.
func writeFile(path, line string) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // 0600
	if err != nil {
		return err
	}
	_, err = tmp.WriteString(line + "\n")
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(tmp.Name()))
	}
	return err
}

func loadTokens(path string) (*tool.Tokens, error) {
	if path == "" {
		return &tool.Tokens{}, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("tokens file: %w", err)
	}
	defer f.Close() //nolint:errcheck // read only
	tokens, err := tool.ParseTokens(f)
	if err != nil {
		return nil, fmt.Errorf("tokens file %s:\n%w", path, err)
	}
	return tokens, nil
}

// reload reads the tokens file again. An invalid one never replaces a valid one.
func (p *process) reload() {
	next, err := loadTokens(p.cfg.TokensFile)
	if err == nil {
		err = p.tokens.Replace(next)
	}
	if err != nil {
		p.log.Error("tokens file not reloaded, the former tokens stay in force", "error", err)
		return
	}
	p.log.Info("tokens file reloaded")
}

// signInLink makes a link by which a person signs in to the inbox, once.
func (p *process) signInLink(ctx context.Context, person string) (string, error) {
	code, _ := tool.NewToken()
	err := p.store.PutGrant(ctx, seam.Grant{
		Hash: tool.HashSecret(code), Person: person, Once: true, Expires: time.Now().Add(linkTime),
	})
	public := p.cfg.PublicURL
	if public == "" {
		public = p.url
	}
	return public + "/login?code=" + code, err
}

// stop ends the process in order: no new calls, presses under way finish, blocked calls get DRAINING, what is left
// waiting is recorded as detached.
func (p *process) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTime)
	defer cancel()
	p.door.Drain()
	p.inbox.Drain()
	err := errors.Join(p.seam.Drain(ctx), p.server.Shutdown(ctx))
	p.desk.Drain()
	return errors.Join(err, p.close())
}

// close ends what start began. The store goes last: until then everything may still be recorded.
func (p *process) close() (err error) {
	if p.server != nil {
		err = p.server.Close()
		p.halt(errStopped)
		p.sweep.Wait()
	}
	if p.file != nil {
		err = errors.Join(err, p.file.Close())
	}
	return err
}
