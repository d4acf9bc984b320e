package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

const (
	// comment is how often a silent stream says that it is alive: proxies cut streams that are silent for half a minute.
	comment = 15 * time.Second
	// tailed is how many entries of the log are told at once.
	tailed = 100
	// writing is how long a piece of a stream may take.
	writing = 10 * time.Second
	// comeback is when a browser comes back to a stream that ended.
	comeback = 2 * time.Second
)

// live tells an open page that requests have changed, by their ids; the page then reads itself again. It tells no
// question and no answer.
func (i *Inbox) live(w http.ResponseWriter, r *http.Request) {
	s, err := i.session(r.Context(), r)
	cursor := ""
	if err == nil {
		cursor, err = i.ports.Log.Head(r.Context()) // before the browser reads its page anew: so it misses nothing
	}
	switch {
	case errors.Is(err, seam.ErrNotFound):
		w.WriteHeader(http.StatusUnauthorized)
		return
	case err != nil:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case r.Method == http.MethodHead:
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(i.open, cancel)()
	st := stream{w: w, rc: http.NewResponseController(w)}
	if !st.write("retry: %d\n\n", comeback.Milliseconds()) {
		return
	}
	i.follow(ctx, st, s, i.changes(ctx, cursor))
}

// follow writes what comes until the browser goes, the log falls silent for good, or the session ends.
func (i *Inbox) follow(ctx context.Context, st stream, s session, changes <-chan []seam.Entry) {
	quiet := time.NewTicker(comment)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-quiet.C:
			if _, err := i.ports.Grants.Grant(ctx, s.hash); errors.Is(err, seam.ErrNotFound) {
				return
			}
			if !st.write(":\n\n") {
				return
			}
		case entries, ok := <-changes:
			if !ok || !st.tell(entries) {
				return
			}
		}
	}
}

// changes follows the log after a cursor until ctx ends or the log fails; then the browser comes back and reads its page anew.
func (i *Inbox) changes(ctx context.Context, cursor string) <-chan []seam.Entry {
	out := make(chan []seam.Entry)
	go func() {
		defer close(out)
		for {
			entries, err := i.ports.Log.Tail(ctx, cursor, tailed)
			if err != nil || len(entries) == 0 {
				return
			}
			cursor = entries[len(entries)-1].ID
			select {
			case out <- entries:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// stream is a response of server-sent events.
type stream struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

// tell writes one event per request.
func (st stream) tell(entries []seam.Entry) bool {
	told := map[string]bool{}
	for _, e := range entries {
		if told[e.Request] || e.Request == "" {
			continue
		}
		told[e.Request] = true
		if !st.write("event: change\ndata: %s\n\n", e.Request) {
			return false
		}
	}
	return true
}

// write sends a piece off, and reports whether the browser is still there.
func (st stream) write(format string, args ...any) bool {
	_ = st.rc.SetWriteDeadline(time.Now().Add(writing)) // not every server can
	_, err := fmt.Fprintf(st.w, format, args...)
	if err == nil {
		err = st.rc.Flush()
	}
	_ = st.rc.SetWriteDeadline(time.Time{})
	return err == nil
}
