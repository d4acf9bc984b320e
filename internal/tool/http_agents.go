package tool

import (
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/askbridge/bridge/internal/seam"
)

// Registered is a live instance of an agent. TTL is in seconds: how long it lives without a heartbeat.
type Registered struct {
	Agent    string `json:"agent"`
	Instance string `json:"instance"`
	TTL      int    `json:"ttl"`
}

// register makes an agent (201), or a new instance of one (200): the older instance is stale at once.
func (h *HTTP) register(c call) error {
	raw, err := c.body()
	if err != nil {
		return err
	}
	a, err := decodeAgent(raw)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if a.ID == "" {
		status = http.StatusCreated
	}
	a.Token = c.who.Name
	if a, err = h.ports.Agents.Register(c.r.Context(), a); err != nil {
		return noAgent(err)
	}
	ttl := a.Expires.Sub(h.cfg.Now()).Round(time.Second)
	return written(c.reply(status, Registered{Agent: a.ID, Instance: a.Instance, TTL: max(1, int(ttl.Seconds()))}))
}

// decodeAgent reads {name, agent?, owner?}. A new instance keeps no name by itself, so it may come without one.
func decodeAgent(raw []byte) (a seam.Agent, err error) {
	d := &decoder{}
	d.body(raw, fields{"name": d.text(&a.Name), "agent": d.agent(&a.ID), "owner": d.agent(&a.Owner)})
	switch {
	case len(d.faults) > 0:
	case a.Name == "" && a.ID == "":
		d.add("name", "is required")
	case utf8.RuneCountInString(a.Name) > seam.MaxID:
		d.add("name", "has more than %d characters", seam.MaxID)
	case a.Owner != "" && a.Owner == a.ID:
		d.add("owner", "is the agent itself")
	}
	return a, d.err()
}

func (d *decoder) agent(dst *string) func(string, value) {
	return func(at string, v value) {
		d.text(dst)(at, v)
		if v.kind == text && !seam.IsAgentID(*dst) {
			d.add(at, `must be the id of an agent ("a_…")`)
		}
	}
}

// heartbeat keeps an instance alive.
func (h *HTTP) heartbeat(c call) error {
	raw, err := c.body()
	if err != nil {
		return err
	}
	d, instance := &decoder{}, ""
	d.body(raw, fields{"instance": d.text(&instance)})
	if len(d.faults) == 0 && instance == "" {
		d.add("instance", "is required")
	}
	if err := d.err(); err != nil {
		return err
	}
	if err := h.ports.Agents.Heartbeat(c.r.Context(), c.who.Name, c.r.PathValue("id"), instance); err != nil {
		return noAgent(err)
	}
	return c.done()
}

// unregister ends an agent.
func (h *HTTP) unregister(c call) error {
	if err := h.ports.Agents.Unregister(c.r.Context(), c.who.Name, c.r.PathValue("id")); err != nil {
		return noAgent(err)
	}
	return c.done()
}

// noAgent says of what there is none.
func noAgent(err error) error {
	if e, ok := seam.AsError(err); ok && e.Code == seam.ErrNotFound {
		return seam.ErrNotFound.With("this token has no such agent")
	}
	return err
}

// done is a response without a body.
func (c call) done() error {
	gone(c.r)
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
