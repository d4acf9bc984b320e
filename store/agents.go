package store

import (
	"context"
	"encoding/json"

	"github.com/askbridge/bridge/internal/seam"
)

func (st *step) agent(id string) (a seam.Agent, ok bool) {
	raw := st.Get(agents, id)
	return a, raw != nil && json.Unmarshal(raw, &a) == nil
}

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
	if owner, ok := st.live(a.Owner); ok && owner.Token == c.Token {
		return seam.ErrDelegatedCaller
	}
	return nil
}

// Check is nil when the caller may ask.
func (s *Store) Check(_ context.Context, c seam.Caller) error {
	return s.engine.View(func(tx Tx) error {
		return (&step{Tx: tx, s: s, now: s.now()}).checkCaller(c)
	})
}

// Register makes a new agent, or a new instance of one.
func (s *Store) Register(ctx context.Context, a seam.Agent) (seam.Agent, error) {
	err := s.update(ctx, "register", func(st *step) error {
		if a.ID == "" {
			a.ID = seam.NewAgentID()
		} else if old, ok := st.agent(a.ID); !ok || old.Token != a.Token {
			return seam.ErrNotFound
		}
		if owner, ok := st.agent(a.Owner); ok && owner.Token != a.Token {
			return seam.ErrNotFound
		}
		a.Instance, a.Expires = seam.NewInstanceID(), st.now.Add(s.cfg.AgentTTL)
		st.Put(agents, a.ID, encode(a))
		return nil
	})
	return a, err
}

// Heartbeat keeps an instance alive.
func (s *Store) Heartbeat(ctx context.Context, token, agent, instance string) error {
	return s.update(ctx, "heartbeat", func(st *step) error {
		a, ok := st.agent(agent)
		switch {
		case !ok || a.Token != token:
			return seam.ErrNotFound
		case a.Instance != instance || !st.now.Before(a.Expires):
			return seam.ErrCallerNotLive
		}
		a.Expires = st.now.Add(s.cfg.AgentTTL)
		st.Put(agents, a.ID, encode(a))
		return nil
	})
}

// Unregister ends an agent. Its entry stays, so that its id can be taken up again by the same token.
func (s *Store) Unregister(ctx context.Context, token, agent string) error {
	return s.update(ctx, "unregister", func(st *step) error {
		a, ok := st.agent(agent)
		if !ok || a.Token != token {
			return seam.ErrNotFound
		}
		a.Expires = st.now
		st.Put(agents, a.ID, encode(a))
		return nil
	})
}
