package store

import (
	"context"
	"strings"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// trim is how many old log entries one Lapse forgets at most.
const trim = 1000

// Lapse moves what is due. An idle store is only read: the head of the schedule, the leases, the head of the log.
func (s *Store) Lapse(ctx context.Context, limit int) ([]seam.Record, error) {
	idle := true
	err := s.engine.View(func(tx Tx) error {
		st := &step{Tx: tx, s: s, now: s.now()}
		idle = len(st.dead()) == 0 && len(st.head(1)) == 0 && len(st.oldLog(1)) == 0
		return nil
	})
	if err != nil || idle {
		return nil, err
	}
	var out []seam.Record
	err = s.update(ctx, "lapse", func(st *step) error {
		for _, replica := range st.dead() {
			if err := st.bury(replica, limit); err != nil {
				return err
			}
		}
		for _, id := range st.head(limit) {
			rec, err := st.lapse(id)
			if err != nil {
				return err
			}
			if rec != nil {
				out = append(out, *rec)
			}
		}
		for _, key := range st.oldLog(trim) {
			st.Delete(logs, key)
		}
		return nil
	})
	return out, err
}

// head lists up to limit requests that are due.
func (st *step) head(limit int) (ids []string) {
	end := stamp(st.now.Add(time.Millisecond))
	st.Scan(schedules, "", func(key string, _ []byte) bool {
		if key >= end || len(ids) == limit {
			return false
		}
		_, id, _ := strings.Cut(key, "\x00")
		ids = append(ids, id)
		return true
	})
	return ids
}

// lapse moves one request; what it returns needs a hand.
func (st *step) lapse(id string) (*seam.Record, error) {
	old, err := st.load(id)
	if err != nil {
		return nil, err
	}
	if old.State.Ended() && !st.now.Before(old.Ended.Add(st.s.cfg.Retention)) {
		st.remove(&old)
		return nil, nil
	}
	rec := old.Clone()
	events := lapse(&rec, st.s.cfg, st.now)
	if !needsHand(&rec) {
		return nil, st.save(old, &rec, events)
	}
	attempted(&rec, st.now)
	out := rec.Clone()
	return &out, st.write(old, &rec, events)
}

// dead lists the replicas whose lease is over.
func (st *step) dead() (replicas []string) {
	now := stamp(st.now)
	st.Scan(leases, "", func(replica string, until []byte) bool {
		if string(until) <= now {
			replicas = append(replicas, replica)
		}
		return true
	})
	return replicas
}

// bury takes a dead replica out of what it waited for, up to limit requests; the lease goes when none is left.
func (st *step) bury(replica string, limit int) error {
	var ids []string
	prefix := ownerKey(replica, "")
	st.Scan(owners, prefix, func(key string, _ []byte) bool {
		id, ok := strings.CutPrefix(key, prefix)
		if ok && len(ids) < limit {
			ids = append(ids, id)
		}
		return ok && len(ids) < limit
	})
	for _, id := range ids {
		old, err := st.load(id)
		if err != nil {
			return err
		}
		rec := old.Clone()
		events := append(release(&rec, replica, false, st.now), lapse(&rec, st.s.cfg, st.now)...)
		if unposted(&rec) {
			rec.RedrawAt = st.now // it died before it posted: at once
		}
		if err := st.save(old, &rec, events); err != nil {
			return err
		}
	}
	if len(ids) < limit {
		st.Delete(leases, replica)
	}
	return nil
}

// Beat renews the lease of a replica and of the agents with open calls.
func (s *Store) Beat(ctx context.Context, replica string, live []seam.Caller) error {
	return s.update(ctx, "beat", func(st *step) error {
		st.Put(leases, replica, []byte(stamp(st.now.Add(s.cfg.Lease))))
		for _, c := range live {
			if a, ok := st.agent(c.Agent); ok && a.Token == c.Token && a.Instance == c.Instance {
				a.Expires = st.now.Add(s.cfg.AgentTTL)
				st.Put(agents, a.ID, encode(a))
			}
		}
		return nil
	})
}
