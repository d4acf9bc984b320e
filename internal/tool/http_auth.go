package tool

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/askbridge/bridge/internal/seam"
)

// caller is whom a call was let in as: a token, or a person who has signed in.
type caller struct {
	Token
	live  context.Context // a token's: ends when it is revoked
	grant string          // a signed-in person's: the hash of their grant
}

// seesAll reports whether the caller may read every request. An agent sees its own.
func (c caller) seesAll() bool { return c.has(ScopeAnswer) || c.has(ScopeAdmin) }

// owns reports whether the caller is the token that asked.
func (c caller) owns(rec seam.Record) bool { return c.has(ScopeAsk) && rec.Caller.Token == c.Name }

// person is who the caller is when it answers.
func (c caller) person() seam.Person {
	if c.Person != "" {
		return seam.Person{Answerer: "api", ID: c.Person}
	}
	return seam.Person{Answerer: "api", ID: c.Name}
}

func (h *HTTP) authenticate(r *http.Request) (caller, error) {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if secret = strings.TrimSpace(secret); !strings.EqualFold(scheme, "Bearer") || secret == "" {
		return caller{}, seam.ErrUnauthenticated
	}
	if s := h.ports.Tokens.find(secret); s != nil {
		return caller{Token: s.Token, live: s.live}, nil
	}
	return h.granted(r.Context(), HashSecret(secret))
}

// granted is the person who holds a standing grant.
func (h *HTTP) granted(ctx context.Context, hash string) (caller, error) {
	g, err := h.ports.Grants.Grant(ctx, hash)
	switch {
	case errors.Is(err, seam.ErrNotFound):
		return caller{}, seam.ErrUnauthenticated
	case err != nil:
		return caller{}, err
	}
	return caller{Token: Token{Name: g.Person, Person: g.Person, Scopes: []Scope{ScopeAnswer}}, grant: hash}, nil
}

// still is nil while the caller's token or grant stands. What blocks asks it before it answers.
func (h *HTTP) still(ctx context.Context, c caller) error {
	if c.live != nil {
		if c.live.Err() != nil {
			return seam.ErrUnauthenticated
		}
		return nil
	}
	_, err := h.granted(ctx, c.grant)
	return err
}

// hosts are the names by which a loopback listener may be called. A page that rebinds its own name to 127.0.0.1 is none
// of them.
type hosts []string

func hostsOf(cfg Config) hosts {
	out := hosts{"localhost"}
	if u, err := url.Parse(cfg.PublicURL); err == nil && u.Hostname() != "" {
		out = append(out, strings.ToLower(u.Hostname()))
	}
	for _, a := range cfg.AllowedHosts {
		out = append(out, hostname(a))
	}
	return out
}

func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		hostport = host
	}
	return strings.ToLower(strings.Trim(hostport, "[]"))
}

func (h hosts) allow(host string) bool {
	return slices.Contains(h, host) || net.ParseIP(host).IsLoopback()
}

// Guard checks Host and Origin on a loopback listener before a handler of another room.
func (h *HTTP) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.cfg.Loopback {
			if err := h.hosts.check(r); err != nil {
				h.fail(w, r, err)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

func (h hosts) check(r *http.Request) error {
	if !h.allow(hostname(r.Host)) {
		return seam.ErrForbidden.With("this host name is not allowed; BRIDGE_ALLOWED_HOSTS names further ones")
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || !h.allow(strings.ToLower(u.Hostname())) {
			return seam.ErrForbidden.With("this origin is not allowed; BRIDGE_ALLOWED_HOSTS names further hosts")
		}
	}
	return nil
}
