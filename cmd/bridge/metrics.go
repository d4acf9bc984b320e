package main

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

// metrics are what leaves the core through its one method. No label carries what a person or an agent wrote.
type metrics struct {
	registry *prometheus.Registry
	events   *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bridge_events_total", Help: "What happened, by event, answerer and result.",
		}, []string{"event", "answerer", "result", "failed"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "bridge_event_seconds", Help: "How long it took, where it took time.",
			Buckets: prometheus.ExponentialBuckets(0.001, 4, 8),
		}, []string{"event", "answerer"}),
	}
	m.registry.MustRegister(
		m.events, m.seconds, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// Observe counts one event.
func (m *metrics) Observe(e seam.Event) {
	failed := "no"
	if e.Err != nil {
		failed = "yes"
	}
	m.events.WithLabelValues(e.Name, e.Answerer, e.Result, failed).Inc()
	if e.Took > 0 {
		m.seconds.WithLabelValues(e.Name, e.Answerer).Observe(e.Took.Seconds())
	}
}

// handler serves the metrics: to everybody on a loopback listener, elsewhere to admins.
func (m *metrics) handler(loopback bool, tokens *tool.Tokens) http.Handler {
	serve := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopback && !tokens.Allows(r, tool.ScopeAdmin) {
			http.Error(w, "metrics are for admins on this listener", http.StatusForbidden)
			return
		}
		serve.ServeHTTP(w, r)
	})
}
