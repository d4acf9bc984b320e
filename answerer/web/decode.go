package web

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/url"
	"strconv"
	"strings"

	"github.com/askbridge/bridge/answerer/card"
	"github.com/askbridge/bridge/internal/seam"
)

// The fields of a card's forms.
const (
	fieldPress  = "press"  // the id of the control (card.Encode)
	fieldNonce  = "nonce"  // of the form, random: sent twice, it is one press
	fieldChosen = "chosen" // the number of an option, repeated
	fieldText   = "text"   // own words
)

// decode reads a posted form. What cannot have come from a card of this request is not ok.
func decode(request string, form url.Values, s session) (p seam.Press, ok bool) {
	id := form.Get(fieldPress)
	of, n, control, arg, sure, ok := card.Decode(id)
	if !ok || of != request {
		return seam.Press{}, false
	}
	p = seam.Press{Person: s.who(), Request: request, N: n, Control: control, Sure: sure}
	switch control {
	case seam.PressOption:
		p.Option, _ = strconv.Atoi(arg) // a number: card.Decode
	case seam.PressSend:
		p.Offer = arg
	case seam.PressForm:
		p.Text = lines(form.Get(fieldText))
		for _, c := range form[fieldChosen] {
			i, err := strconv.Atoi(c)
			if err != nil || len(p.Chosen) == seam.MaxOptions {
				return seam.Press{}, false
			}
			p.Chosen = append(p.Chosen, i)
		}
	}
	p.Token = token(form.Get(fieldNonce), s.person, p.Text, append([]string{id}, form[fieldChosen]...))
	return p, true
}

// token names a press: the same form with the same content by the same person is one press, however often it is sent. A
// form that was changed and sent again is another, and one from no page of ours is always new.
func token(nonce, person, text string, pressed []string) string {
	if nonce == "" {
		nonce = secret256()
	}
	h := sha256.New()
	for _, s := range append([]string{nonce, person, text}, pressed...) {
		_, _ = io.WriteString(h, strconv.Itoa(len(s))+":"+s) // a hash takes everything
	}
	return Name + "-" + base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:18])
}

// lines turns the line ends of a form, which browsers send as CR LF, into those that were typed.
func lines(s string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
}
