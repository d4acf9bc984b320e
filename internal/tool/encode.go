package tool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// Answered is the end of an ask that people answered.
type Answered struct {
	Request    string        `json:"request"`
	Status     seam.State    `json:"status"`
	Answers    []seam.Answer `json:"answers"`
	AnsweredBy []AnsweredBy  `json:"answered_by"`
	Replayed   *time.Time    `json:"replayed,omitempty"`
}

// AnsweredBy is one person whose word an answer is.
type AnsweredBy struct {
	ID       string    `json:"id"` // of the question
	Answerer string    `json:"answerer"`
	Person   string    `json:"person"`
	Name     string    `json:"name"`
	At       time.Time `json:"at"`
}

// Defaulted is the end of an ask that nobody answered in time and that came with a default.
type Defaulted struct {
	Request   string        `json:"request"`
	Status    seam.State    `json:"status"`
	Answers   []seam.Answer `json:"answers"`
	Defaulted []string      `json:"defaulted"`
}

// Pending is an ask that was handed over.
type Pending struct {
	Request string     `json:"request"`
	Status  seam.State `json:"status"`
}

// Request is a request as it stands.
type Request struct {
	Request    string      `json:"request"`
	Status     seam.State  `json:"status"`
	Detached   bool        `json:"detached"`
	Agent      string      `json:"agent"` // the token's name
	Session    string      `json:"session"`
	CreatedAt  time.Time   `json:"created_at"`
	Deadline   *time.Time  `json:"deadline,omitempty"`
	Questions  []Question  `json:"questions"`
	Placements []Placement `json:"placements"`
}

// Question is one question of a Request.
type Question struct {
	seam.Question
	N          int            `json:"n"`
	Status     seam.ItemState `json:"status"`
	Answer     *seam.Answer   `json:"answer,omitempty"` // without AnsweredBy: the caller's default
	AnsweredBy []AnsweredBy   `json:"answered_by,omitempty"`
}

// Placement is where a card of a Request stands.
type Placement struct {
	Question string `json:"question"`
	Answerer string `json:"answerer"`
	Channel  string `json:"channel"`
	Message  string `json:"message"`
	Retired  bool   `json:"retired"`
}

// List is a page of requests.
type List struct {
	Requests []Request `json:"requests"`
	Cursor   string    `json:"cursor,omitempty"`
}

// encodeOutcome is the body of an ask that came back without an error.
func encodeOutcome(out seam.Outcome) any {
	rec := *out.Record
	switch rec.State {
	case seam.Pending:
		return Pending{Request: rec.ID, Status: rec.State}
	case seam.Expired:
		return Defaulted{Request: rec.ID, Status: rec.State, Answers: rec.Answers(), Defaulted: rec.Defaulted()}
	}
	a := Answered{
		Request: rec.ID, Status: rec.State, Answers: rec.Answers(), AnsweredBy: []AnsweredBy{}, Replayed: when(out.Replayed),
	}
	for i := range rec.Items {
		a.AnsweredBy = append(a.AnsweredBy, answeredBy(rec, i)...)
	}
	return a
}

func answeredBy(rec seam.Record, i int) (out []AnsweredBy) {
	for _, v := range rec.Items[i].Winners() {
		out = append(out, AnsweredBy{
			ID: rec.Questions[i].ID, Answerer: v.Person.Answerer, Person: v.Person.ID,
			Name: cmp.Or(v.Person.Name, v.Person.ID), At: v.At.UTC(),
		})
	}
	return out
}

// encodeRequest is a record as HTTP shows it.
func encodeRequest(rec seam.Record) Request {
	out := Request{
		Request: rec.ID, Status: rec.State, Detached: !rec.Detached.IsZero() && !rec.State.Ended(),
		Agent: rec.Caller.Token, Session: rec.Caller.Session, CreatedAt: rec.Created.UTC().Truncate(time.Millisecond), Deadline: when(rec.Deadline),
		Questions: []Question{}, Placements: []Placement{},
	}
	answers := rec.Answers()
	for i, q := range rec.Questions {
		item := rec.Items[i]
		shown := Question{Question: q, N: i + 1, Status: item.State, AnsweredBy: answeredBy(rec, i)}
		if item.State == seam.ItemAnswered || item.State == seam.ItemSkipped || item.Defaulted {
			shown.Answer = &answers[i]
		}
		out.Questions = append(out.Questions, shown)
	}
	for _, p := range rec.Placements {
		out.Placements = append(out.Placements, Placement{
			Question: rec.Questions[p.N-1].ID, Answerer: p.Answerer, Channel: p.Channel, Message: p.Message,
			Retired: p.Drawn.Final(),
		})
	}
	return out
}

// when is a time that may be absent, in UTC.
func when(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}

// ModelJSON is the result for the model: one line of compact JSON with the answers and nothing else.
func ModelJSON(answers []seam.Answer) string {
	return strings.TrimSuffix(string(encodeJSON(struct {
		Answers []seam.Answer `json:"answers"`
	}{append([]seam.Answer{}, neverNil(answers)...)})), "\n")
}

// neverNil makes every Selected a list: a model reads null as "nothing was asked".
func neverNil(in []seam.Answer) (out []seam.Answer) {
	for _, a := range in {
		a.Selected = append([]string{}, a.Selected...)
		out = append(out, a)
	}
	return out
}

// encodeJSON leaves <, > and & as they are: labels come back to the letter, also for readers of raw text.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("tool: wire shapes hold plain values only: " + err.Error())
	}
	return b.Bytes()
}
