package card_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/askbridge/bridge/answerer/card"
	"github.com/askbridge/bridge/answerer/card/cardtest"
	"github.com/askbridge/bridge/internal/seam"
)

var pressable = []seam.Control{
	seam.PressOption, seam.PressOther, seam.PressChoose, seam.PressForm, seam.PressSkip, seam.PressDismiss, seam.PressSend,
}

// maxID is what an id may have on every platform (DESIGN section 8).
const maxID = 100

type control struct {
	request string
	n       int
	kind    seam.Control
	arg     string
	sure    bool
}

func (c control) encode() string { return card.Encode(c.request, c.n, c.kind, c.arg, c.sure) }

func decode(id string) (c control, ok bool) {
	c.request, c.n, c.kind, c.arg, c.sure, ok = card.Decode(id)
	return c, ok
}

func controls(t *rapid.T) control {
	c := control{
		request: rapid.StringMatching(`r_[a-z0-9]{1,38}`).Draw(t, "request"),
		n:       rapid.IntRange(1, seam.MaxQuestions).Draw(t, "n"),
		kind:    rapid.SampledFrom(pressable).Draw(t, "kind"),
	}
	switch c.kind {
	case seam.PressOption:
		c.arg = rapid.StringMatching(`[1-9][0-9]?|100`).Draw(t, "option")
	case seam.PressSend:
		c.arg = rapid.StringMatching(`[a-zA-Z0-9_-]{1,40}`).Draw(t, "offer")
	case seam.PressSkip, seam.PressDismiss:
		c.sure = rapid.Bool().Draw(t, "sure")
	}
	return c
}

func TestWhatIsEncodedDecodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := controls(t)
		id := want.encode()
		got, ok := decode(id)
		if !ok || got != want {
			t.Fatalf("%+v became %q, which became %+v %v", want, id, got, ok)
		}
		if len(id) > maxID {
			t.Fatalf("%q has %d bytes", id, len(id))
		}
	})
}

func TestWhatIsNoControlHasNoID(t *testing.T) {
	legal := control{cardtest.Request, 1, seam.PressOption, "1", false}
	if _, ok := decode(legal.encode()); !ok {
		t.Fatal("the legal one is refused")
	}
	for name, c := range map[string]control{
		"no request":           {"", 1, seam.PressOther, "", false},
		"long request":         {strings.Repeat("r", 41), 1, seam.PressOther, "", false},
		"separator in request": {"r:1", 1, seam.PressOther, "", false},
		"question 0":           {cardtest.Request, 0, seam.PressOther, "", false},
		"question 21":          {cardtest.Request, 21, seam.PressOther, "", false},
		"option 0":             {cardtest.Request, 1, seam.PressOption, "0", false},
		"option 101":           {cardtest.Request, 1, seam.PressOption, "101", false},
		"option 01":            {cardtest.Request, 1, seam.PressOption, "01", false},
		"no option":            {cardtest.Request, 1, seam.PressOption, "", false},
		"an argument too much": {cardtest.Request, 1, seam.PressSkip, "1", false},
		"offer without id":     {cardtest.Request, 1, seam.PressSend, "", false},
		"long offer":           {cardtest.Request, 1, seam.PressSend, strings.Repeat("o", 41), false},
		"a sure option":        {cardtest.Request, 1, seam.PressOption, "1", true},
		"a reply":              {cardtest.Request, 1, seam.PressReply, "", false},
		"an unknown control":   {cardtest.Request, 1, "approve", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			id := c.encode()
			if _, ok := decode(id); id != "" || ok {
				t.Errorf("%+v has the id %q (%v)", c, id, ok)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	for _, k := range pressable {
		f.Add(card.Encode(cardtest.Request, 20, k, "", k == seam.PressSkip))
	}
	f.Add(card.Encode(cardtest.Request, 1, seam.PressOption, "100", false))
	for _, s := range []string{"", "b1", "b1:o:1:1:r", "b2:o:1:1:r_0", "b1:o!:1:1:r_0", "b1:o:+1:1:r_0", "b1:::::", "b1:!:1::r", strings.Repeat(":", 200)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, id string) {
		c, ok := decode(id)
		if ok && (c.encode() != id || len(id) > maxID) {
			t.Errorf("%q was taken for %+v", id, c)
		}
		if !ok && c != (control{}) {
			t.Errorf("%q is refused and yet %+v", id, c)
		}
	})
}
