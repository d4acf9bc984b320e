// Package policy says whom a request is asked of.
//
// It is pure: routes in, plan out. It posts nothing, and it is not the judge of a press: that is the desk's gate, which
// decides anew each time and never from a plan.
package policy

import (
	"slices"

	"github.com/askbridge/bridge/internal/seam"
)

// DefaultRoute is the name of the one route where no policy is given.
const DefaultRoute = "default"

// Route is one way to people.
type Route struct {
	Name      string
	Answerers []string // in order: the first to accept has the request
}

// Policy is a list of routes; the first that fits is taken. It implements seam.Router and never changes, so it may be
// used by many goroutines.
type Policy struct {
	routes []Route
}

var _ seam.Router = (*Policy)(nil)

// Default is the policy of an installation without a policy file: one route over the given answerers.
func Default(answerers ...string) *Policy {
	return &Policy{routes: []Route{{Name: DefaultRoute, Answerers: slices.Clone(answerers)}}}
}

// Plan fixes the plan of one request: the route that it names, or else the first. The route must be one that the token
// may use, also where the request names none: what a token may not name it does not get by silence.
func (p *Policy) Plan(r seam.Request) (seam.Plan, error) {
	i := slices.IndexFunc(p.routes, func(route Route) bool { return r.Route == "" || r.Route == route.Name })
	if i < 0 {
		fault := seam.Fault{Path: "route", Problem: "names no route of the policy"}
		return seam.Plan{}, &seam.Error{Code: seam.ErrInvalidQuestions, Faults: []seam.Fault{fault}}
	}
	route := p.routes[i]
	if len(r.Routes) > 0 && !slices.Contains(r.Routes, route.Name) {
		return seam.Plan{}, seam.ErrForbidden.With("the token may not use route %q", route.Name)
	}
	return seam.Plan{Route: route.Name, Answerers: slices.Clone(route.Answerers)}, nil
}

// Defaults reports whether requests of a route may carry a default. A route that nobody knows may not; the others have
// neither approvers nor quorum, past which a default could slip.
func (p *Policy) Defaults(route string) bool {
	return slices.ContainsFunc(p.routes, func(r Route) bool { return r.Name == route })
}
