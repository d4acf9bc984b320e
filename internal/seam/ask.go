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
	w, out, err := s.begin(ctx, &r)
	if w == nil {
		return out, err
	}
	limit := r.Wait
	r = Request{} // a call that blocks for days holds no questions
	return s.finish(ctx, w, s.block(ctx, w, limit))
}

// waiter is a call that waits. What it needs is kept small: thousands may block for days, so their questions are left to
// the store and the frames below stay shallow enough for their stacks to shrink.
type waiter struct {
	id     string
	g      *group
	caller Caller
}

// begin checks a request and stores or joins it. Where there is nothing to wait for, it gives the outcome.
func (s *Seam) begin(ctx context.Context, r *Request) (*waiter, Outcome, error) {
	if ctx.Err() != nil {
		return nil, Outcome{}, ErrAborted.From(context.Cause(ctx))
	}
	n, refused := s.check(r)
	if refused != nil && !n.JoinOnly {
		return nil, Outcome{}, refused
	}
	if err := CheckIntent(r.Questions); err != nil {
		// The caller is judged before the intent, by the store; here nothing will be stored.
		if bad := s.ports.Agents.Check(ctx, r.Caller); bad != nil && !errors.Is(bad, ErrStore) {
			return nil, Outcome{}, bad
		}
		return nil, Outcome{}, err
	}
	w, out, err := s.create(ctx, n)
	if refused != nil && errors.Is(err, ErrNotFound) {
		err = refused
	}
	return w, out, err
}

// check judges the request as far as that needs no store. A request with faults only in what a joiner need not bring may
// still join: JoinOnly.
func (s *Seam) check(r *Request) (New, error) {
	now := s.cfg.Now()
	shape := CheckShape(*r, now)
	if e, bad := AsError(shape); bad && e.Code == ErrEmptyQuestions {
		return New{}, shape
	}
	plan, routed := s.ports.Router.Plan(*r)
	def, illegal := checkDefault(*r, routed != nil || s.ports.Router.Defaults(plan.Route))
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

func (s *Seam) create(ctx context.Context, n New) (*waiter, Outcome, error) {
	id, caller := n.Body.ID, n.Body.Caller
	g := s.hub.join(id, caller)
	rec, joined, err := s.ports.Store.Create(ctx, n)
	if joined || err != nil {
		// A store that did not answer may have stored it all the same: once it is back, what nobody waits for is aborted.
		s.hub.leave(id, g, caller, departure{how: abort, at: s.cfg.Now()})
		if !errors.Is(err, ErrStore) {
			s.hub.forget(id, g)
		}
	}
	switch {
	case err != nil && errors.Is(context.Cause(ctx), ErrAborted):
		return nil, Outcome{}, ErrAborted.From(err)
	case err != nil:
		return nil, Outcome{}, err
	case joined:
		s.observe(Event{Name: "joined", Request: rec.ID, Result: string(rec.State)})
		return s.join(ctx, rec, caller)
	}
	s.observe(Event{Name: "asked", Request: id})
	s.background(posting, func(ctx context.Context) { s.present(ctx, rec) })
	return &waiter{id, g, caller}, Outcome{}, nil
}

// Wait joins a request by its id, as the token that asked it. wait 0 is without limit; after it the request is handed
// over again. A request that has ended comes back at once.
func (s *Seam) Wait(ctx context.Context, id, token string, wait time.Duration) (Outcome, error) {
	if !s.calls.enter() {
		return Outcome{}, ErrDraining
	}
	defer s.calls.leave()
	w, out, err := s.beginWait(ctx, id, token)
	if w == nil {
		out.Replayed = time.Time{}
		return out, err
	}
	return s.finish(ctx, w, s.block(ctx, w, wait))
}

func (s *Seam) beginWait(ctx context.Context, id, token string) (*waiter, Outcome, error) {
	rec, err := s.own(ctx, id, token)
	if err != nil {
		return nil, Outcome{}, err
	}
	return s.join(ctx, rec, Caller{Token: token})
}

func (s *Seam) own(ctx context.Context, id, token string) (Record, error) {
	rec, err := s.ports.Store.Get(ctx, id)
	if err == nil && token != "" && rec.Caller.Token != token {
		return Record{}, ErrNotFound
	}
	return rec, err
}

// join counts a caller in among those who wait for a standing request.
func (s *Seam) join(ctx context.Context, rec Record, c Caller) (*waiter, Outcome, error) {
	if rec.State.Ended() {
		out, err := outcome(rec)
		out.Replayed = rec.Ended
		return nil, out, err
	}
	id := rec.ID
	g := s.hub.join(id, c)
	// Counted in first, then told: an end between the two is in what the store returns, a departure of the waiter before
	// us is undone by it.
	rec, err := s.ports.Store.Hold(ctx, id, Hold{Replica: s.cfg.Replica, Kind: Attach})
	if err != nil {
		s.hub.leave(id, g, c, departure{how: lost, at: s.cfg.Now()})
		return nil, Outcome{}, err
	}
	s.hub.wake(rec)
	s.redraw(rec) // no longer detached
	return &waiter{id, g, c}, Outcome{}, nil
}

// block waits until the request has ended or the caller goes, and says how the caller went.
func (s *Seam) block(ctx context.Context, w *waiter, limit time.Duration) leaving {
	var over <-chan time.Time
	if limit > 0 {
		t := time.NewTimer(limit)
		defer t.Stop()
		over = t.C
	}
	select {
	case <-w.g.ended:
		return lost // nobody asks: the end comes first
	case <-over:
		return handover
	case <-s.calls.draining:
		return drain
	case <-ctx.Done():
	}
	if errors.Is(context.Cause(ctx), ErrAborted) {
		return abort
	}
	return lost
}

// finish counts the waiter out. An end that has come beats whatever else has.
func (s *Seam) finish(ctx context.Context, w *waiter, how leaving) (Outcome, error) {
	d := departure{how: how, at: s.cfg.Now()}
	if how == lost {
		d.at = d.at.Add(s.cfg.Linger)
	}
	others := s.hub.leave(w.id, w.g, w.caller, d)
	select {
	case <-w.g.ended:
		s.hub.forget(w.id, w.g)
		return outcome(w.g.rec)
	default:
	}
	cause := context.Cause(ctx)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanup)
	defer cancel()
	switch how {
	case abort:
		return s.aborted(ctx, w.id, d, others)
	case handover:
		return s.handedOver(ctx, w.id, d, others)
	case drain:
		return Outcome{}, &Error{Code: ErrDraining, Request: w.id}
	}
	return Outcome{}, cause
}

func (s *Seam) aborted(ctx context.Context, id string, d departure, others bool) (Outcome, error) {
	if !others {
		rec, err := s.depart(ctx, id, d)
		if err == nil && rec.State.Ended() {
			return outcome(rec) // an abort bows to the winner
		}
	}
	return Outcome{}, &Error{Code: ErrAborted, Request: id}
}

func (s *Seam) handedOver(ctx context.Context, id string, d departure, others bool) (Outcome, error) {
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
		return Outcome{Record: &rec}, &Error{Code: code, Detail: rec.Why, Request: rec.ID, Partial: rec.Partial()}
	}
	return Outcome{Record: &rec}, nil
}

var endings = map[State]Code{
	Cancelled: ErrCancelled, Aborted: ErrAborted, Expired: ErrExpired, Abandoned: ErrAbandoned, Failed: ErrDeliveryFailed,
}
