package tool

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// get shows a request as it stands, or after the wait. It always answers with the request, whatever its state: that it
// was dismissed is no failure of reading it.
func (h *HTTP) get(c call) error {
	wait, waits, err := c.waitOf()
	if err != nil {
		return err
	}
	id := c.r.PathValue("id")
	rec, err := h.read(c.r.Context(), c.who, id)
	if err != nil {
		return err
	}
	if waits && wait > instant && !rec.State.Ended() {
		ctx, done := c.context(h.open)
		defer done()
		if c.who.owns(rec) {
			rec, err = h.join(ctx, c.who, id, wait)
		} else {
			rec, err = h.watch(ctx, id, wait)
		}
		gone(c.r)
		if revoked := h.still(c.r.Context(), c.who); revoked != nil {
			return revoked
		}
		if err != nil {
			return err
		}
	}
	err = c.reply(http.StatusOK, encodeRequest(rec))
	h.delivered(c, rec, err)
	return nil
}

// read gets a request that the caller may see. Another caller's looks like none.
func (h *HTTP) read(ctx context.Context, who caller, id string) (seam.Record, error) {
	rec, err := h.ports.Requests.Get(ctx, id)
	if err == nil && !who.seesAll() && !who.owns(rec) {
		return seam.Record{}, seam.ErrNotFound
	}
	return rec, err
}

// join waits as the asking token: while it does, the request is not detached.
func (h *HTTP) join(ctx context.Context, who caller, id string, wait time.Duration) (seam.Record, error) {
	out, err := h.ports.Asker.Wait(ctx, id, who.Name, wait)
	if out.Record != nil { // also one that ended otherwise
		return *out.Record, nil
	}
	return seam.Record{}, err
}

// tailed is how many log entries a reader takes at once.
const tailed = 100

// watch waits as a mere reader, which leaves no trace: it follows the log, from before the record is read.
func (h *HTTP) watch(ctx context.Context, id string, wait time.Duration) (seam.Record, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, errWaited)
	defer cancel()
	cursor, err := h.ports.Log.Head(ctx)
	for err == nil {
		var rec seam.Record
		if rec, err = h.ports.Requests.Get(ctx, id); err != nil || rec.State.Ended() {
			return rec, err
		}
		cursor, err = h.heard(ctx, id, cursor)
	}
	if errors.Is(context.Cause(ctx), errWaited) {
		return h.ports.Requests.Get(context.WithoutCancel(ctx), id)
	}
	return seam.Record{}, err
}

var errWaited = errors.New("the wait is over")

// heard blocks until the log speaks of a request.
func (h *HTTP) heard(ctx context.Context, id, cursor string) (string, error) {
	for {
		entries, err := h.ports.Log.Tail(ctx, cursor, tailed)
		if err != nil {
			return cursor, err
		}
		for _, e := range entries {
			cursor = e.ID
		}
		if slices.ContainsFunc(entries, func(e seam.Entry) bool { return e.Request == id }) {
			return cursor, nil
		}
	}
}

// abort ends a request on purpose, and shows it as it stands: what was answered before stays answered.
func (h *HTTP) abort(c call) error {
	token := c.who.Name
	if c.who.has(ScopeAdmin) {
		token = ""
	}
	rec, err := h.ports.Asker.Abort(c.r.Context(), c.r.PathValue("id"), token)
	if err != nil {
		return err
	}
	err = c.reply(http.StatusOK, encodeRequest(rec))
	h.delivered(c, rec, err)
	return nil
}

// The size of a page of requests.
const (
	maxList     = 200
	defaultList = 50
)

// list shows requests, newest first. An agent sees its own, whatever it asks for. A list delivers no answers.
func (h *HTTP) list(c call) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	out := List{Requests: []Request{}}
	if !c.who.seesAll() {
		if q.Caller != "" && q.Caller != c.who.Name {
			return written(c.reply(http.StatusOK, out))
		}
		q.Caller = c.who.Name
	}
	recs, cursor, err := h.ports.Requests.List(c.r.Context(), q)
	if err != nil {
		return err
	}
	for _, rec := range recs {
		out.Requests = append(out.Requests, encodeRequest(rec))
	}
	out.Cursor = cursor
	return written(c.reply(http.StatusOK, out))
}

func (c call) query() (seam.Query, error) {
	in := c.r.URL.Query()
	q := seam.Query{Caller: in.Get("agent"), Status: seam.State(in.Get("status")), Cursor: in.Get("cursor"), Limit: defaultList}
	var bad []seam.Fault
	if q.Status != "" && !slices.Contains(seam.States, q.Status) {
		bad = append(bad, seam.Fault{Path: "status", Problem: "is no status of a request"})
	}
	if in.Has("limit") {
		n, err := strconv.Atoi(in.Get("limit"))
		if err != nil || n < 1 {
			bad = append(bad, seam.Fault{Path: "limit", Problem: "must be a number from 1 to 200"})
		}
		q.Limit = min(n, maxList)
	}
	if len(bad) > 0 {
		return q, &seam.Error{Code: seam.ErrMalformed, Faults: bad}
	}
	return q, nil
}
