package tool

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/askbridge/bridge/internal/seam"
)

// How long a sign-in link and what it gives are good for.
const (
	linkLife  = 10 * time.Minute
	grantLife = 30 * 24 * time.Hour
)

// Login is a one-time sign-in link for a person: for a browser the URL, for a terminal the code.
type Login struct {
	Code    string    `json:"code"`
	URL     string    `json:"url"`
	Expires time.Time `json:"expires_at"`
}

// Session is a person's bearer token.
type Session struct {
	Token   string    `json:"token"`
	Person  string    `json:"person"`
	Expires time.Time `json:"expires_at"`
}

// login makes a link on an admin's word.
func (h *HTTP) login(c call) error {
	raw, err := c.body()
	if err != nil {
		return err
	}
	d, person := &decoder{}, ""
	d.body(raw, fields{"person": d.text(&person)})
	if len(d.faults) == 0 && !nameable(person) {
		d.add("person", "must be a name of 1 to 200 printable characters")
	}
	if err := d.err(); err != nil {
		return err
	}
	out := Login{Code: rand.Text(), Expires: h.cfg.Now().Add(linkLife).UTC()}
	out.URL = strings.TrimSuffix(h.cfg.PublicURL, "/") + "/login?code=" + url.QueryEscape(out.Code)
	grant := seam.Grant{Hash: HashSecret(out.Code), Person: person, Once: true, Expires: out.Expires}
	if err := h.ports.Grants.PutGrant(c.r.Context(), grant); err != nil {
		return err
	}
	return written(c.reply(http.StatusCreated, out))
}

func nameable(s string) bool {
	return strings.TrimSpace(s) != "" && utf8.RuneCountInString(s) <= seam.MaxID &&
		!strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// redeem turns a code, once, into a person's token. The code is all the authority it needs.
func (h *HTTP) redeem(c call) error {
	raw, err := c.body()
	if err != nil {
		return err
	}
	d, code := &decoder{}, ""
	d.body(raw, fields{"code": d.text(&code)})
	if err := d.err(); err != nil {
		return err
	}
	link, err := h.ports.Grants.TakeGrant(c.r.Context(), HashSecret(code))
	if errors.Is(err, seam.ErrNotFound) {
		return seam.ErrUnauthenticated.With("this sign-in code is unknown, was used before, or is over")
	}
	if err != nil {
		return err
	}
	secret, hash := NewToken()
	out := Session{Token: secret, Person: link.Person, Expires: h.cfg.Now().Add(grantLife).UTC()}
	if err := h.ports.Grants.PutGrant(c.r.Context(), seam.Grant{Hash: hash, Person: out.Person, Expires: out.Expires}); err != nil {
		return err
	}
	return written(c.reply(http.StatusOK, out))
}

// logout ends the session that makes the call. A token of the file is ended by its file.
func (h *HTTP) logout(c call) error {
	if c.who.grant == "" {
		return seam.ErrForbidden.With("this token is not from a sign-in; it ends when it is taken out of the tokens file")
	}
	if err := h.ports.Grants.DropGrant(c.r.Context(), c.who.grant); err != nil {
		return err
	}
	return c.done()
}
