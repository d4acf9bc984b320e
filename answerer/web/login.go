package web

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// loginLife is how long a sign-in page may stay open before its button is pressed. The link itself is shorter-lived.
const loginLife = time.Hour

// signInPage is the page of somebody who is not signed in.
type signInPage struct {
	frame
	Code   string // of the link that was followed; "" = none
	Pair   string // ties the form to this browser
	Failed bool   // the code was no good
}

// loginForm shows one button. A link previewer that follows the link presses none, so the code stays good.
func (i *Inbox) loginForm(w http.ResponseWriter, r *http.Request) {
	page := signInPage{frame: i.frame("signin.title"), Code: r.URL.Query().Get("code")}
	if page.Code != "" {
		page.Pair = secret256()
		if c, err := r.Cookie(i.cookieName(loginCookie)); err == nil && c.Value != "" {
			page.Pair = c.Value // another sign-in page of this browser stays good
		}
		i.setCookie(w, loginCookie, page.Pair, loginLife)
	}
	i.show(w, http.StatusOK, pageSignIn, page)
}

// login redeems the code. Its form must come from a sign-in page of this browser: else somebody could sign a person in
// as somebody else without their noticing.
func (i *Inbox) login(w http.ResponseWriter, r *http.Request) {
	pair, err := r.Cookie(i.cookieName(loginCookie))
	if err != nil || subtle.ConstantTimeCompare([]byte(pair.Value), []byte(r.PostFormValue("pair"))) != 1 {
		i.fail(w, http.StatusForbidden, "forged")
		return
	}
	s, err := i.signIn(r.Context(), r.PostFormValue("code"))
	switch {
	case errors.Is(err, seam.ErrNotFound):
		i.show(w, http.StatusForbidden, pageSignIn, signInPage{frame: i.frame("signin.title"), Failed: true})
		return
	case err != nil:
		i.storeSilent(w, err)
		return
	}
	i.setCookie(w, loginCookie, "", 0)
	i.setCookie(w, sessionCookie, s.secret, sessionLife)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// logout ends the session here and in the store.
func (i *Inbox) logout(w http.ResponseWriter, r *http.Request, s session) {
	if err := i.ports.Grants.DropGrant(r.Context(), s.hash); err != nil {
		i.storeSilent(w, err)
		return
	}
	i.setCookie(w, sessionCookie, "", 0)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// signedOut explains how to get in. It says nothing of any request.
func (i *Inbox) signedOut(w http.ResponseWriter) {
	i.show(w, http.StatusUnauthorized, pageSignIn, signInPage{frame: i.frame("signin.title")})
}
