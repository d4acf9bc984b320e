package seam

import "time"

// Person is somebody on a surface, named as that surface names people. It is an authority's word only after the desk
// has looked it up in the policy.
type Person struct {
	Answerer string `json:"answerer"`       // surface: slack, discord, web, api
	ID       string `json:"person"`         // id there, never a name
	Name     string `json:"name,omitempty"` // for display only
}

// Control names what a press was made on. Adapters carry it in opaque ids (card.Encode), never as a label.
type Control string

// The controls of a card.
const (
	PressOption  Control = "option"  // a button or a select entry of a single-select question: Press.Option
	PressOther   Control = "other"   // opens the form of a question for own words ("Other…", "Answer…")
	PressChoose  Control = "choose"  // opens the form of a multi-select question ("Choose…")
	PressForm    Control = "form"    // a form was sent: Press.Chosen and Press.Text
	PressSkip    Control = "skip"    // asks once more unless Press.Sure
	PressDismiss Control = "dismiss" // asks once more unless Press.Sure
	PressReply   Control = "reply"   // a message in the card's thread or in reply to it: Press.Text
	PressSend    Control = "send"    // the button of the offer "Send this as the answer?": Press.Offer
)

// Press is anything a person does to a card, decoded by an adapter. It decides nothing by itself.
type Press struct {
	Token   string // of this press, unique on its surface; the same token always gets the same verdict
	Person  Person
	Request string
	N       int // the question, from 1
	Control Control
	Option  int    // PressOption: the option, from 1
	Chosen  []int  // PressForm: the options chosen, from 1
	Text    string // PressForm, PressReply: the person's own words
	Sure    bool   // PressSkip, PressDismiss: the second question was answered with yes
	Offer   string // PressSend: which offer

	Mention bool // PressReply: the reply mentions bridge
	Aside   bool // PressReply: the reply starts by mentioning somebody else

	Card Placement // where the press was made; Message may be new to the record (a copy)
}

// VerdictKind is what became of a press.
type VerdictKind string

// The verdicts. The first three speak of the record; the others changed nothing in it.
const (
	Taken   VerdictKind = "taken"   // recorded, durably
	Refused VerdictKind = "refused" // changed nothing: Verdict.Reason
	Unknown VerdictKind = "unknown" // the store did not say in time; it may still be taken
	Asked   VerdictKind = "asked"   // the person is asked something first: a form, a second question, an offer
	Ignored VerdictKind = "ignored" // conversation; nobody is told anything
)

// Reason says why a press was refused. The sentence for the person is card.Words'.
type Reason string

// The reasons of a refusal.
const (
	ReasonLate       Reason = "late"        // the question was settled or its request ended before
	ReasonNotAllowed Reason = "not-allowed" // this person may not answer
	ReasonUnverified Reason = "unverified"  // whether this person may answer could not be found out
	ReasonEmpty      Reason = "empty"       // a form with nothing chosen and nothing written
	ReasonInvalid    Reason = "invalid"     // no legal answer, or a control that this question does not have
	ReasonTooLong    Reason = "too-long"    // own words over MaxCustom
	ReasonNotYours   Reason = "not-yours"   // somebody else's offer
	ReasonGone       Reason = "gone"        // no such request any more
)

// Verdict is what the desk says of a press.
type Verdict struct {
	Kind   VerdictKind
	Reason Reason // when refused
	Record Record // as it stands after the press; zero when the store could not be read
}

// Vote is a legal answer, or a skip, of one person for one question: what the desk asks the store to settle.
type Vote struct {
	N      int       `json:"n"`              // the question, from 1
	Answer Answer    `json:"answer"`         // in normal form (Question.Legal); of a skip only the ID and an empty Selected
	Skip   bool      `json:"skip,omitempty"` // an explicit skip
	Person Person    `json:"person"`
	Token  string    `json:"token"` // of the press
	At     time.Time `json:"at"`    // filled by the store
}

// Offer is a text that its author was asked about: "Send this as the answer?". It may be pressed by its author alone
// and sends the text that it was made for.
type Offer struct {
	ID     string `json:"id"`
	Person Person `json:"person"`
	Text   string `json:"text"`
}

// Submission is what a person sends through the API: answers to some questions of a request, all or nothing, or the
// dismissal of all of it.
type Submission struct {
	Request string
	Person  Person
	Token   string // of this call; the same token always gets the same verdict
	Answers []Submitted
	Cancel  bool
}

// Submitted is one answer of a Submission, or a skip.
type Submitted struct {
	ID       string // the caller's id of the question
	Selected []string
	Custom   string
	Skip     bool
}
