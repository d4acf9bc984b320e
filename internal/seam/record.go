package seam

import (
	"slices"
	"strconv"
	"time"
)

// State is that of a request. All but Pending are final.
type State string

// The states of a request.
const (
	Pending   State = "pending"
	Answered  State = "answered"
	Cancelled State = "cancelled" // a person dismissed it
	Aborted   State = "aborted"   // the caller's turn ended first
	Expired   State = "expired"   // the deadline passed
	Abandoned State = "abandoned" // nobody came back for it in time
	Failed    State = "failed"    // no answerer took it: Life.Fail says which way
)

// States lists every State once.
var States = []State{Pending, Answered, Cancelled, Aborted, Expired, Abandoned, Failed}

// Ended reports whether the state is final. That of no record at all is not.
func (s State) Ended() bool { return s != Pending && s != "" }

// ItemState is that of one question.
type ItemState string

// The states of a question.
const (
	ItemPending  ItemState = "pending"
	ItemAnswered ItemState = "answered"
	ItemSkipped  ItemState = "skipped"
	ItemClosed   ItemState = "closed" // its request ended otherwise
)

// Caller is who asks: the token, a live agent instance if given, and what people are shown of it.
type Caller struct {
	Token    string `json:"token"`              // the token's name: what policies match and what owns requests and keys
	Person   string `json:"person,omitempty"`   // the person behind the token, if the tokens file names one
	Session  string `json:"session,omitempty"`  // groups the asks of one conversation
	Agent    string `json:"agent,omitempty"`    // "a_…" of the registry
	Instance string `json:"instance,omitempty"` // of that agent
}

// Plan is what the policy says of one request, fixed when it is asked. Who may answer is not in it: that is decided anew
// on each press, from the route's name.
type Plan struct {
	Route     string   `json:"route"`
	Answerers []string `json:"answerers"`         // in order
	All       bool     `json:"all,omitempty"`     // ask on every answerer at once; else the first to accept has it
	Replies   string   `json:"replies,omitempty"` // auto (also ""), answer, mention, off
	Quorum    int      `json:"quorum,omitempty"`  // different people for the same selection; 0 and 1 mean one
}

// Need is how many different people must say the same.
func (p Plan) Need() int { return max(1, p.Quorum) }

// Body is what was asked. It never changes after Create.
type Body struct {
	ID        string     `json:"id"`
	Caller    Caller     `json:"caller"`
	Questions []Question `json:"questions"`
	Hash      string     `json:"hash"` // of the canonical questions (HashQuestions)
	Plan      Plan       `json:"plan"`
	Default   []Answer   `json:"default,omitempty"` // one per question in the order asked, or none
	Created   time.Time  `json:"created"`
	Deadline  time.Time  `json:"deadline,omitzero"`
}

// Life is what became of it: the only part that changes.
type Life struct {
	Rev   int64  `json:"rev"` // grows with every change
	State State  `json:"state"`
	Items []Item `json:"items"` // one per question, same order

	Owners     []string  `json:"owners,omitempty"`     // replicas on which somebody waits
	Detached   time.Time `json:"detached,omitzero"`    // since when nobody waits, recorded after LINGER; zero while attached or handed over
	HandedOver time.Time `json:"handed_over,omitzero"` // since when the caller knowingly waits elsewhere
	Kept       bool      `json:"kept,omitempty"`       // answered while nobody waited

	Ended time.Time `json:"ended,omitzero"`
	By    Person    `json:"by,omitzero"`     // cancelled: who dismissed it
	Token string    `json:"token,omitempty"` // cancelled: of that press
	Fail  Code      `json:"fail,omitempty"`  // failed: NO_PROVIDER or DELIVERY_FAILED
	Why   string    `json:"why,omitempty"`   // failed: each answerer and its reason

	Delivered   time.Time `json:"delivered,omitzero"`    // when the asking token got the answer in full
	Uncollected bool      `json:"uncollected,omitempty"` // GRACE passed after the answer and nobody fetched it

	Placed     bool        `json:"placed,omitempty"` // an answerer has accepted it
	Placements []Placement `json:"placements,omitempty"`
	Keys       []string    `json:"keys,omitempty"`     // idempotency keys bound to it
	RedrawAt   time.Time   `json:"redraw_at,omitzero"` // when the sweep looks at cards that do not show the record
	Redraws    int         `json:"redraws,omitempty"`  // how often it has tried in vain
}

// Record is a request as the store holds it.
type Record struct {
	Body
	Life
}

// Item is the state of one question.
type Item struct {
	State     ItemState `json:"state"`
	Answer    Answer    `json:"answer,omitzero"`     // answered, skipped, or the default of an expired request
	Defaulted bool      `json:"defaulted,omitempty"` // Answer is the caller's default, nobody gave it
	Votes     []Vote    `json:"votes,omitempty"`     // every vote, in order; a person's latest counts
	At        time.Time `json:"at,omitzero"`         // when it was settled
	Talk      bool      `json:"talk,omitempty"`      // conversation has begun beside its cards
	Offers    []Offer   `json:"offers,omitempty"`
}

// Winners are the votes that settled the item: one per person, those that say what the answer says.
func (it Item) Winners() []Vote {
	var out []Vote
	if it.State != ItemAnswered && it.State != ItemSkipped {
		return nil
	}
	for i, v := range it.Votes {
		later := slices.ContainsFunc(it.Votes[i+1:], func(w Vote) bool { return w.Person.same(v.Person) })
		if !later && v.Skip == (it.State == ItemSkipped) && v.Answer.Equal(it.Answer) {
			out = append(out, v)
		}
	}
	return out
}

func (p Person) same(q Person) bool { return p.Answerer == q.Answerer && p.ID == q.ID }

// Placement is where one card stands.
type Placement struct {
	N        int    `json:"n"` // the question, from 1
	Answerer string `json:"answerer"`
	Channel  string `json:"channel"`
	Message  string `json:"message"`
	Drawn    Stage  `json:"drawn"`              // what the card shows
	Moved    bool   `json:"moved,omitempty"`    // its answerer did not take the whole request: asked elsewhere
	Numbered bool   `json:"numbered,omitempty"` // the card prints a number with each option, so a reply may name one by it
}

// At reports whether both stand in the same place.
func (p Placement) At(q Placement) bool {
	return p.N == q.N && p.Answerer == q.Answerer && p.Channel == q.Channel && p.Message == q.Message
}

// Stage is what a card of a question has to show. It is a function of the record, so a card whose Drawn differs is
// stale, and whoever notices may draw it.
type Stage string

// The stages of a card. An open card that has votes is "open.<number of votes>".
const (
	StageOpen        Stage = "open"
	StageDetached    Stage = "detached"    // open; the agent has disconnected, an answer will be kept
	StageRecorded    Stage = "recorded"    // settled, but its request waits for the other questions
	StageAnswered    Stage = "answered"    // final, and so are all that follow
	StageKept        Stage = "kept"        // answered while nobody waited
	StageDelivered   Stage = "delivered"   // … and collected later
	StageUncollected Stage = "uncollected" // … and never collected
	StageCancelled   Stage = "cancelled"
	StageAborted     Stage = "aborted"
	StageExpired     Stage = "expired"
	StageAbandoned   Stage = "abandoned"
	StageFailed      Stage = "failed"
	StageElsewhere   Stage = "elsewhere" // asked elsewhere
)

// Live reports whether a card at this stage still has controls.
func (s Stage) Live() bool {
	return s == StageDetached || s == StageOpen || len(s) > len(StageOpen) && s[:len(StageOpen)+1] == StageOpen+"."
}

// Final reports whether a card at this stage is retired.
func (s Stage) Final() bool { return !s.Live() && s != StageRecorded }

// Stage is what the card at a placement has to show.
func (r Record) Stage(p Placement) Stage {
	if p.Moved && r.State != Failed {
		return StageElsewhere
	}
	item := r.Items[p.N-1]
	switch {
	case r.State == Answered && r.Uncollected:
		return StageUncollected
	case r.State == Answered && r.Kept && !r.Delivered.IsZero():
		return StageDelivered
	case r.State == Answered && r.Kept:
		return StageKept
	case r.State.Ended():
		return Stage(r.State)
	case item.State != ItemPending:
		return StageRecorded
	case !r.Detached.IsZero():
		return StageDetached
	case len(item.Votes) > 0:
		return StageOpen + "." + Stage(strconv.Itoa(len(item.Votes)))
	}
	return StageOpen
}

// Took reports whether a press with this token was recorded for question n, or dismissed the request: the same token
// always gets the same verdict.
func (r Record) Took(n int, token string) bool {
	if token == "" {
		return false
	}
	return r.Token == token || slices.ContainsFunc(r.Items[n-1].Votes, func(v Vote) bool { return v.Token == token })
}

// Stale lists the placements whose card does not show the record.
func (r Record) Stale() []Placement {
	var out []Placement
	for _, p := range r.Placements {
		if p.Drawn != r.Stage(p) {
			out = append(out, p)
		}
	}
	return out
}

// Open lists the questions that wait for an answer, from 1.
func (r Record) Open() []int {
	var out []int
	for i, it := range r.Items {
		if it.State == ItemPending {
			out = append(out, i+1)
		}
	}
	return out
}

// Answers are the answers of an answered request, or of an expired one with a default: one per question, in the order
// asked.
func (r Record) Answers() []Answer {
	out := make([]Answer, 0, len(r.Items))
	for i, it := range r.Items {
		a := it.Answer
		a.ID = r.Questions[i].ID
		a.Selected = append([]string{}, a.Selected...)
		out = append(out, a)
	}
	return out
}

// Partial are the answers that people gave so far, in the order asked.
func (r Record) Partial() []Answer {
	var out []Answer
	for i, a := range r.Answers() {
		if s := r.Items[i].State; s == ItemAnswered || s == ItemSkipped {
			out = append(out, a)
		}
	}
	return out
}

// Defaulted lists the ids of the questions that got the caller's default.
func (r Record) Defaulted() []string {
	var out []string
	for i, it := range r.Items {
		if it.Defaulted {
			out = append(out, r.Questions[i].ID)
		}
	}
	return out
}

// Clone is a copy that shares nothing that changes: a Body is never changed, a Life is.
func (r Record) Clone() Record {
	r.Items = slices.Clone(r.Items)
	for i := range r.Items {
		r.Items[i].Votes = slices.Clone(r.Items[i].Votes)
		r.Items[i].Offers = slices.Clone(r.Items[i].Offers)
	}
	r.Owners = slices.Clone(r.Owners)
	r.Placements = slices.Clone(r.Placements)
	r.Keys = slices.Clone(r.Keys)
	return r
}
