package store

import (
	"context"
	"encoding/json"

	"github.com/askbridge/bridge/internal/seam"
)

func (st *step) agent(id string) (a seam.Agent, ok bool) {
	raw := st.get(agents, id)
	return a, raw != nil && json.Unmarshal(raw, &a) == nil
}

func (st *step) putAgent(a seam.Agent) { st.put(agents, a.ID, encode(a)) }

// live reports whether an agent has an instance that has not missed its heartbeat.
func (st *step) live(id string) (a seam.Agent, ok bool) {
	a, ok = st.agent(id)
	return a, ok && st.now.Before(a.Expires)
}

// checkCaller judges the live instance and its owner. Without an agent there is nothing to judge.
func (st *step) checkCaller(c seam.Caller) error {
	if c.Agent == "" && c.Instance == "" {
		return nil
	}
	a, ok := st.live(c.Agent)
	if !ok || a.Token != c.Token || a.Instance != c.Instance {
		return seam.ErrCallerNotLive
	}
	if owner, ok := st.live(a.Owner); ok && owner.Token == c.Token && owner.ID != a.ID {
		return seam.ErrDelegatedCaller
	}
	return nil
}

// Check is nil when the caller may ask.
func (s *Store) Check(ctx context.Context, c seam.Caller) error {
	return s.view(ctx, func(st *step) error { return st.checkCaller(c) })
}

// Register makes a new agent, or a new instance of one.
func (s *Store) Register(ctx context.Context, a seam.Agent) (seam.Agent, error) {
	return update(ctx, s, "register", func(st *step) (seam.Agent, error) {
		now := a
		old, known := st.agent(a.ID)
		switch owner, ok := st.agent(a.Owner); {
		case a.ID != "" && (!known || old.Token != a.Token):
			return now, seam.ErrNotFound
		case ok && owner.Token != a.Token:
			return now, seam.ErrNotFound
		}
		if !known {
			now.ID = seam.NewAgentID()
			st.put(forget, scheduleKey(st.now.Add(s.cfg.Retention), now.ID), nil)
		}
		now.Instance, now.Expires = seam.NewInstanceID(), st.now.Add(s.cfg.AgentTTL)
		st.putAgent(now)
		return now, nil
	})
}

// Heartbeat keeps an instance alive.
func (s *Store) Heartbeat(ctx context.Context, token, agent, instance string) error {
	return s.run(ctx, "heartbeat", func(st *step) error {
		a, ok := st.agent(agent)
		switch {
		case !ok || a.Token != token:
			return seam.ErrNotFound
		case a.Instance != instance || !st.now.Before(a.Expires):
			return seam.ErrCallerNotLive
		}
		a.Expires = st.now.Add(s.cfg.AgentTTL)
		st.putAgent(a)
		return nil
	})
}

// Unregister ends an agent. Its entry stays for a while, so that its token can take its id up again.
func (s *Store) Unregister(ctx context.Context, token, agent string) error {
	return s.run(ctx, "unregister", func(st *step) error {
		a, ok := st.agent(agent)
		if !ok || a.Token != token {
			return seam.ErrNotFound
		}
		a.Instance, a.Expires = "", st.now // no instance that a late heartbeat could bring back
		st.putAgent(a)
		return nil
	})
}

// forget drops an agent that has not been live for the retention; one that has is looked at again later.
func (st *step) forget(e entry) {
	st.delete(forget, e.key)
	a, ok := st.agent(e.id)
	over := a.Expires.Add(st.s.cfg.Retention)
	switch {
	case !ok:
	case st.now.Before(over):
		st.put(forget, scheduleKey(over, a.ID), nil)
	default:
		st.delete(agents, a.ID)
	}
}
