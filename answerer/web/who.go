package web

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// sessionLife is how long a browser stays signed in.
const sessionLife = 30 * 24 * time.Hour

// session is a signed-in browser. Its secret is in the cookie and nowhere else.
type session struct {
	person string
	hash   string
	secret string
}

// who names the person to the desk.
func (s session) who() seam.Person {
	return seam.Person{Answerer: Name, ID: s.person, Name: s.person}
}

// csrf is the token of this session's forms: nobody who lacks the cookie can work it out.
func (s session) csrf() string {
	mac := hmac.New(sha256.New, []byte(s.secret))
	mac.Write([]byte("form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (s session) owns(form string) bool {
	return subtle.ConstantTimeCompare([]byte(form), []byte(s.csrf())) == 1
}

// secret256 is 256 random bits.
func secret256() string {
	var b [32]byte
	rand.Read(b[:]) // never fails: crypto/rand
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func hashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// session is whose browser makes the request: seam.ErrNotFound when nobody's, another error when the store did not say.
func (i *Inbox) session(ctx context.Context, r *http.Request) (session, error) {
	c, err := r.Cookie(i.cookieName(sessionCookie))
	if err != nil || c.Value == "" {
		return session{}, seam.ErrNotFound
	}
	hash := hashSecret(c.Value)
	g, err := i.ports.Grants.Grant(ctx, hash)
	if err != nil {
		return session{}, err
	}
	return session{person: g.Person, hash: hash, secret: c.Value}, nil
}

// signIn turns a one-time code into a session.
func (i *Inbox) signIn(ctx context.Context, code string) (session, error) {
	link, err := i.ports.Grants.TakeGrant(ctx, hashSecret(code))
	if err != nil {
		return session{}, err
	}
	s := session{person: link.Person, secret: secret256()}
	s.hash = hashSecret(s.secret)
	return s, i.ports.Grants.PutGrant(ctx, seam.Grant{
		Hash: s.hash, Person: s.person, Expires: i.cfg.Now().Add(sessionLife).UTC(),
	})
}

// The cookies: who is signed in, the pairing of a sign-in page with its form, and what to say on the next page.
const (
	sessionCookie = "bridge_session"
	loginCookie   = "bridge_login"
	sayCookie     = "bridge_say"
)

// cookieName is the name of a cookie here. Browsers do not tell the ports of one host apart, so two daemons on a machine
// would sign each other out without the port; over https the prefix keeps neighbouring hosts from setting it.
func (i *Inbox) cookieName(name string) string {
	if i.cfg.secure() {
		return "__Host-" + name
	}
	if port := i.cfg.public().Port(); port != "" {
		return name + "_" + port
	}
	return name
}

// setCookie sets a cookie for this host, unreadable to scripts. life 0 removes it.
func (i *Inbox) setCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	c := &http.Cookie{
		Name: i.cookieName(name), Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: i.cfg.secure(), MaxAge: int(life / time.Second),
	}
	if life <= 0 {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}
