// Package card draws and reads cards: record → Picture, press → Move, and every sentence that people are shown.
//
// It is pure: no I/O, no clock, no platform. What a card looks like on a surface is the business of that surface's
// codec; whether somebody may press it is the desk's; what a press did is the store's.
package card

import (
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// Limits are what one platform can hold, in its own unit of length. The zero value has no limit: the inbox.
type Limits struct {
	Button  int                // longest label of a button; 0 = no limit
	Buttons int                // most options drawn as buttons before they become a select; 0 = no limit
	Choice  int                // longest entry of a select or of a form's options; 0 = no limit
	Body    int                // longest text of one card after escaping, everything on it together, 1000 or more; 0 = no limit
	Measure func(s string) int // length of agent text on the card after escaping; nil counts code points
	Label   func(s string) int // length of a label on a button or in a select; nil counts code points
	Replies bool               // replies reach bridge here: the foot says so where the plan takes them
	Plain   bool               // no controls: the plain text that is posted where a platform has refused the layout
	Words   Words              // the zero value is English
}

// Picture is a card as a person sees it, before a codec dresses it for its platform. Everything in it is plain text that
// the codec escapes, but for Detail, which is Markdown.
type Picture struct {
	Ref      string // "<request>.<n>"
	N, Of    int    // question N of Of
	Stage    seam.Stage
	Plan     bool // shown as a plan to be approved
	First    bool // the request's first card: the only one that notifies
	Header   string
	Question string
	Detail   string
	Options  []Option
	Answer   string // a settled card's answer in full, to be printed as a quotation, where it is too long for Note
	Select   bool   // the options do not fit on buttons: draw the option controls as one select
	Controls []Control
	Note     string    // one line about the state of the card: what a retired card says, that the agent has disconnected, …
	At       time.Time // when what Note tells happened; zero = no time. Codecs print it in the platform's own way
	Due      string    // what DueAt means ("Answer by"); "" = no deadline
	DueAt    time.Time
	Foot     []string // agent, "question 2 of 3", how to answer
	Overflow Overflow // what does not fit
}

// Option is one choice as drawn.
type Option struct {
	Index       int    // from 1: Press.Option
	Number      int    // > 0: printed before the label in the body. One label that cannot stand on its button numbers all
	Label       string // in full, without the recommended mark
	Description string
	Recommended bool
	Mark        string // the word for it; "" = not recommended
	Chosen      bool   // on a settled card: part of the answer
}

// Overflow lists, in order, what goes into the card's thread because it does not fit on the card. The card says so.
type Overflow struct{ Question, Options, Detail, Answer bool }

// Control is one thing to press.
type Control struct {
	ID      string // opaque, ≤ 100 bytes: Encode
	Kind    seam.Control
	Option  int    // PressOption
	Label   string // fits Limits.Button, or Limits.Choice in a select: the number alone on a button, number and beginning in a select
	Primary bool   // the recommended option, or the approval of a plan where none is recommended
	Danger  bool   // dismiss
	Confirm *Confirm
}

// Confirm is the second question before a skip or a dismiss.
type Confirm struct {
	ID                   string // the control that means yes
	Title, Text, Yes, No string
}

// Form is what opens for own words and for several choices.
type Form struct {
	ID             string // opaque: Encode
	Title          string
	Question       string
	Options        []Option // multi-select only; nil = own words alone
	TextLabel      string
	Optional       bool // own words may be left out because options can be chosen
	Submit, Cancel string
	MaxText        int
}

// Offer asks the author of a reply whether it is the answer.
type Offer struct {
	ID   string // opaque: Encode of PressSend
	Text string // the question to the author
	Yes  string // the label of the button
}

// MoveKind is what a press asks for.
type MoveKind string

// The moves. The desk carries them out.
const (
	MoveSettle  MoveKind = "settle"  // Move.Vote
	MoveDismiss MoveKind = "dismiss" // the whole request
	MoveForm    MoveKind = "form"    // open the form
	MoveConfirm MoveKind = "confirm" // ask once more
	MoveOffer   MoveKind = "offer"   // a reply that may be an answer: ask its author; conversation has begun
	MoveRefuse  MoveKind = "refuse"  // Move.Reason
	MoveIgnore  MoveKind = "ignore"  // conversation that is left alone
)

// Move is what a press asks for, given the record.
type Move struct {
	Kind   MoveKind
	Reason seam.Reason // MoveRefuse
	Vote   seam.Vote   // MoveSettle: N, Answer in normal form, Skip, Person, Token
	Text   string      // MoveOffer: the reply
}
