package store

import (
	"context"
	"strings"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

const (
	perLapse = 10   // for each record that a caller would take, how many are moved that need no hand
	trim     = 1000 // log entries and agents that one Lapse forgets at most
)

// Lapse moves what is due. An idle store is only read: the leases, the head of the schedule, the head of the log.
func (s *Store) Lapse(ctx context.Context, limit int) ([]seam.Record, error) {
	idle := true
	err := s.view(ctx, func(st *step) error {
		idle = len(st.dead()) == 0 && len(st.head(schedules, 1)) == 0 && len(st.oldLog(1)) == 0 && len(st.head(forget, 1)) == 0
		return nil
	})
	if err != nil || idle {
		return nil, err
	}
	// Two steps: what the first one schedules for now is due in the second.
	err = s.run(ctx, "lapse", func(st *step) error {
		for _, replica := range st.dead() {
			st.bury(replica, limit*perLapse)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return update(ctx, s, "lapse", func(st *step) ([]seam.Record, error) {
		for _, key := range st.oldLog(trim) {
			st.delete(logs, key)
		}
		for _, e := range st.head(forget, trim) {
			st.forget(e)
		}
		return st.lapseAll(limit), nil
	})
}

// entry is a place in a schedule.
type entry struct{ key, id string }

// head lists up to limit entries of a schedule that are due.
func (st *step) head(bucket string, limit int) (out []entry) {
	end := stamp(st.now.Add(time.Millisecond))
	st.tx.Scan(bucket, "", func(key string, _ []byte) bool {
		if key >= end || len(out) == limit {
			return false
		}
		_, id, _ := strings.Cut(key, "\x00")
		out = append(out, entry{key, id})
		return true
	})
	return out
}

// lapseAll moves what is due until limit records need a hand.
func (st *step) lapseAll(limit int) (hand []seam.Record) {
	for _, e := range st.head(schedules, limit*perLapse) {
		if len(hand) == limit {
			break
		}
		old, err := st.load(e.id)
		if err != nil { // one bad record must not stop the others for ever
			st.s.cfg.Log.Error("record left out of the schedule", "request", e.id, "error", err)
			st.delete(schedules, e.key)
			continue
		}
		if rec, needed := st.lapse(old); needed {
			hand = append(hand, rec)
		}
	}
	return hand
}

// lapse moves one request and reports whether it needs a hand.
func (st *step) lapse(old seam.Record) (rec seam.Record, hand bool) {
	if outlived(&old, st.s.cfg, st.now) {
		st.remove(&old)
		return rec, false
	}
	rec = old.Clone()
	events := lapse(&rec, st.s.cfg, st.now)
	if !needsHand(&rec, st.now) {
		st.save(old, &rec, events)
		return rec, false
	}
	attempted(&rec, st.now)
	st.keep(old, &rec, events)
	return rec, true
}

// replicas lists those whose lease, a stamp, is as asked.
func (st *step) replicas(lease func(until string) bool) (replicas []string) {
	st.tx.Scan(leases, "", func(replica string, until []byte) bool {
		if lease(string(until)) {
			replicas = append(replicas, replica)
		}
		return true
	})
	return replicas
}

// dead lists the replicas whose lease is over.
func (st *step) dead() []string {
	now := stamp(st.now)
	return st.replicas(func(until string) bool { return until <= now })
}

// bury takes a dead replica out of what it waited for, up to limit requests; the lease goes when none is left.
func (st *step) bury(replica string, limit int) {
	var ids []string
	prefix := ownerKey(replica, "")
	st.tx.Scan(owners, prefix, func(key string, _ []byte) bool {
		id, ok := strings.CutPrefix(key, prefix)
		if ok && len(ids) < limit {
			ids = append(ids, id)
		}
		return ok && len(ids) < limit
	})
	for _, id := range ids {
		old, err := st.load(id)
		if err != nil {
			st.s.cfg.Log.Error("record of a dead replica not read", "request", id, "error", err)
			st.delete(owners, ownerKey(replica, id))
			continue
		}
		rec := old.Clone()
		events := lapse(&rec, st.s.cfg, st.now)
		st.save(old, &rec, append(events, mourn(&rec, replica, st.now)...))
	}
	if len(ids) < limit {
		st.delete(leases, replica)
	}
}

// Beat renews the lease of a replica and of the agents with open calls.
func (s *Store) Beat(ctx context.Context, replica string, live []seam.Caller) error {
	return s.run(ctx, "beat", func(st *step) error {
		st.put(leases, replica, []byte(stamp(st.now.Add(s.cfg.Lease))))
		for _, c := range live {
			if a, ok := st.agent(c.Agent); ok && a.Token == c.Token && a.Instance == c.Instance {
				a.Expires = st.now.Add(s.cfg.AgentTTL)
				st.putAgent(a)
			}
		}
		return nil
	})
}
