package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// comment is how often a silent stream says that it is alive: proxies cut streams that say nothing for half a minute.
const comment = 15 * time.Second

// told are the events of the log that /v1/events tells. The others are for the audit trail alone.
var told = []string{
	seam.EventAsked, seam.EventPlaced, seam.EventVoted, seam.EventAnswered, seam.EventSkipped, seam.EventClosed,
	seam.EventDetached, seam.EventRetired,
}

// StreamEvent is the data of one server-sent event.
type StreamEvent struct {
	Request  string     `json:"request"`
	Status   seam.State `json:"status"`
	Question string     `json:"question,omitempty"`
	At       time.Time  `json:"at"`
}

// events streams what happens to the requests that the caller may see, from now on or after Last-Event-ID.
func (h *HTTP) events(c call) error {
	ctx, done := c.context(h.open)
	defer done()
	cursor, err := h.ports.Log.Head(ctx)
	if err != nil {
		return err
	}
	head := cursor
	if last := c.r.Header.Get("Last-Event-ID"); last != "" {
		cursor = last
	}
	header := c.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	header.Set("X-Content-Type-Options", "nosniff")
	chunk := []byte(": bridge\n\n")
	for c.push(chunk) == nil {
		var entries []seam.Entry
		entries, err = h.tail(ctx, cursor)
		if errors.Is(err, seam.ErrMalformed) && cursor != head {
			cursor, chunk = head, nil // an id that this log does not know: from now on
			continue
		}
		if err != nil || h.still(ctx, c.who) != nil {
			return nil // the client comes back with the last id that it has seen
		}
		if chunk = nil; len(entries) == 0 {
			chunk = []byte(":\n\n")
		}
		for _, e := range entries {
			cursor = e.ID
			if slices.Contains(told, e.Event) && (c.who.seesAll() || e.Caller == c.who.Name) {
				chunk = append(chunk, encodeEvent(e)...)
			}
		}
	}
	return nil
}

// tail waits for entries, but not longer than a stream may be silent.
func (h *HTTP) tail(ctx context.Context, cursor string) ([]seam.Entry, error) {
	quiet, cancel := context.WithTimeoutCause(ctx, comment, errWaited)
	defer cancel()
	entries, err := h.ports.Log.Tail(quiet, cursor, tailed)
	if err != nil && ctx.Err() == nil && errors.Is(context.Cause(quiet), errWaited) {
		return nil, nil
	}
	return entries, err
}

func encodeEvent(e seam.Entry) []byte {
	var b bytes.Buffer
	data := encodeJSON(StreamEvent{Request: e.Request, Status: e.Status, Question: e.Question, At: e.At.UTC()})
	fmt.Fprintf(&b, "id: %s\nevent: %s\ndata: %s\n", e.ID, e.Event, data)
	return b.Bytes()
}

// push writes a piece of a stream and sends it off.
func (c call) push(chunk []byte) error {
	if len(chunk) == 0 {
		return c.r.Context().Err()
	}
	rc := http.NewResponseController(c.w)
	_ = rc.SetWriteDeadline(time.Now().Add(bodyTime))
	defer func() { _ = rc.SetWriteDeadline(time.Time{}) }()
	if _, err := c.w.Write(chunk); err != nil {
		return err
	}
	return rc.Flush()
}
