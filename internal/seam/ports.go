package seam

import (
	"context"
	"time"
)

// Store is the port through which the seam keeps requests. Every method is one atomic, durable step: when it returns
// without error, the change survives kill -9. All are safe for concurrent use. All return the record as it stands after
// the call, whether or not the call changed it. A store that does not answer gives ErrStore; an unknown id ErrNotFound.
type Store interface {
	// Create stores a new request, or joins a standing one (see New). joined tells which; a joined record may have ended.
	// Errors: ErrKeyReused, ErrCallerNotLive, ErrDelegatedCaller, ErrRateLimited.
	Create(ctx context.Context, n New) (rec Record, joined bool, err error)
	// Get reads one request.
	Get(ctx context.Context, id string) (Record, error)
	// Place records where cards stand, or that they moved (Placement.Moved). Idempotent by Placement.At; a placement
	// that is known keeps its Drawn. accepted: an answerer has the whole request (Life.Placed).
	Place(ctx context.Context, id string, cards []Placement, accepted bool) (Record, error)
	// End ends a pending request. On one that has ended it changes nothing: the first ending stands.
	End(ctx context.Context, id string, e Ending) (Record, error)
	// Hold changes who waits.
	Hold(ctx context.Context, id string, h Hold) (Record, error)
	// Deliver records that the asking token got the answer. Idempotent: the first time stands.
	Deliver(ctx context.Context, id string) (Record, error)
}

// Sweep is the port through which replicas keep the schedule and each other's waiters. Called by one loop per process.
type Sweep interface {
	// Lapse moves up to limit records whose schedule has come and returns those that need a hand: cards to redraw
	// (Stale), or, when pending and not Placed with no owner, cards to post. Each is given to one caller only and comes
	// again after a growing pause if that caller did nothing. In the same breath:
	//   pending, deadline passed                → expired (with Default: defaulted)
	//   pending, Detached + GRACE passed        → abandoned
	//   pending, HandedOver + HANDOVER passed   → abandoned
	//   pending, an owner's lease is over       → that owner is dropped, Detached is recorded when it was the last
	//   answered, undelivered, Ended + GRACE    → Uncollected
	//   ended, Ended + RETENTION passed         → deleted
	Lapse(ctx context.Context, limit int) ([]Record, error)
	// Beat renews the lease of this replica (Lease long) and of the agents with open calls (AgentTTL long).
	Beat(ctx context.Context, replica string, agents []Caller) error
	// Watch names the function that hears of every change to a record that this process may have waiters of. Called
	// once, before the first Create. The function never blocks. A change may be told twice, and out of order: Rev tells.
	Watch(changed func(Record))
}

// Agents is the live registry. A registered instance is live for AgentTTL after its last heartbeat.
type Agents interface {
	// Register makes a new agent, or a new instance of a.Agent; the older instance is stale at once.
	// Errors: ErrNotFound when a.Agent or a.Owner is another token's.
	Register(ctx context.Context, a Agent) (Agent, error)
	// Heartbeat keeps an instance alive. Errors: ErrNotFound (no such agent of this token), ErrCallerNotLive (stale).
	Heartbeat(ctx context.Context, token, agent, instance string) error
	// Unregister ends an agent: none of its instances is live any more. Errors: ErrNotFound.
	Unregister(ctx context.Context, token, agent string) error
	// Check is nil when the caller may ask: ErrCallerNotLive, ErrDelegatedCaller. Create makes the same check by itself.
	Check(ctx context.Context, c Caller) error
}

// Agent is an entry of the live registry.
type Agent struct {
	ID       string    `json:"agent"`    // "a_…"
	Instance string    `json:"instance"` // new with each Register
	Token    string    `json:"token"`    // of whom it is
	Name     string    `json:"name"`     // for display only
	Owner    string    `json:"owner,omitempty"`
	Expires  time.Time `json:"expires"`
}

// New is a request to be stored, and how it may join a standing one.
//
// With Key: the same token, key and Body.Hash joins what stands under the key while that is pending, answered or
// cancelled; another hash is ErrKeyReused then. Any other ending frees the key. A key that is not known, given with a
// session, first joins by the session rule and is then bound to that request.
//
// Without Key, with Caller.Session: the newest request of the same token, session and hash, while it is pending or its
// answer is undelivered and not older than GRACE.
//
// A join of a pending request adds Replica to the owners and clears Detached and HandedOver.
type New struct {
	Body    Body          // Created and, with Within, Deadline are filled by the store
	Key     string        // "" = none
	Within  time.Duration // deadline from now on the store's clock; 0 = Body.Deadline
	Replica string        // the process that will wait
	Limit   int           // open requests of this token, 0 = no limit; joining is not limited

	// JoinOnly asks nothing new: ErrNotFound where there is nothing to join. For a request whose deadline, default or
	// route would be refused, since those of a joiner are ignored.
	JoinOnly bool
}

// Ending ends a request. Expired and Abandoned are not among its states: those come from Lapse.
type Ending struct {
	State State // Aborted, Cancelled, Failed
	By    Person
	Token string // of the press that dismissed it
	Fail  Code
	Why   string
	Alone string // not "": only if no other replica than this one has waiters; else nothing changes
}

// HoldKind is a change of who waits.
type HoldKind string

// The changes of who waits. They speak of one replica; the seam counts the waiters inside of it.
const (
	Attach   HoldKind = "attach"   // this replica waits; clears Detached and HandedOver
	Release  HoldKind = "release"  // it does so no more; the last one records Detached
	HandOver HoldKind = "handover" // it does so no more, on purpose; the last one records HandedOver
)

// Hold is one such change. It does nothing to a request that has ended.
type Hold struct {
	Replica string
	Kind    HoldKind
}

// Desk is the port to the answerers, filled by answerer.Desk.
type Desk interface {
	// Present posts the open questions of a request as its plan says. It records every placement itself, also the
	// partial ones. Errors: ErrNoProvider, ErrDeliveryFailed with each answerer and its reason in Detail.
	Present(ctx context.Context, rec Record) (Record, error)
	// Redraw draws every stale card of the record and records what it drew. What fails is left for the sweep.
	Redraw(ctx context.Context, rec Record)
}

// Router says who is to be asked. Filled by the policy.
type Router interface {
	// Plan fixes the plan of one request. Errors: ErrInvalidQuestions with path "route", ErrForbidden.
	Plan(r Request) (Plan, error)
	// Defaults reports whether requests of a route may carry a default.
	Defaults(route string) bool
}

// Entry is one line of the log: audit trail and source of /v1/events.
type Entry struct {
	ID       string    `json:"id"` // a cursor: entries are in the order of the store
	At       time.Time `json:"at"`
	Event    string    `json:"event"`
	Request  string    `json:"request"`
	Question string    `json:"question,omitempty"` // the caller's id
	Status   State     `json:"status"`             // of the request after the event
	Caller   string    `json:"caller"`             // the asking token's name
	Person   Person    `json:"person,omitzero"`
	Answerer string    `json:"answerer,omitempty"` // placed, retired
	Reason   Reason    `json:"reason,omitempty"`   // refused
}

// The events of the log.
const (
	EventAsked     = "asked"
	EventPlaced    = "placed"
	EventVoted     = "voted"
	EventAnswered  = "answered"
	EventSkipped   = "skipped"
	EventClosed    = "closed" // the request ended otherwise: Status says how
	EventDetached  = "detached"
	EventRetired   = "retired"
	EventRefused   = "refused"
	EventReplayed  = "replayed"
	EventDelivered = "delivered"
)

// Query selects requests, newest first.
type Query struct {
	Caller string // "" = of every token
	Status State  // "" = every one
	Cursor string // "" = from the newest
	Limit  int    // 1..200
}

// Grant is a signed-in browser or terminal, or the one-time link that makes one. Only the SHA-256 of its secret is kept.
type Grant struct {
	Hash    string    `json:"hash"`
	Person  string    `json:"person"`
	Once    bool      `json:"once,omitempty"` // a sign-in link: gone once taken
	Expires time.Time `json:"expires"`
}

// Observer hears what happens, for metrics and logs. Observe never blocks and is safe for concurrent use.
type Observer interface{ Observe(Event) }

// Event is one thing that happened in this process.
type Event struct {
	Name     string        // a verb in the past: asked, joined, ended, pressed, redrawn, swept, …
	Request  string        // "" where there is none
	Answerer string        // "" where there is none
	Result   string        // a state, verdict or code
	Took     time.Duration // 0 where it took no time
	Err      error
}
