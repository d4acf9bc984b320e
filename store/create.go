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
func (s *Store) Create(ctx context.Context, n seam.New) (rec seam.Record, joined bool, err error) {
	err = s.update(ctx, "create", func(st *step) error {
		if err := st.checkCaller(n.Body.Caller); err != nil {
			return err
		}
		standing, err := st.standing(n)
		if err != nil {
			return err
		}
		if joined = standing.State != ""; joined {
			rec, err = st.joinIn(standing, n)
			return err
		}
		rec, err = st.create(n)
		return err
	})
	if err != nil {
		return seam.Record{}, false, err
	}
	return rec.Clone(), joined, nil
}

// standing is the request that a new one joins; its State is "" where there is none.
func (st *step) standing(n seam.New) (seam.Record, error) {
	token, none := n.Body.Caller.Token, seam.Record{}
	if n.Key != "" {
		rec, err := st.indexed(keys, keyKey(token, n.Key))
		if err != nil {
			return none, err
		}
		if slices.Contains([]seam.State{seam.Pending, seam.Answered, seam.Cancelled}, rec.State) {
			if rec.Hash != n.Body.Hash {
				return none, &seam.Error{Code: seam.ErrKeyReused, Request: rec.ID}
			}
			return rec, nil
		}
	}
	if n.Body.Caller.Session == "" {
		return none, nil
	}
	rec, err := st.indexed(sessions, sessionKey(n.Body.Caller, n.Body.Hash))
	fresh := rec.State == seam.Answered && rec.Delivered.IsZero() && st.now.Before(rec.Ended.Add(st.s.cfg.Grace))
	if err != nil || rec.State == seam.Pending || fresh {
		return rec, err
	}
	return none, nil
}

// indexed reads the record that an index names, as its clock has it.
func (st *step) indexed(bucket, key string) (seam.Record, error) {
	id := st.Get(bucket, key)
	if id == nil {
		return seam.Record{}, nil
	}
	old, err := st.load(string(id))
	if err != nil {
		return seam.Record{}, err
	}
	rec := old.Clone()
	events := lapse(&rec, st.s.cfg, st.now)
	return rec, st.save(old, &rec, events)
}

// joinIn binds the key, counts the replica in, and logs the replay of what has ended.
func (st *step) joinIn(old seam.Record, n seam.New) (seam.Record, error) {
	rec := old.Clone()
	if n.Key != "" && !slices.Contains(rec.Keys, n.Key) {
		rec.Keys = append(rec.Keys, n.Key)
		st.Put(keys, keyKey(rec.Caller.Token, n.Key), []byte(rec.ID))
	}
	if _, err := hold(seam.Hold{Replica: n.Replica, Kind: seam.Attach})(&rec, st.now); err != nil {
		return rec, err
	}
	if rec.State.Ended() {
		e := event(seam.EventReplayed, &rec, 0)
		e.Status = rec.State
		st.log(e)
	}
	return rec, st.save(old, &rec, nil)
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
	rec := seam.Record{Body: n.Body, Life: seam.Life{State: seam.Pending, Owners: []string{n.Replica}}}
	rec.Created, rec.Items = st.now, make([]seam.Item, len(n.Body.Questions))
	for i := range rec.Items {
		rec.Items[i].State = seam.ItemPending
	}
	if n.Within > 0 {
		rec.Deadline = st.now.Add(n.Within)
	}
	rec.Deadline = rec.Deadline.UTC()
	if n.Key != "" {
		rec.Keys = []string{n.Key}
		st.Put(keys, keyKey(token, n.Key), []byte(rec.ID))
	}
	if n.Body.Caller.Session != "" {
		st.Put(sessions, sessionKey(rec.Caller, rec.Hash), []byte(rec.ID))
	}
	st.Put(bodies, rec.ID, encode(rec.Body))
	for _, of := range []string{"", token} {
		st.Put(lists, listKey(listAll, of, &rec.Body), nil)
	}
	return rec, st.save(seam.Record{}, &rec, []seam.Entry{event(seam.EventAsked, &rec, 0)})
}
