package tool

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// The ends of a program that are no failure of a request, as exit codes. The others are in the table.
const (
	ExitUnreachable = 7
	ExitInterrupted = 130
	exitOther       = 1
)

// ErrUnreachable is what the client gives when no daemon answered in time.
var ErrUnreachable = errors.New("the bridge daemon cannot be reached")

// ErrInterrupted is Ctrl-C of a program that asks.
var ErrInterrupted = errors.New("interrupted")

// more says what of an error its sentence tells beside the fixed words.
type more int

const (
	none    more = iota
	faults       // every fault with its path; the fixed words only where there are none
	instead      // the detail in place of the fixed words
	after        // the detail after them
)

// row is one line of the table of errors.
type row struct {
	code     seam.Code
	status   int
	exit     int
	title    string
	sentence string
	more     more
	retry    time.Duration // when to come again, where the error itself does not know
}

// errorTable is the one place that says what a failure is called towards models, HTTP clients and shells.
var errorTable = []row{
	{seam.ErrEmptyQuestions, http.StatusUnprocessableEntity, 2, "No questions", "ask_user_question requires at least one question", none, 0},
	{seam.ErrInvalidQuestions, http.StatusUnprocessableEntity, 2, "Invalid questions", "the questions are not valid", faults, 0},
	{seam.ErrBadIntent, http.StatusUnprocessableEntity, 2, "Bad intent", "the intent does not fit its question", faults, 0},
	{seam.ErrMalformed, http.StatusBadRequest, 2, "Malformed", "the request is malformed", faults, 0},
	{seam.ErrTooLarge, http.StatusRequestEntityTooLarge, 2, "Too large", "the body has more than 1048576 bytes", none, 0},
	{seam.ErrKeyReused, http.StatusConflict, 2, "Key reused", "this key belongs to another question", none, 0},
	{seam.ErrNotFound, http.StatusNotFound, 2, "Not found", "there is no such request", instead, 0},
	{seam.ErrInvalidAnswer, http.StatusUnprocessableEntity, 2, "Invalid answer", "this is no legal answer", instead, 0},
	{seam.ErrAlreadySettled, http.StatusConflict, 3, "Already settled", "this was settled before", after, 0},
	{seam.ErrCallerNotLive, http.StatusForbidden, 8, "Caller not live", "human interaction requires the exact live calling agent when an agent is supplied", none, 0},
	{seam.ErrDelegatedCaller, http.StatusForbidden, 8, "Delegated caller", "human interaction is unavailable while the calling agent is owned by another live agent; " +
		"include the unresolved question or decision in the child agent's final result", none, 0},
	{seam.ErrUnauthenticated, http.StatusUnauthorized, 8, "Unauthenticated", "a valid bearer token is required", instead, 0},
	{seam.ErrForbidden, http.StatusForbidden, 8, "Forbidden", "this token may not do that", instead, 0},
	{seam.ErrRateLimited, http.StatusTooManyRequests, 8, "Too many open requests", "too many requests of this caller are open", instead, 30 * time.Second},
	{seam.ErrNoProvider, http.StatusServiceUnavailable, 6, "No provider", "no user-questions answerer accepted the request", none, 0},
	{seam.ErrDeliveryFailed, http.StatusBadGateway, 6, "Delivery failed", "every user-questions answerer refused the request", after, 0},
	{seam.ErrAborted, http.StatusConflict, 4, "Aborted", "ask_user_question was aborted before the user answered", none, 0},
	{seam.ErrCancelled, http.StatusConflict, 3, "Dismissed", "the user dismissed the request without answering; do not ask the same thing again", none, 0},
	{seam.ErrExpired, http.StatusGone, 5, "Expired", "nobody answered before the deadline", none, 0},
	{seam.ErrAbandoned, http.StatusGone, 5, "Abandoned", "the request was given up because nobody was waiting for it", none, 0},
	{seam.ErrStore, http.StatusServiceUnavailable, 9, "Store unavailable", "the question could not be stored; nothing was asked", instead, time.Second},
	{seam.ErrDraining, http.StatusServiceUnavailable, 9, "Draining", "this replica of bridge stops; the request goes on, ask again with the same key", none, time.Second},
}

// unknown is the row of what is no failure of the contract: a bug. It decides nothing for the human either.
var unknown = row{
	code: "INTERNAL", status: http.StatusInternalServerError, exit: exitOther, title: "Internal error",
	sentence: "bridge failed; nobody has decided",
}

func rowOf(e *seam.Error) row {
	for _, r := range errorTable {
		if r.code == e.Code {
			return r
		}
	}
	r := unknown
	if e.Code != "" { // of a newer daemon
		r.code, r.more = e.Code, instead
	}
	return r
}

func asError(err error) *seam.Error {
	if e, ok := seam.AsError(err); ok {
		return e
	}
	return &seam.Error{Cause: err}
}

// Sentence is the text of a failure for a model. Doors that speak to models put "Error: " before it.
func Sentence(err error) string {
	if errors.Is(err, ErrUnreachable) {
		return ErrUnreachable.Error()
	}
	e := asError(err)
	r := rowOf(e)
	s := r.sentence
	switch {
	case r.more == faults && len(e.Faults) > 0:
		s = listed(e.Faults)
	case (r.more == instead || r.more == faults) && e.Detail != "":
		s = e.Detail
	case r.more == after && e.Detail != "":
		s += ": " + e.Detail
	}
	if e.Code == seam.ErrRateLimited {
		s += "; try again in " + retryIn(e).Round(time.Second).String()
	}
	return s
}

// maxFaults is how many faults one answer lists: a body of a mebibyte can hold a hundred thousand.
const maxFaults = 100

func listed(fs []seam.Fault) string {
	var out []string
	for i, f := range fs {
		if i == maxFaults {
			out = append(out, fmt.Sprintf("and %d more", len(fs)-maxFaults))
			break
		}
		out = append(out, strings.TrimSpace(f.Path+" "+f.Problem))
	}
	return strings.Join(out, "; ")
}

// retryIn is when to come again; 0 where that would not help.
func retryIn(e *seam.Error) time.Duration { return cmp.Or(e.Retry, rowOf(e).retry) }

// Exit is the exit code of a program whose ask ended with err.
func Exit(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, ErrInterrupted):
		return ExitInterrupted
	case errors.Is(err, ErrUnreachable):
		return ExitUnreachable
	}
	return rowOf(asError(err)).exit
}

// Problem is a failure as HTTP tells it: RFC 9457.
type Problem struct {
	Type    string        `json:"type"`
	Title   string        `json:"title"`
	Status  int           `json:"status"`
	Detail  string        `json:"detail"`
	Code    seam.Code     `json:"code"`
	Request string        `json:"request,omitempty"`
	Faults  []seam.Fault  `json:"faults,omitempty"`
	Partial []seam.Answer `json:"partial,omitempty"`
}

// ProblemOf is the problem of err.
func ProblemOf(err error) Problem {
	e := asError(err)
	r := rowOf(e)
	return Problem{
		Type: "urn:bridge:" + string(r.code), Title: r.title, Status: r.status, Detail: Sentence(err), Code: r.code,
		Request: e.Request, Faults: e.Faults[:min(len(e.Faults), maxFaults)], Partial: neverNil(e.Partial),
	}
}

// Err is the failure that a problem tells of: what the client gives to its caller.
func (p Problem) Err() *seam.Error {
	e := &seam.Error{Code: p.Code, Request: p.Request, Faults: p.Faults, Partial: p.Partial}
	switch r := rowOf(e); {
	case r.more == after:
		e.Detail = strings.TrimPrefix(strings.TrimPrefix(p.Detail, r.sentence), ": ")
	case p.Detail != r.sentence && len(p.Faults) == 0:
		e.Detail = p.Detail
	}
	return e
}
