package web

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/askbridge/bridge/answerer"
	"github.com/askbridge/bridge/answerer/card"
	"github.com/askbridge/bridge/internal/seam"
)

// notice is what is said to the person who pressed.
type notice struct {
	N    int              `json:"n,omitempty"` // the question; 0 = the page
	Kind seam.VerdictKind `json:"kind"`
	Say  string           `json:"say"`
}

// draft is what the person had filled in when a press was not taken. Nothing that was typed is lost.
type draft struct {
	n      int
	nonce  string
	text   string
	chosen map[int]bool
}

// statuses are how verdicts read to programs.
var statuses = map[seam.Reason]int{
	seam.ReasonLate:       http.StatusConflict,
	seam.ReasonNotAllowed: http.StatusForbidden,
	seam.ReasonUnverified: http.StatusForbidden,
	seam.ReasonEmpty:      http.StatusUnprocessableEntity,
	seam.ReasonInvalid:    http.StatusUnprocessableEntity,
	seam.ReasonTooLong:    http.StatusUnprocessableEntity,
	seam.ReasonNotYours:   http.StatusForbidden,
	seam.ReasonGone:       http.StatusNotFound,
}

func status(v seam.Verdict) int {
	switch v.Kind {
	case seam.Refused:
		return statuses[v.Reason]
	case seam.Unknown:
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

// press takes a form to the desk and its reply back to the person. A browser that goes away in between does not take the
// press back.
func (i *Inbox) press(w http.ResponseWriter, r *http.Request, s session) {
	p, ok := decode(r.PathValue("id"), r.PostForm, s)
	if !ok {
		i.fail(w, http.StatusUnprocessableEntity, "nothing")
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), pressBudget)
	defer cancel()
	reply := i.ports.Desk.Press(ctx, p)
	i.cfg.Log.Info("inbox: press", "request", p.Request, "answerer", Name, "verdict", reply.Kind, "reason", reply.Reason)
	if strings.Contains(r.Header.Get("Accept"), "application/json") {
		i.tell(w, p, reply)
		return
	}
	i.answer(w, r, s, p, reply)
}

// tell answers the script, which draws by itself.
func (i *Inbox) tell(w http.ResponseWriter, p seam.Press, reply answerer.Reply) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status(reply.Verdict))
	_ = json.NewEncoder(w).Encode(notice{N: p.N, Kind: reply.Kind, Say: reply.Say}) // a browser that has gone hears nothing
}

// answer answers a browser without the script.
func (i *Inbox) answer(w http.ResponseWriter, r *http.Request, s session, p seam.Press, reply answerer.Reply) {
	said := notice{N: p.N, Kind: reply.Kind, Say: reply.Say}
	back := fmt.Sprintf("/r/%s#q%d", p.Request, p.N)
	switch {
	case reply.Confirm != nil:
		i.confirm(w, s, p, reply)
	case reply.Form != nil:
		http.Redirect(w, r, fmt.Sprintf("/r/%s?form=%d#q%d", p.Request, p.N, p.N), http.StatusSeeOther)
	case reply.Kind == seam.Refused || reply.Kind == seam.Unknown:
		d := draft{n: p.N, nonce: r.PostForm.Get(fieldNonce), text: p.Text, chosen: map[int]bool{}}
		for _, c := range p.Chosen {
			d.chosen[c] = true
		}
		i.again(w, r, s, p.Request, status(reply.Verdict), said, d)
	default:
		i.remember(w, said)
		http.Redirect(w, r, back, http.StatusSeeOther)
	}
}

// confirmPage asks once more, for browsers without the script.
type confirmPage struct {
	frame
	Request string
	N       int
	Nonce   string
	Confirm card.Confirm
	Danger  bool
}

func (i *Inbox) confirm(w http.ResponseWriter, s session, p seam.Press, reply answerer.Reply) {
	page := confirmPage{
		frame: i.frameOf(s, ""), Request: p.Request, N: p.N, Nonce: secret256(), Danger: p.Control == seam.PressDismiss,
		Confirm: *reply.Confirm,
	}
	page.Title = page.Confirm.Title
	i.show(w, http.StatusOK, pageConfirm, page)
}

// sayLife is how long what was said waits for the next page.
const sayLife = time.Minute

// remember keeps what is to be said on the page that the browser is sent to.
func (i *Inbox) remember(w http.ResponseWriter, n notice) {
	raw, err := json.Marshal(n)
	if err != nil || n.Say == "" {
		return
	}
	i.setCookie(w, sayCookie, base64.RawURLEncoding.EncodeToString(raw), sayLife)
}

// recall is what the page before has left to be said, once.
func (i *Inbox) recall(w http.ResponseWriter, r *http.Request) *notice {
	c, err := r.Cookie(i.cookieName(sayCookie))
	if err != nil {
		return nil
	}
	i.setCookie(w, sayCookie, "", 0)
	raw, err := base64.RawURLEncoding.DecodeString(c.Value)
	var n notice
	if err != nil || json.Unmarshal(raw, &n) != nil || n.Say == "" {
		return nil
	}
	return &n
}
