package tool

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// Result is how an ask ended: answered, or expired with the caller's default.
type Result struct {
	Request    string        `json:"request"`
	Status     seam.State    `json:"status"`
	Answers    []seam.Answer `json:"answers"`
	AnsweredBy []AnsweredBy  `json:"answered_by"`
	Defaulted  []string      `json:"defaulted"`
	Replayed   *time.Time    `json:"replayed"`
}

// The waits of the rounds of an ask. The first is long enough for every answerer to be tried, so that a failure to
// deliver comes back with its reasons.
const (
	firstRound = 90 * time.Second
	nextRound  = 5 * time.Minute
	abortTime  = 5 * time.Second
)

// Ask asks and waits until the request has ended, in rounds, through restarts of the daemon: it comes back to the same
// request by its key, which is made here if r has none. Of r.Caller only Session, Agent and Instance are sent.
//
// When ctx ends with the cause seam.ErrAborted, the request is aborted; an answer that came first is returned all the
// same. With any other cause the request goes on without this caller.
func (c *Client) Ask(ctx context.Context, r seam.Request) (Result, error) {
	if r.Key == "" {
		r.Key = newKey()
	}
	a := &asking{Client: c, req: r, started: time.Now()}
	res, err := a.run(ctx)
	left, gone := errors.AsType[*leftError](err)
	switch {
	case gone && errors.Is(left.cause, seam.ErrAborted):
		return a.abort(ctx)
	case gone:
		return res, left.cause
	}
	return res, err
}

// leftError is the end of a call whose caller left. What the daemon says is never one, also where it says the same.
type leftError struct{ cause error }

func (e *leftError) Error() string { return e.cause.Error() }
func (e *leftError) Unwrap() error { return e.cause }

func newKey() string { return "k_" + rand.Text() }

// asking is one Ask.
type asking struct {
	*Client
	req     seam.Request
	started time.Time
	tries   int
	id      string // once known
}

func (a *asking) run(ctx context.Context) (Result, error) {
	res, err := a.post(ctx, firstRound)
	for err == nil && res.Status == seam.Pending {
		a.id = res.Request
		var now Request
		err = a.retry(ctx, a.patience(), func(ctx context.Context) (err error) {
			now, err = a.get(ctx, nextRound)
			return err
		})
		if err == nil {
			res, err = ended(now)
		}
	}
	return res, err
}

func (a *asking) get(ctx context.Context, wait time.Duration) (out Request, err error) {
	path := "/v1/requests/" + a.id + "?wait=" + wait.String()
	return out, a.try(ctx, http.MethodGet, path, nil, nil, &out)
}

func (a *asking) patience() time.Duration { return cmp.Or(a.Patience, defaultPatience) }

// post asks, or comes back by the key to what was asked.
func (a *asking) post(ctx context.Context, wait time.Duration) (res Result, err error) {
	err = a.retry(ctx, a.patience(), func(ctx context.Context) error {
		body := encodeAsk(a.req, time.Since(a.started))
		a.tries++
		return a.try(ctx, http.MethodPost, "/v1/ask?wait="+wait.String(), nil, body, &res)
	})
	// The deadline passed while the daemon was away: nothing stands under the key any more.
	if e, ok := seam.AsError(err); ok && e.Code == seam.ErrInvalidQuestions && a.tries > 1 && len(e.Faults) == 1 &&
		e.Faults[0].Path == "deadline" {
		err = seam.ErrExpired.From(err)
	}
	return res, err
}

// abort ends the request, which may have to be found first.
func (a *asking) abort(ctx context.Context) (Result, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abortTime)
	defer cancel()
	if a.id == "" {
		res, err := a.post(ctx, 0)
		if err != nil || res.Status.Ended() {
			if _, said := seam.AsError(err); err == nil || said {
				return res, err
			}
			return Result{}, seam.ErrAborted.From(err)
		}
		a.id = res.Request
	}
	now, err := a.Abort(ctx, a.id)
	if err != nil {
		return Result{}, &seam.Error{Code: seam.ErrAborted, Request: a.id, Cause: err}
	}
	return ended(now)
}

// retry tries until the daemon has said something final, or has not been there for patience.
func (c *Client) retry(ctx context.Context, patience time.Duration, try func(context.Context) error) error {
	var since time.Time
	first := cmp.Or(c.pause, firstPause)
	for pause := first; ; pause = min(2*pause, longestPause) {
		err := try(ctx)
		lost, isLost := errors.AsType[*lostError](err)
		e, refused := seam.AsError(err)
		away := refused && (e.Code == seam.ErrDraining || e.Code == seam.ErrStore)
		if !isLost && !away {
			return err
		}
		now := time.Now()
		if stood := isLost && !lost.met.IsZero() && now.Sub(lost.met) > settledIn; since.IsZero() || stood {
			since, pause = now, first
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
		switch {
		case ctx.Err() != nil:
			return &leftError{cause: context.Cause(ctx)}
		case time.Since(since) < patience:
		case refused && e.Code == seam.ErrStore:
			return err
		default:
			return fmt.Errorf("%w: %w", ErrUnreachable, err)
		}
	}
}

func traced(ctx context.Context, met *time.Time) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { *met = time.Now() },
	})
}

// endings is what a request that ended without an answer is to its caller. Why it failed, the first round has told.
var endings = map[seam.State]seam.Code{
	seam.Cancelled: seam.ErrCancelled, seam.Aborted: seam.ErrAborted, seam.Expired: seam.ErrExpired,
	seam.Abandoned: seam.ErrAbandoned, seam.Failed: seam.ErrDeliveryFailed,
}

// ended is what a request, read by its id, means for the one who asked.
func ended(r Request) (Result, error) {
	res := Result{Request: r.Request, Status: r.Status}
	var given []seam.Answer
	for _, q := range r.Questions {
		if q.Answer == nil {
			continue
		}
		res.Answers = append(res.Answers, *q.Answer)
		res.AnsweredBy = append(res.AnsweredBy, q.AnsweredBy...)
		if q.Status == seam.ItemAnswered || q.Status == seam.ItemSkipped {
			given = append(given, *q.Answer)
		} else {
			res.Defaulted = append(res.Defaulted, q.ID)
		}
	}
	code, failed := endings[r.Status]
	if !failed || r.Status == seam.Expired && len(res.Defaulted) > 0 {
		return res, nil
	}
	return Result{}, &seam.Error{Code: code, Request: r.Request, Partial: given}
}

// askBody is a request as it is sent.
type askBody struct {
	Questions []seam.Question           `json:"questions"`
	Key       string                    `json:"key,omitempty"`
	Session   string                    `json:"session,omitempty"`
	Agent     string                    `json:"agent,omitempty"`
	Instance  string                    `json:"instance,omitempty"`
	Deadline  string                    `json:"deadline,omitempty"`
	Default   map[string]seam.DefaultOf `json:"default,omitzero"`
	Route     string                    `json:"route,omitempty"`
}

// encodeAsk is the body of an ask that began some time ago: what is left of a deadline shrinks with each try.
func encodeAsk(r seam.Request, ago time.Duration) []byte {
	b := askBody{
		Questions: append([]seam.Question{}, r.Questions...), Key: r.Key, Route: r.Route,
		Session: r.Caller.Session, Agent: r.Caller.Agent, Instance: r.Caller.Instance,
	}
	switch {
	case r.Within != 0:
		b.Deadline = max(r.Within-ago, over).Round(time.Millisecond).String()
	case !r.Deadline.IsZero():
		b.Deadline = r.Deadline.UTC().Format(time.RFC3339Nano)
	}
	if r.Default != nil {
		b.Default = map[string]seam.DefaultOf{}
	}
	for id, d := range r.Default {
		d.Selected = append([]string{}, d.Selected...)
		b.Default[id] = d
	}
	return encodeJSON(b)
}

// encodeSubmission is the body of the answers API.
func encodeSubmission(s seam.Submission) []byte {
	if s.Cancel && len(s.Answers) == 0 {
		return encodeJSON(map[string]bool{"cancel": true})
	}
	answers := []any{}
	for _, a := range s.Answers {
		if a.Skip {
			answers = append(answers, map[string]any{"id": a.ID, "skip": true})
			continue
		}
		answers = append(answers, seam.Answer{ID: a.ID, Selected: append([]string{}, a.Selected...), Custom: a.Custom})
	}
	body := map[string]any{"answers": answers}
	if s.Cancel {
		body["cancel"] = true
	}
	return encodeJSON(body)
}
