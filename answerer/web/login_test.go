package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/askbridge/bridge/answerer/web"
	"github.com/askbridge/bridge/internal/seam"
)

func TestALinkSignsInOnceAndOnlyByItsButton(t *testing.T) {
	s := stage(t, nil)
	link := s.link("ann")
	previewer := s.stranger()
	for range 3 {
		previewer.get(link).is(200).has("Sign in to the inbox")
	}
	ann := s.stranger()
	g := ann.get(link)
	g.form("/login").send("").is(200).has("Nothing is waiting", "ann")
	late := s.stranger()
	late.get(link).form("/login").send("").is(403).has("This link is no good any more")
	late.get("/").is(401)
}

func TestSigningInNeedsThePageOfThisBrowser(t *testing.T) {
	s := stage(t, nil)
	link := s.link("mallory")
	theirs := s.stranger().get(link).form("/login")
	victim := s.stranger()
	victim.post("/login", theirs.fields).is(403)
	victim.get(s.link("ann"))
	victim.post("/login", theirs.fields).is(403)
	victim.get("/").is(401)
}

func TestWhoIsSignedOutSeesNothing(t *testing.T) {
	s := stage(t, nil)
	rec := s.ask(single)
	stranger := s.stranger()
	for _, path := range []string{"/", "/r/" + rec.ID, "/live"} {
		g := stranger.get(path).is(401).hasNot(rec.ID, single.Text, single.Header, "deploy-bot", "Canary")
		if path != "/live" {
			g.has("bridge login --as")
		}
	}
	stranger.post("/r/"+rec.ID, url.Values{"press": {"x"}}).is(401).hasNot(single.Text)
	if s.get(rec.ID).State != seam.Pending {
		t.Error("changed")
	}
}

func TestSigningOutEndsTheSessionInTheStore(t *testing.T) {
	s := stage(t, nil)
	ann := s.signIn("ann")
	u, _ := url.Parse(s.url)
	kept := ann.http.Jar.Cookies(u)
	ann.get("/").form("/logout").send("").is(401)
	thief := s.stranger()
	thief.http.Jar.SetCookies(u, kept)
	thief.get("/").is(401)
}

func TestCookiesAndSecretsOfASession(t *testing.T) {
	for scheme, secure := range map[string]bool{"http://inbox.example": false, "https://inbox.example": true} {
		s := stage(t, func(c *web.Config, _ *web.Ports) { c.PublicURL = scheme })
		serve := func(r *http.Request) *http.Response {
			w := httptest.NewRecorder()
			r.Host = "inbox.example"
			s.inbox.ServeHTTP(w, r)
			return w.Result()
		}
		code := strings.TrimPrefix(s.link("ann"), s.url+"/login?code=")
		page := serve(httptest.NewRequest(http.MethodGet, "/login?code="+code, nil))
		pair := page.Cookies()[0]
		body := strings.NewReader(url.Values{"code": {code}, "pair": {pair.Value}}.Encode())
		r := httptest.NewRequest(http.MethodPost, "/login", body)
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.AddCookie(pair)
		res := serve(r)
		session := res.Cookies()[1]
		if !session.HttpOnly || session.Secure != secure || session.SameSite != http.SameSiteLaxMode || session.MaxAge != 30*24*3600 ||
			strings.HasPrefix(session.Name, "__Host-") != secure || len(session.Value) < 43 {
			t.Errorf("%s: %+v", scheme, session)
		}
		if _, err := s.store.Grant(context.Background(), session.Value); err == nil {
			t.Error("the store has the secret itself")
		}
	}
}

func TestHeaders(t *testing.T) {
	s := stage(t, nil)
	ann := s.signIn("ann")
	for _, path := range []string{"/", "/r/" + s.ask(single).ID, "/login", "/nothing"} {
		g := ann.get(path)
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
				"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
		} {
			if got := g.head.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		g.hasNot("<style", " style=", "onclick=", "javascript:")
	}
	var css string
	for _, part := range strings.Split(ann.get("/").body, `"`) {
		if strings.HasSuffix(part, ".css") {
			css = part
		}
	}
	if g := ann.get(css).is(200); !strings.Contains(g.head.Get("Cache-Control"), "immutable") || g.head.Get("Content-Type") != "text/css; charset=utf-8" {
		t.Error(g.head)
	}
	ann.get("/static/old/inbox.css").is(200).hasNot("no such")
	ann.get("/static/old/../../etc/passwd").is(404)
}

func TestOnlyKnownHosts(t *testing.T) {
	for _, c := range []struct {
		public, host string
		loopback     bool
		ok           bool
	}{
		{"http://127.0.0.1:8787", "127.0.0.1:8787", true, true},
		{"http://127.0.0.1:8787", "localhost:8787", true, true},
		{"http://127.0.0.1:8787", "[::1]:8787", true, true},
		{"http://127.0.0.1:8787", "evil.example:8787", true, false},
		{"https://inbox.example", "inbox.example", false, true},
		{"https://inbox.example", "INBOX.example:443", false, true},
		{"https://inbox.example", "also.example", false, true},
		{"https://inbox.example", "localhost", false, false},
		{"https://inbox.example", "localhost", true, true},
		{"", "localhost:1", false, true},
		{"http://0.0.0.0:8787", "localhost:8787", false, true},
		{"http://[::]:8787", "evil.example", false, false},
		{"", "evil.example", false, false},
		{"", "", false, false},
	} {
		i := web.New(web.Config{PublicURL: c.public, Loopback: c.loopback, AllowedHosts: []string{"also.example"}}, web.Ports{})
		r := httptest.NewRequest(http.MethodGet, "/login", nil)
		r.Host = c.host
		w := httptest.NewRecorder()
		i.ServeHTTP(w, r)
		if ok := w.Code == 200; ok != c.ok {
			t.Errorf("%q by %q: %d", c.public, c.host, w.Code)
		}
		i.Drain()
	}
}
