package policy_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/bridge/internal/policy"
	"github.com/askbridge/bridge/internal/seam"
)

func TestPlan(t *testing.T) {
	whole := seam.Plan{Route: "default", Answerers: []string{"slack", "discord"}}
	for name, tt := range map[string]struct {
		request seam.Request
		plan    seam.Plan
		code    seam.Code
		path    string
	}{
		"no route named":                   {request: seam.Request{}, plan: whole},
		"the route named":                  {request: seam.Request{Route: "default"}, plan: whole},
		"a route that the token may use":   {request: seam.Request{Routes: []string{"prod", "default"}}, plan: whole},
		"an unknown route":                 {request: seam.Request{Route: "prod"}, code: seam.ErrInvalidQuestions, path: "route"},
		"names are exact":                  {request: seam.Request{Route: "Default"}, code: seam.ErrInvalidQuestions, path: "route"},
		"unknown comes before forbidden":   {request: seam.Request{Route: "prod", Routes: []string{"prod"}}, code: seam.ErrInvalidQuestions, path: "route"},
		"a route that it may not use":      {request: seam.Request{Route: "default", Routes: []string{"prod"}}, code: seam.ErrForbidden},
		"nor does it get it without words": {request: seam.Request{Routes: []string{"prod"}}, code: seam.ErrForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := policy.Default("slack", "discord").Plan(tt.request)
			if diff := cmp.Diff(tt.plan, got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
			if tt.code == "" {
				if err != nil {
					t.Errorf("unexpected error: %v", err)
				}
				return
			}
			e, ok := seam.AsError(err)
			if !ok || !errors.Is(err, tt.code) {
				t.Fatalf("error %v, want %s", err, tt.code)
			}
			if tt.path != "" && (len(e.Faults) != 1 || e.Faults[0].Path != tt.path) {
				t.Errorf("faults %v, want one at %q", e.Faults, tt.path)
			}
		})
	}
}

func TestPlanIsACopy(t *testing.T) {
	answerers := []string{"slack", "web"}
	p := policy.Default(answerers...)
	answerers[0] = "changed by who configured it"
	first, err := p.Plan(seam.Request{})
	if err != nil {
		t.Fatal(err)
	}
	first.Answerers[0] = "changed by who asked"
	second, err := p.Plan(seam.Request{})
	if diff := cmp.Diff([]string{"slack", "web"}, second.Answerers); err != nil || diff != "" {
		t.Errorf("plans share memory: %v (-want +got):\n%s", err, diff)
	}
}

func TestDefaults(t *testing.T) {
	p := policy.Default("web")
	for route, want := range map[string]bool{"default": true, "prod": false, "": false} {
		if got := p.Defaults(route); got != want {
			t.Errorf("Defaults(%q) = %v, want %v", route, got, want)
		}
	}
}
