package seam

import (
	"errors"
	"fmt"
	"time"
)

// Code names a failure for agents and operators. It is a sentinel: errors.Is(err, seam.ErrAborted).
type Code string

func (c Code) Error() string { return string(c) }

// The failures of bridge. Sentences for models stand in internal/tool/errors.go, sentences for people in
// answerer/card/words.go; neither stands here.
const (
	ErrEmptyQuestions   Code = "EMPTY_QUESTIONS"
	ErrInvalidQuestions Code = "INVALID_QUESTIONS" // Faults name every one
	ErrBadIntent        Code = "BAD_INTENT"
	ErrMalformed        Code = "MALFORMED" // Faults say where
	ErrTooLarge         Code = "TOO_LARGE"
	ErrKeyReused        Code = "KEY_REUSED"
	ErrNotFound         Code = "NOT_FOUND"
	ErrInvalidAnswer    Code = "INVALID_ANSWER"
	ErrAlreadySettled   Code = "ALREADY_SETTLED" // the record that comes with it says who won
	ErrCallerNotLive    Code = "CALLER_NOT_LIVE"
	ErrDelegatedCaller  Code = "DELEGATED_CALLER"
	ErrUnauthenticated  Code = "UNAUTHENTICATED"
	ErrForbidden        Code = "FORBIDDEN"
	ErrRateLimited      Code = "RATE_LIMITED"
	ErrNoProvider       Code = "NO_PROVIDER"
	ErrDeliveryFailed   Code = "DELIVERY_FAILED"
	ErrAborted          Code = "ASK_ABORTED"
	ErrCancelled        Code = "ASK_CANCELLED"
	ErrExpired          Code = "ASK_EXPIRED"
	ErrAbandoned        Code = "ASK_ABANDONED"
	ErrStore            Code = "STORE_UNAVAILABLE"
	ErrDraining         Code = "DRAINING"
)

// Codes lists every Code once, in the order of the design's table: what the tests of the tables walk.
var Codes = []Code{
	ErrEmptyQuestions, ErrInvalidQuestions, ErrBadIntent, ErrMalformed, ErrTooLarge, ErrKeyReused, ErrNotFound,
	ErrInvalidAnswer, ErrAlreadySettled, ErrCallerNotLive, ErrDelegatedCaller, ErrUnauthenticated, ErrForbidden,
	ErrRateLimited, ErrNoProvider, ErrDeliveryFailed, ErrAborted, ErrCancelled, ErrExpired, ErrAbandoned, ErrStore, ErrDraining,
}

// Error is a Code with what a door needs to tell of it. errors.Is finds the Code and the cause.
type Error struct {
	Code    Code
	Detail  string        // completes the sentence of the code; never a secret, never an answer
	Request string        // the request it speaks of, "" before there is one
	Faults  []Fault       // INVALID_QUESTIONS, BAD_INTENT, MALFORMED
	Partial []Answer      // what was recorded before a request ended otherwise
	Retry   time.Duration // when to try again, 0 = unknown
	Cause   error         // for the log
}

// Fault is one thing wrong with what the caller sent, with its path ("questions[1].id").
type Fault struct {
	Path    string `json:"path"`
	Problem string `json:"problem"`
}

func (e *Error) Error() string {
	s := string(e.Code)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	for _, f := range e.Faults {
		s += fmt.Sprintf("; %s %s", f.Path, f.Problem)
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap makes both the code and the cause reachable for errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Code}
	}
	return []error{e.Code, e.Cause}
}

// With is the code with a detail.
func (c Code) With(format string, args ...any) *Error {
	return &Error{Code: c, Detail: fmt.Sprintf(format, args...)}
}

// From is the code with its cause: the cause is for the log, never for the caller.
func (c Code) From(cause error) *Error { return &Error{Code: c, Cause: cause} }

// AsError finds the *Error in err. A bare Code becomes one; anything else has none.
func AsError(err error) (*Error, bool) {
	if e, ok := errors.AsType[*Error](err); ok {
		return e, true
	}
	if c, ok := errors.AsType[Code](err); ok {
		return &Error{Code: c, Cause: err}, true
	}
	return nil, false
}
