package store

import (
	"context"
	"slices"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// retryLimited is when a caller with too many open requests may try again.
const retryLimited = 30 * time.Second

// Create stores a new request, or joins a standing one.
func (s *Store) Create(ctx context.Context, n seam.New) (seam.Record, bool, error) {
	type result struct {
		rec    seam.Record
		joined bool
	}
	out, err := update(ctx, s, "create", func(st *step) (r result, err error) {
		if err := st.checkCaller(n.Body.Caller); err != nil {
			return r, err
		}
		standing, err := st.standing(n)
		switch {
		case err != nil:
			return r, err
		case standing.ID != "":
			return result{st.joinIn(standing, n), true}, nil
		}
		r.rec, err = st.create(n)
		return r, err
	})
	return out.rec, out.joined, err
}

// standing is the request that a new one joins; its ID is "" where there is none.
func (st *step) standing(n seam.New) (none seam.Record, err error) {
	token := n.Body.Caller.Token
	if n.Key != "" {
		rec, err := st.indexed(keys, keyKey(token, n.Key))
		switch {
		case err != nil:
			return none, err
		case !holdsKey(rec.State):
		case rec.Hash != n.Body.Hash:
			return none, &seam.Error{Code: seam.ErrKeyReused, Request: rec.ID}
		default:
			return rec, nil
		}
	}
	if n.Body.Caller.Session == "" {
		return none, nil
	}
	rec, err := st.indexed(sessions, sessionKey(n.Body.Caller, n.Body.Hash))
	if err != nil || !joinsSession(&rec, st.s.cfg, st.now) {
		return none, err
	}
	return rec, nil
}

// indexed reads the record that an index names, as its clock has it. One whose retention is over is there no more.
func (st *step) indexed(bucket, key string) (none seam.Record, err error) {
	id := string(st.get(bucket, key))
	if id == "" {
		return none, nil
	}
	old, err := st.load(id)
	if err != nil || outlived(&old, st.s.cfg, st.now) {
		return none, err
	}
	rec := old.Clone()
	st.save(old, &rec, lapse(&rec, st.s.cfg, st.now))
	return rec, nil
}

// joinIn binds the key, counts the replica in, and logs the replay of what has ended.
func (st *step) joinIn(old seam.Record, n seam.New) seam.Record {
	rec := old.Clone()
	if n.Key != "" && !slices.Contains(rec.Keys, n.Key) {
		rec.Keys = append(rec.Keys, n.Key)
	}
	if n.Key != "" {
		st.put(keys, keyKey(rec.Caller.Token, n.Key), []byte(rec.ID))
	}
	if rec.State.Ended() {
		e := event(seam.EventReplayed, &rec, 0)
		e.Status = rec.State
		st.log(e)
	} else {
		attach(&rec, n.Replica)
	}
	st.save(old, &rec, nil)
	return rec
}

func (st *step) create(n seam.New) (seam.Record, error) {
	token := n.Body.Caller.Token
	switch {
	case n.JoinOnly:
		return seam.Record{}, seam.ErrNotFound
	case n.Limit > 0 && st.open(token) >= n.Limit:
		e := seam.ErrRateLimited.With("at most %d requests of one caller may be open", n.Limit)
		e.Retry = retryLimited
		return seam.Record{}, e
	}
	rec := born(n, st.now)
	rec.Created = st.s.cfg.Now().UTC().Truncate(time.Microsecond) // finer than the rest: it is the order of the lists
	if n.Key != "" {
		st.put(keys, keyKey(token, n.Key), []byte(rec.ID))
	}
	if n.Body.Caller.Session != "" {
		st.put(sessions, sessionKey(rec.Caller, rec.Hash), []byte(rec.ID))
	}
	st.put(bodies, rec.ID, encode(rec.Body))
	st.list(listAll, &rec)
	st.save(seam.Record{}, &rec, []seam.Entry{event(seam.EventAsked, &rec, 0)})
	return rec, nil
}
