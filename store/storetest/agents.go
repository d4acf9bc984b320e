package storetest

import (
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

func (b *bench) register(a seam.Agent) seam.Agent {
	b.Helper()
	if a.Token == "" {
		a.Token = "ci"
	}
	got, err := b.Register(b.ctx(), a)
	if err != nil {
		b.Fatal(err)
	}
	return got
}

func caller(a seam.Agent) seam.Caller {
	return seam.Caller{Token: a.Token, Agent: a.ID, Instance: a.Instance}
}

// may tells what Check and Create both say of a caller.
func (b *bench) may(c seam.Caller, want error) {
	b.Helper()
	_, _, created := b.Create(b.ctx(), request(1, func(n *seam.New) { n.Body.Caller = c }))
	for _, err := range []error{b.Check(b.ctx(), c), created} {
		if code, refused := want.(seam.Code); refused {
			b.want(err, code)
		} else if err != nil {
			b.Fatal(err)
		}
	}
}

var registry = []scene{
	{"a live instance may ask, as a caller without an agent may", func(b *bench) {
		a := b.register(seam.Agent{Name: "deploy bot"})
		if !seam.IsAgentID(a.ID) || a.Instance == "" || a.Name != "deploy bot" || a.Expires != b.now().Add(agentTTL) {
			b.Errorf("%+v", a)
		}
		b.may(caller(a), nil)
		b.may(seam.Caller{Token: "ci"}, nil)
	}},
	{"a new instance makes the older stale at once", func(b *bench) {
		old := b.register(seam.Agent{})
		now := b.register(seam.Agent{ID: old.ID})
		if now.ID != old.ID || now.Instance == old.Instance {
			b.Errorf("%+v %+v", old, now)
		}
		b.may(caller(old), seam.ErrCallerNotLive)
		b.may(caller(now), nil)
		b.want(b.Heartbeat(b.ctx(), "ci", old.ID, old.Instance), seam.ErrCallerNotLive)
	}},
	{"half an identity, another's, and one that never was", func(b *bench) {
		a := b.register(seam.Agent{})
		for _, c := range []seam.Caller{
			{Token: "ci", Agent: a.ID},
			{Token: "ci", Instance: a.Instance},
			{Token: "cd", Agent: a.ID, Instance: a.Instance},
			{Token: "ci", Agent: seam.NewAgentID(), Instance: a.Instance},
			{Token: "ci", Agent: a.ID, Instance: seam.NewInstanceID()},
		} {
			b.may(c, seam.ErrCallerNotLive)
		}
	}},
	{"an instance lives for its time after the last heartbeat", func(b *bench) {
		a := b.register(seam.Agent{})
		b.clock.Pass(agentTTL - time.Second)
		if err := b.Heartbeat(b.ctx(), "ci", a.ID, a.Instance); err != nil {
			b.Fatal(err)
		}
		b.clock.Pass(agentTTL - time.Millisecond)
		b.may(caller(a), nil)
		b.clock.Pass(time.Millisecond)
		b.may(caller(a), seam.ErrCallerNotLive)
		b.want(b.Heartbeat(b.ctx(), "ci", a.ID, a.Instance), seam.ErrCallerNotLive)
	}},
	{"an open call keeps its instance alive, a stale one does not", func(b *bench) {
		old := b.register(seam.Agent{})
		a := b.register(seam.Agent{ID: old.ID})
		other := b.register(seam.Agent{})
		for range 5 {
			b.clock.Pass(agentTTL - time.Second)
			if err := b.Beat(b.ctx(), "A", []seam.Caller{caller(old), caller(a), {Token: "ci"}}); err != nil {
				b.Fatal(err)
			}
		}
		b.may(caller(a), nil)
		b.may(caller(old), seam.ErrCallerNotLive)
		b.may(caller(other), seam.ErrCallerNotLive)
	}},
	{"the child of a live owner may not ask; one whose owner is gone may", func(b *bench) {
		owner := b.register(seam.Agent{})
		child := b.register(seam.Agent{Owner: owner.ID})
		b.may(caller(child), seam.ErrDelegatedCaller)
		b.may(caller(owner), nil)
		b.clock.Pass(agentTTL - time.Second)
		if err := b.Heartbeat(b.ctx(), "ci", child.ID, child.Instance); err != nil {
			b.Fatal(err)
		}
		b.clock.Pass(time.Second)
		b.may(caller(child), nil)
		b.register(seam.Agent{ID: owner.ID})
		b.may(caller(child), seam.ErrDelegatedCaller)
		if err := b.Unregister(b.ctx(), "ci", owner.ID); err != nil {
			b.Fatal(err)
		}
		b.may(caller(child), nil)
	}},
	{"a session resumed as a root may ask", func(b *bench) {
		owner := b.register(seam.Agent{})
		child := b.register(seam.Agent{Owner: owner.ID})
		root := b.register(seam.Agent{ID: child.ID})
		b.may(caller(root), nil)
	}},
	{"an owner that never was is gone", func(b *bench) {
		b.may(caller(b.register(seam.Agent{Owner: seam.NewAgentID()})), nil)
	}},
	{"another token's agents are nobody's business", func(b *bench) {
		a := b.register(seam.Agent{})
		for _, theirs := range []seam.Agent{{ID: a.ID}, {Owner: a.ID}, {ID: seam.NewAgentID()}} {
			theirs.Token = "cd"
			_, err := b.Register(b.ctx(), theirs)
			b.want(err, seam.ErrNotFound)
		}
		b.want(b.Heartbeat(b.ctx(), "cd", a.ID, a.Instance), seam.ErrNotFound)
		b.want(b.Unregister(b.ctx(), "cd", a.ID), seam.ErrNotFound)
		b.want(b.Heartbeat(b.ctx(), "ci", seam.NewAgentID(), a.Instance), seam.ErrNotFound)
		b.want(b.Unregister(b.ctx(), "ci", seam.NewAgentID()), seam.ErrNotFound)
		b.may(caller(a), nil)
	}},
	{"an agent that has ended does not come back by a heartbeat", func(b *bench) {
		a := b.register(seam.Agent{})
		if err := b.Unregister(b.ctx(), "ci", a.ID); err != nil {
			b.Fatal(err)
		}
		b.may(caller(a), seam.ErrCallerNotLive)
		b.want(b.Heartbeat(b.ctx(), "ci", a.ID, a.Instance), seam.ErrCallerNotLive)
		if err := b.Beat(b.ctx(), "A", []seam.Caller{caller(a)}); err != nil {
			b.Fatal(err)
		}
		b.may(caller(a), seam.ErrCallerNotLive)
		b.may(caller(b.register(seam.Agent{ID: a.ID})), nil)
	}},
	{"an agent that nobody has used for long is forgotten, one in use is not", func(b *bench) {
		idle, used := b.register(seam.Agent{}), b.register(seam.Agent{})
		for range 2 {
			b.clock.Pass(retention/2 + time.Hour)
			used = b.register(seam.Agent{ID: used.ID})
			b.lapse()
		}
		b.clock.Pass(time.Hour)
		b.lapse()
		_, err := b.Register(b.ctx(), seam.Agent{Token: "ci", ID: idle.ID})
		b.want(err, seam.ErrNotFound)
		b.register(seam.Agent{ID: used.ID})
	}},
}
