package tool_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

// contract is the table of the design, line by line. "" = the design leaves the wording open.
var contract = map[seam.Code]struct {
	status, exit int
	sentence     string
}{
	seam.ErrEmptyQuestions:   {422, 2, "ask_user_question requires at least one question"},
	seam.ErrInvalidQuestions: {422, 2, ""},
	seam.ErrBadIntent:        {422, 2, ""},
	seam.ErrMalformed:        {400, 2, ""},
	seam.ErrTooLarge:         {413, 2, ""},
	seam.ErrKeyReused:        {409, 2, "this key belongs to another question"},
	seam.ErrNotFound:         {404, 2, ""},
	seam.ErrInvalidAnswer:    {422, 2, ""},
	seam.ErrAlreadySettled:   {409, 3, ""},
	seam.ErrCallerNotLive:    {403, 8, "human interaction requires the exact live calling agent when an agent is supplied"},
	seam.ErrDelegatedCaller: {403, 8, "human interaction is unavailable while the calling agent is owned by another live agent; " +
		"include the unresolved question or decision in the child agent's final result"},
	seam.ErrUnauthenticated: {401, 8, ""},
	seam.ErrForbidden:       {403, 8, ""},
	seam.ErrRateLimited:     {429, 8, ""},
	seam.ErrNoProvider:      {503, 6, "no user-questions answerer accepted the request"},
	seam.ErrDeliveryFailed:  {502, 6, ""},
	seam.ErrAborted:         {409, 4, "ask_user_question was aborted before the user answered"},
	seam.ErrCancelled:       {409, 3, "the user dismissed the request without answering; do not ask the same thing again"},
	seam.ErrExpired:         {410, 5, "nobody answered before the deadline"},
	seam.ErrAbandoned:       {410, 5, "the request was given up because nobody was waiting for it"},
	seam.ErrStore:           {503, 9, "the question could not be stored; nothing was asked"},
	seam.ErrDraining:        {503, 9, ""},
}

func TestTableOfErrors(t *testing.T) {
	if len(contract) != len(seam.Codes) {
		t.Errorf("the contract has %d codes, the seam %d", len(contract), len(seam.Codes))
	}
	for _, code := range seam.Codes {
		want := contract[code]
		err := fmt.Errorf("somewhere: %w", code.From(errors.New("secret")))
		p := tool.ProblemOf(err)
		if p.Status != want.status || tool.Exit(err) != want.exit || p.Code != code || p.Type != "urn:bridge:"+string(code) || p.Title == "" {
			t.Errorf("%s: %+v, exit %d, want %+v", code, p, tool.Exit(err), want)
		}
		s := tool.Sentence(err)
		if s == "" || s != p.Detail || strings.Contains(s, "secret") || want.sentence != "" && s != want.sentence {
			t.Errorf("%s: %q, want %q", code, s, want.sentence)
		}
	}
}

func TestEndsThatAreNoFailureOfARequest(t *testing.T) {
	for err, want := range map[error]int{
		nil: 0, tool.ErrUnreachable: 7, tool.ErrInterrupted: 130, errors.New("bug"): 1,
		fmt.Errorf("%w: %w", tool.ErrUnreachable, seam.ErrDraining): 7,
	} {
		if got := tool.Exit(err); got != want {
			t.Errorf("%v: exit %d, want %d", err, got, want)
		}
	}
	if p := tool.ProblemOf(errors.New("secret")); p.Status != 500 || strings.Contains(p.Detail, "secret") {
		t.Errorf("%+v", p)
	}
}

func TestSentencesTellWhatTheErrorKnows(t *testing.T) {
	faults := []seam.Fault{{Path: "questions[0].id", Problem: "is required"}, {Path: "key", Problem: "is too long"}}
	limited := seam.ErrRateLimited.With("at most 5 requests of one caller may be open")
	limited.Retry = time.Minute
	for want, err := range map[string]error{
		"questions[0].id is required; key is too long":                                &seam.Error{Code: seam.ErrInvalidQuestions, Faults: faults},
		"at most 5 requests of one caller may be open; try again in 1m0s":             limited,
		"every user-questions answerer refused the request: slack: channel_not_found": seam.ErrDeliveryFailed.With("slack: channel_not_found"),
		`this was settled before: question "q" was answered by Ann`:                   seam.ErrAlreadySettled.With(`question "q" was answered by Ann`),
		"you may not answer this request":                                             seam.ErrForbidden.With("you may not answer this request"),
		"no user-questions answerer accepted the request":                             seam.ErrNoProvider.With("web: off"),
	} {
		if got := tool.Sentence(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestNoMoreFaultsThanAnybodyReads(t *testing.T) {
	p := tool.ProblemOf(&seam.Error{Code: seam.ErrMalformed, Faults: make([]seam.Fault, 1000)})
	if len(p.Faults) > 100 || !strings.HasSuffix(p.Detail, "and 900 more") {
		t.Error(len(p.Faults), p.Detail)
	}
}

func TestAProblemKeepsWhatTheErrorSaid(t *testing.T) {
	for _, e := range []*seam.Error{
		{Code: seam.ErrCancelled, Request: "r_1", Partial: []seam.Answer{{ID: "a", Selected: []string{}}}},
		{Code: seam.ErrMalformed, Faults: []seam.Fault{{Path: "a", Problem: "is odd"}}},
		{Code: seam.ErrDeliveryFailed, Detail: "slack: no"},
		{Code: seam.ErrForbidden, Detail: "not you"},
		{Code: seam.ErrExpired},
		{Code: seam.ErrAlreadySettled},
	} {
		if diff := cmp.Diff(e, tool.ProblemOf(e).Err()); diff != "" {
			t.Error(diff)
		}
	}
}
