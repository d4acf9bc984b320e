package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

const (
	// maxForm holds the longest own words and every option, percent-encoded: 10,000 characters of 4 bytes, 3 bytes each.
	maxForm = 256 << 10
	// pageBudget is how long a page tries to read the store.
	pageBudget = 2 * time.Second
	// pressBudget is how long a press tries before its person is told in any case (DESIGN section 8).
	pressBudget = 2 * time.Second
)

// policy is what pages may load and do: their own script, style and pictures, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// signedIn is a handler for people who are signed in.
type signedIn func(w http.ResponseWriter, r *http.Request, s session)

func (i *Inbox) routes() {
	i.mux.HandleFunc("GET /{$}", i.let(i.list))
	i.mux.HandleFunc("GET /r/{id}", i.let(i.request))
	i.mux.HandleFunc("POST /r/{id}", i.form(i.let(i.ours(i.press))))
	i.mux.HandleFunc("GET /live", i.live)
	i.mux.HandleFunc("GET /login", i.loginForm)
	i.mux.HandleFunc("POST /login", i.form(i.login))
	i.mux.HandleFunc("POST /logout", i.form(i.let(i.ours(i.logout))))
	i.mux.HandleFunc("GET /logout", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/", http.StatusSeeOther) // only its button signs out
	})
	i.mux.HandleFunc("GET /static/{version}/{file}", i.assets.serve)
	i.mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, i.assets.path("icon.svg"), http.StatusFound)
	})
	i.mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { i.fail(w, http.StatusNotFound, "nothing") })
}

// ServeHTTP serves the pages, to callers who know us by a name of ours.
func (i *Inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch {
	case !i.cfg.knowsHost(r.Host):
		i.fail(w, http.StatusForbidden, "host")
	case r.Method != http.MethodGet && r.Method != http.MethodHead && i.foreign(r):
		i.fail(w, http.StatusForbidden, "forged")
	default:
		i.mux.ServeHTTP(w, r)
	}
}

// foreign reports whether a browser says that another site's page sent this. Pages here send no referrer, and then a
// form's Origin may be "null"; browsers that say nothing better are held by the token in the form.
func (i *Inbox) foreign(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site != "same-origin" && site != "none"
	}
	origin := r.Header.Get("Origin")
	if origin == "" || origin == "null" {
		return false
	}
	u, err := url.Parse(origin)
	return err != nil || !strings.EqualFold(u.Host, r.Host) && !strings.EqualFold(u.Host, i.cfg.public().Host)
}

// form reads the form of a POST, within limits.
func (i *Inbox) form(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		err := r.ParseForm()
		if _, over := errors.AsType[*http.MaxBytesError](err); over {
			i.fail(w, http.StatusRequestEntityTooLarge, "toolarge")
			return
		}
		if err != nil {
			i.fail(w, http.StatusBadRequest, "nothing")
			return
		}
		next(w, r)
	}
}

// let passes on who is signed in, and shows the sign-in page to everybody else.
func (i *Inbox) let(next signedIn) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), pageBudget)
		defer cancel()
		s, err := i.session(ctx, r)
		switch {
		case errors.Is(err, seam.ErrNotFound):
			i.signedOut(w)
		case err != nil:
			i.storeSilent(w, err)
		default:
			next(w, r, s)
		}
	}
}

// ours passes on forms that a page of this session made.
func (i *Inbox) ours(next signedIn) signedIn {
	return func(w http.ResponseWriter, r *http.Request, s session) {
		if !s.owns(r.PostFormValue("csrf")) {
			i.fail(w, http.StatusForbidden, "forged")
			return
		}
		next(w, r, s)
	}
}

// storeSilent says that the store did not answer.
func (i *Inbox) storeSilent(w http.ResponseWriter, err error) {
	i.cfg.Log.Warn("inbox: store", "answerer", Name, "error", err)
	i.fail(w, http.StatusServiceUnavailable, "store")
}
