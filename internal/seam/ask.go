package seam

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// Config of the seam. The zero value works.
type Config struct {
	Replica string           // id of this process among its peers; "" = random
	Linger  time.Duration    // how long a lost connection may come back before the request counts as detached; 0 = LINGER's default
	Limit   int              // open requests per token; 0 = no limit
	Now     func() time.Time // nil = time.Now
	Log     *slog.Logger     // nil = none
}

// Ports are the rooms that the seam calls.
type Ports struct {
	Store    Store
	Sweep    Sweep
	Agents   Agents
	Desk     Desk
	Router   Router
	Observer Observer // nil = none
}

// DefaultLinger is LINGER where nothing else is configured.
const DefaultLinger = 60 * time.Second

const (
	cleanup = 5 * time.Second  // for what must happen although its caller has gone
	posting = 60 * time.Second // for posting all cards of one request
)

// Seam takes requests from a door to their end.
type Seam struct {
	cfg   Config
	ports Ports
	hub   *hub
	calls *calls
}

// NewSeam makes a seam. Run keeps its schedule; without it nothing ever lapses.
func NewSeam(cfg Config, ports Ports) *Seam {
	if cfg.Replica == "" {
		cfg.Replica = "p_" + random128()
	}
	if cfg.Linger <= 0 {
		cfg.Linger = DefaultLinger
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if ports.Observer == nil {
		ports.Observer = deaf{}
	}
	s := &Seam{cfg: cfg, ports: ports, hub: newHub(), calls: newCalls()}
	ports.Sweep.Watch(s.hub.wake)
	return s
}

type deaf struct{}

func (deaf) Observe(Event) {}

// Ask takes one request to its end and blocks until then: answered, or expired with its default. Every other ending is
// an *Error with the code of the ending. After r.Wait it comes back with a pending record, handed over.
//
// The checks come in this order, before anything is stored or posted: aborted, empty, shape, caller, intent, limit,
// store. How the call ends early is told by context.Cause(ctx): ErrAborted is the caller's explicit abort; anything else
// is a connection that was lost, which keeps the request.
func (s *Seam) Ask(ctx context.Context, r Request) (Outcome, error) {
	if !s.calls.enter() {
		return Outcome{}, ErrDraining
	}
	defer s.calls.leave()
	if ctx.Err() != nil {
		return Outcome{}, ErrAborted.From(context.Cause(ctx))
	}
	n, refused := s.check(r)
	if refused != nil && !n.JoinOnly {
		return Outcome{}, refused
	}
	if err := CheckIntent(r.Questions); err != nil {
		// The caller is judged before the intent, by the store; here nothing will be stored.
		if bad := s.ports.Agents.Check(ctx, r.Caller); bad != nil && !errors.Is(bad, ErrStore) {
			return Outcome{}, bad
		}
		return Outcome{}, err
	}
	out, err := s.ask(ctx, n, r.Wait)
	if refused != nil && errors.Is(err, ErrNotFound) {
		return Outcome{}, refused
	}
	return out, err
}

// check judges the request as far as that needs no store. A request with faults only in what a joiner need not bring may
// still join: JoinOnly.
func (s *Seam) check(r Request) (New, error) {
	now := s.cfg.Now()
	shape := CheckShape(r, now)
	if e, bad := AsError(shape); bad && e.Code == ErrEmptyQuestions {
		return New{}, shape
	}
	plan, routed := s.ports.Router.Plan(r)
	def, illegal := checkDefault(r, routed != nil || s.ports.Router.Defaults(plan.Route))
	var all faults
	for _, err := range []error{shape, routed, illegal} {
		if e, bad := AsError(err); bad && e.Code == ErrInvalidQuestions {
			all = append(all, e.Faults...)
		}
	}
	n := New{Key: r.Key, Within: r.Within, Replica: s.cfg.Replica, Limit: s.cfg.Limit, Body: Body{
		ID: NewRequestID(), Caller: r.Caller, Questions: r.Questions, Hash: HashQuestions(r.Questions),
		Plan: plan, Default: def, Deadline: r.Deadline,
	}}
	err := all.err(ErrInvalidQuestions)
	if err == nil {
		err = routed // FORBIDDEN
	}
	n.JoinOnly = err != nil && all.onlyAsNew() && (r.Key != "" || r.Caller.Session != "")
	return n, err
}

func (s *Seam) ask(ctx context.Context, n New, wait time.Duration) (Outcome, error) {
	g := s.hub.join(n.Body.ID, n.Body.Caller)
	rec, joined, err := s.ports.Store.Create(ctx, n)
	if joined || err != nil {
		// A store that did not answer may have stored it all the same: once it is back, what nobody waits for is aborted.
		s.hub.leave(n.Body.ID, g, n.Body.Caller, departure{how: abort, at: s.cfg.Now()})
		if !errors.Is(err, ErrStore) {
			s.hub.forget(n.Body.ID, g)
		}
	}
	if err != nil {
		if errors.Is(context.Cause(ctx), ErrAborted) {
			return Outcome{}, ErrAborted.From(err)
		}
		return Outcome{}, err
	}
	if joined {
		s.observe(Event{Name: "joined", Request: rec.ID, Result: string(rec.State)})
		return s.join(ctx, rec, n.Body.Caller, wait)
	}
	s.observe(Event{Name: "asked", Request: rec.ID})
	s.background(posting, func(ctx context.Context) { s.present(ctx, rec) })
	return s.wait(ctx, rec.ID, g, n.Body.Caller, wait)
}

// Wait joins a request by its id, as the token that asked it. wait 0 is without limit; after it the request is handed
// over again. A request that has ended comes back at once.
func (s *Seam) Wait(ctx context.Context, id, token string, wait time.Duration) (Outcome, error) {
	if !s.calls.enter() {
		return Outcome{}, ErrDraining
	}
	defer s.calls.leave()
	rec, err := s.own(ctx, id, token)
	if err != nil {
		return Outcome{}, err
	}
	out, err := s.join(ctx, rec, Caller{Token: token}, wait)
	out.Replayed = time.Time{}
	return out, err
}

func (s *Seam) own(ctx context.Context, id, token string) (Record, error) {
	rec, err := s.ports.Store.Get(ctx, id)
	if err == nil && token != "" && rec.Caller.Token != token {
		return Record{}, ErrNotFound
	}
	return rec, err
}

// join waits for a standing request.
func (s *Seam) join(ctx context.Context, rec Record, c Caller, wait time.Duration) (Outcome, error) {
	if rec.State.Ended() {
		out, err := outcome(rec)
		out.Replayed = rec.Ended
		return out, err
	}
	id := rec.ID
	g := s.hub.join(id, c)
	// Counted in first, then told: an end between the two is in what the store returns, a departure of the waiter before
	// us is undone by it.
	rec, err := s.ports.Store.Hold(ctx, id, Hold{Replica: s.cfg.Replica, Kind: Attach})
	if err != nil {
		s.hub.leave(id, g, c, departure{how: lost, at: s.cfg.Now()})
		return Outcome{}, err
	}
	s.hub.wake(rec)
	return s.wait(ctx, id, g, c, wait)
}

// wait blocks until the request has ended or the caller goes.
func (s *Seam) wait(ctx context.Context, id string, g *group, c Caller, limit time.Duration) (Outcome, error) {
	var over <-chan time.Time
	if limit > 0 {
		t := time.NewTimer(limit)
		defer t.Stop()
		over = t.C
	}
	d, err := departure{}, error(nil)
	select {
	case <-g.ended:
	case <-over:
		d = departure{how: handover}
	case <-ctx.Done():
		if err = context.Cause(ctx); errors.Is(err, ErrAborted) {
			d = departure{how: abort}
		} else {
			d = departure{how: lost}
		}
	case <-s.calls.draining:
		d, err = departure{how: drain}, &Error{Code: ErrDraining, Request: id}
	}
	select { // an end that has come beats whatever else has
	case <-g.ended:
		s.hub.leave(id, g, c, d)
		return outcome(g.rec)
	default:
	}
	d.at = s.cfg.Now()
	if d.how == lost {
		d.at = d.at.Add(s.cfg.Linger)
	}
	others := s.hub.leave(id, g, c, d)
	return s.gone(ctx, id, d, others, err)
}

// gone is the end of a call whose request goes on, or which aborts it.
func (s *Seam) gone(ctx context.Context, id string, d departure, others bool, cause error) (Outcome, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanup)
	defer cancel()
	switch d.how {
	case abort:
		if others {
			return Outcome{}, &Error{Code: ErrAborted, Request: id}
		}
		rec, err := s.depart(ctx, id, d)
		if err != nil || !rec.State.Ended() {
			return Outcome{}, &Error{Code: ErrAborted, Request: id, Cause: err}
		}
		return outcome(rec) // an abort bows to the winner
	case handover:
		read := s.ports.Store.Get
		if !others {
			read = func(ctx context.Context, id string) (Record, error) { return s.depart(ctx, id, d) }
		}
		rec, err := read(ctx, id)
		if err != nil {
			return Outcome{}, &Error{Code: ErrStore, Request: id, Cause: err}
		}
		return outcome(rec)
	}
	return Outcome{}, cause // lost, drain
}

// Abort ends a request on the word of the token that asked it; token "" is an admin's word. A request that has ended
// stays as it is.
func (s *Seam) Abort(ctx context.Context, id, token string) (Record, error) {
	rec, err := s.own(ctx, id, token)
	if err != nil || rec.State.Ended() {
		return rec, err
	}
	rec, err = s.ports.Store.End(ctx, id, Ending{State: Aborted})
	if err == nil {
		s.ended(rec)
	}
	return rec, err
}

// Delivered records that the asking token got the answer in full.
func (s *Seam) Delivered(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanup)
	defer cancel()
	rec, err := s.ports.Store.Deliver(ctx, id)
	if err != nil {
		s.cfg.Log.Warn("delivery not recorded", "request", id, "error", err)
		return
	}
	s.redraw(rec)
}

// outcome is what a record means for the one who asked.
func outcome(rec Record) (Outcome, error) {
	code, failed := endings[rec.State]
	if rec.State == Expired && len(rec.Defaulted()) > 0 {
		failed = false
	}
	if rec.State == Failed {
		code = rec.Fail
	}
	if failed {
		return Outcome{Record: rec}, &Error{Code: code, Detail: rec.Why, Request: rec.ID, Partial: rec.Partial()}
	}
	return Outcome{Record: rec}, nil
}

var endings = map[State]Code{
	Cancelled: ErrCancelled, Aborted: ErrAborted, Expired: ErrExpired, Abandoned: ErrAbandoned, Failed: ErrDeliveryFailed,
}
