package store

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/askbridge/bridge/internal/seam"
)

// log appends an entry. Numbers are never given twice, whatever was trimmed.
func (st *step) log(e seam.Entry) {
	n := st.newest() + 1
	e.ID, e.At = strconv.FormatUint(n, 10), st.now
	st.put(meta, metaLog, []byte(e.ID))
	st.put(logs, logKey(n), encode(e))
	st.logged = true
}

func (st *step) newest() uint64 {
	n, _ := strconv.ParseUint(string(st.get(meta, metaLog)), 10, 64)
	return n
}

// oldLog lists up to limit entries older than the retention.
func (st *step) oldLog(limit int) (old []string) {
	st.tx.Scan(logs, "", func(key string, raw []byte) bool {
		var e seam.Entry
		if len(old) == limit || json.Unmarshal(raw, &e) == nil && st.now.Before(e.At.Add(st.s.cfg.Retention)) {
			return false
		}
		old = append(old, key)
		return true
	})
	return old
}

// Note appends an entry of the desk's or a door's.
func (s *Store) Note(ctx context.Context, e seam.Entry) error {
	return s.run(ctx, "note", func(st *step) error {
		st.log(e)
		return nil
	})
}

// Head is the cursor of the newest entry: what comes after it is what happens from now on.
func (s *Store) Head(ctx context.Context) (cursor string, err error) {
	err = s.view(ctx, func(st *step) error {
		cursor = strconv.FormatUint(st.newest(), 10)
		return nil
	})
	return cursor, err
}

// Tail gives up to limit entries after the cursor, and blocks until there is one. "" is from now on, "0" from the oldest.
func (s *Store) Tail(ctx context.Context, cursor string, limit int) ([]seam.Entry, error) {
	var from uint64
	if cursor != "" {
		n, err := strconv.ParseUint(cursor, 10, 64)
		if err != nil {
			return nil, seam.ErrMalformed.With("%q is no cursor of the log", cursor)
		}
		from = n
	}
	for first := true; ; first = false {
		s.mu.Lock()
		grown := s.logged
		s.mu.Unlock()
		var out []seam.Entry
		err := s.view(ctx, func(st *step) error {
			// A cursor beyond the end is another log's: this one is told of from now on.
			if n := st.newest(); first && (cursor == "" || from > n) {
				from = n
			}
			out = st.entries(from, max(limit, 1))
			return nil
		})
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil || len(out) > 0:
			return out, err
		}
		select {
		case <-grown:
		case <-s.closed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (st *step) entries(after uint64, limit int) (out []seam.Entry) {
	st.tx.Scan(logs, logKey(after+1), func(_ string, raw []byte) bool {
		var e seam.Entry
		if json.Unmarshal(raw, &e) == nil {
			out = append(out, e)
		}
		return len(out) < limit
	})
	return out
}
