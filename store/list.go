package store

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/askbridge/bridge/internal/seam"
)

// List selects requests, newest first. The cursor names the last one given; it stays right while requests come and go.
func (s *Store) List(_ context.Context, q seam.Query) (recs []seam.Record, cursor string, err error) {
	list := listAll
	if q.Status == seam.Pending {
		list = listPending
	}
	prefix := listPrefix(list, q.Caller)
	before := prefix + "\xff"
	if q.Cursor != "" {
		stamp, id, _ := strings.Cut(q.Cursor, ".")
		before = prefix + join(stamp, id)
	}
	err = s.engine.View(func(tx Tx) error {
		var failed error
		tx.ScanBack(lists, before, func(key string, _ []byte) bool {
			rest, ok := strings.CutPrefix(key, prefix)
			if !ok {
				return false
			}
			if len(recs) == q.Limit { // there is more
				last := recs[len(recs)-1]
				cursor = stamp(last.Created) + "." + last.ID
				return false
			}
			_, id, _ := strings.Cut(rest, "\x00")
			rec, err := load(tx, id)
			if failed = err; err != nil {
				return false
			}
			if q.Status == "" || rec.State == q.Status {
				recs = append(recs, rec)
			}
			return true
		})
		return failed
	})
	return recs, cursor, err
}

// log appends an entry.
func (st *step) log(e seam.Entry) {
	e.ID, e.At = strconv.FormatUint(last(st.Tx)+1, 10), st.now
	st.Put(logs, logKey(last(st.Tx)+1), encode(e))
	st.logged = true
}

// last is the number of the newest entry ever: a trimmed log keeps counting, its newest entry is never trimmed.
func last(tx Tx) (n uint64) {
	tx.ScanBack(logs, "", func(key string, _ []byte) bool {
		n, _ = strconv.ParseUint(key, 10, 64)
		return false
	})
	return n
}

// oldLog lists up to limit entries older than the retention, never the newest one.
func (st *step) oldLog(limit int) (old []string) {
	newest := logKey(last(st.Tx))
	st.Scan(logs, "", func(key string, raw []byte) bool {
		var e seam.Entry
		if key == newest || len(old) == limit || json.Unmarshal(raw, &e) != nil ||
			st.now.Before(e.At.Add(st.s.cfg.Retention)) {
			return false
		}
		old = append(old, key)
		return true
	})
	return old
}

// Note appends an entry of the desk's or a door's.
func (s *Store) Note(ctx context.Context, e seam.Entry) error {
	return s.update(ctx, "note", func(st *step) error {
		st.log(e)
		return nil
	})
}

// Tail gives up to limit entries after the cursor, and blocks until there is one. "" is from now on, "0" from the oldest.
func (s *Store) Tail(ctx context.Context, after string, limit int) ([]seam.Entry, error) {
	from, start := uint64(0), after == ""
	if !start {
		n, err := strconv.ParseUint(after, 10, 64)
		if err != nil {
			return nil, seam.ErrMalformed.With("%q is no cursor of the log", after)
		}
		from = n
	}
	for {
		s.mu.Lock()
		grown := s.logged
		s.mu.Unlock()
		var out []seam.Entry
		err := s.engine.View(func(tx Tx) error {
			if start {
				from, start = last(tx), false
			}
			out = entries(tx, from, limit)
			return nil
		})
		if err != nil || len(out) > 0 {
			return out, err
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func entries(tx Tx, after uint64, limit int) (out []seam.Entry) {
	tx.Scan(logs, logKey(after+1), func(_ string, raw []byte) bool {
		var e seam.Entry
		if json.Unmarshal(raw, &e) == nil {
			out = append(out, e)
		}
		return len(out) < limit
	})
	return out
}
