package tool

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// maxWait is the longest that one call may wait where a wait is given (DESIGN section 14).
const maxWait = 10 * time.Minute

// instant is the wait of a call that comes back at once, where zero means without limit.
const instant time.Duration = 1

// waitOf is how long a call wants to wait. given tells whether it says so at all.
func (c call) waitOf() (wait time.Duration, given bool, err error) {
	query := c.r.URL.Query()
	if !query.Has("wait") {
		return 0, false, nil
	}
	wait, bad := time.ParseDuration(query.Get("wait"))
	if bad != nil || wait < 0 {
		return 0, true, malformed("wait", `must be a duration ("30s", "10m")`)
	}
	return max(instant, min(wait, maxWait)), true, nil
}

func malformed(path, problem string) *seam.Error {
	return &seam.Error{Code: seam.ErrMalformed, Faults: []seam.Fault{{Path: path, Problem: problem}}}
}

// ask blocks until the request has ended, or for ?wait=.
//
// A client that leaves has not aborted: its request stays (DESIGN section 6, "Which end is which"). The same goes for a
// token that is revoked meanwhile; that call ends with UNAUTHENTICATED.
func (h *HTTP) ask(c call) error {
	req, err := c.request()
	if err != nil {
		return err
	}
	ctx, done := c.context()
	defer done()
	out, err := h.ports.Asker.Ask(ctx, req)
	return h.asked(ctx, c, out, err)
}

// asked answers a call that has come back. It stands apart so that the frames below a blocked call stay shallow.
func (h *HTTP) asked(ctx context.Context, c call, out seam.Outcome, err error) error {
	if revoked := h.still(ctx, c.who); revoked != nil {
		return revoked
	}
	if err != nil {
		return err
	}
	status := http.StatusOK
	if !out.Record.State.Ended() {
		status = http.StatusAccepted
	}
	err = c.reply(status, encodeOutcome(out))
	h.delivered(c, *out.Record, err)
	return nil
}

// request decodes the body. It is a function of its own so that nothing of it is held while the call blocks.
func (c call) request() (seam.Request, error) {
	raw, err := c.body()
	if err != nil {
		return seam.Request{}, err
	}
	wait, _, bad := c.waitOf()
	r, err := DecodeAsk(raw)
	if err = together(err, bad); err != nil {
		return r, err
	}
	r.Wait, r.Routes = wait, c.who.Routes
	r.Caller.Token, r.Caller.Person = c.who.Name, c.who.Person
	return r, nil
}

// together joins the faults of two malformed parts.
func together(a, b error) error {
	first, bad := seam.AsError(a)
	second, worse := seam.AsError(b)
	switch {
	case !bad && !worse:
		return nil
	case !bad:
		return second
	case !worse:
		return first
	}
	return &seam.Error{Code: seam.ErrMalformed, Faults: append(first.Faults, second.Faults...), Cause: errors.Join(first.Cause, second.Cause)}
}

// delivered records that the asking token got the answers: they were written in full while the call was still open.
func (h *HTTP) delivered(c call, rec seam.Record, written error) {
	if written == nil && c.who.owns(rec) && rec.State == seam.Answered && c.r.Context().Err() == nil {
		h.ports.Asker.Delivered(c.r.Context(), rec.ID)
	}
}
