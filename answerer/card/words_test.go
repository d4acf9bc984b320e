package card_test

import (
	"strings"
	"testing"

	"github.com/askbridge/bridge/answerer/card"
	"github.com/askbridge/bridge/answerer/card/cardtest"
	"github.com/askbridge/bridge/internal/seam"
)

var locales = []string{"en", "zh"}

var reasons = []seam.Reason{
	seam.ReasonLate, seam.ReasonNotAllowed, seam.ReasonUnverified, seam.ReasonEmpty, seam.ReasonInvalid,
	seam.ReasonTooLong, seam.ReasonNotYours, seam.ReasonGone,
}

func TestEveryVerdictIsSaidInEveryLocale(t *testing.T) {
	for _, l := range locales {
		w := card.WordsFor(l)
		for _, s := range append(cardtest.Gallery(), cardtest.State{Name: "no record", N: 1}) {
			verdicts := []seam.Verdict{{Kind: seam.Taken, Record: s.Record}, {Kind: seam.Unknown, Record: s.Record}}
			for _, r := range reasons {
				verdicts = append(verdicts, seam.Verdict{Kind: seam.Refused, Reason: r, Record: s.Record})
			}
			for _, v := range verdicts {
				got := w.Say(v, s.N)
				if got == "" || strings.Contains(got, "{") && !strings.Contains(s.Name, "hostile") {
					t.Errorf("%s, %s, %s %s: %q", l, s.Name, v.Kind, v.Reason, got)
				}
				if chinese := strings.ContainsRune(got, '。'); chinese != (l == "zh") {
					t.Errorf("%s, %s, %s %s is in another language: %q", l, s.Name, v.Kind, v.Reason, got)
				}
			}
			for _, k := range []seam.VerdictKind{seam.Asked, seam.Ignored} {
				if got := w.Say(seam.Verdict{Kind: k, Record: s.Record}, s.N); got != "" {
					t.Errorf("%s is told: %q", k, got)
				}
			}
		}
	}
}

func TestReasonsAreToldApart(t *testing.T) {
	for _, l := range locales {
		said := map[string]seam.Reason{}
		for _, r := range reasons {
			s := card.WordsFor(l).Say(seam.Verdict{Kind: seam.Refused, Reason: r}, 1)
			if twin, dup := said[s]; dup {
				t.Errorf("%s: %s and %s are both %q", l, r, twin, s)
			}
			said[s] = r
		}
	}
}

func TestSaid(t *testing.T) {
	for _, c := range []struct {
		state string
		v     seam.Verdict
		want  string
	}{
		{"answered", seam.Verdict{Kind: seam.Taken}, "Recorded: “Canary”."},
		{"recorded", seam.Verdict{Kind: seam.Taken}, "Recorded: “Yes”. It is sent when all 3 are answered."},
		{"kept", seam.Verdict{Kind: seam.Taken}, "Recorded: “Canary”. The agent is not connected; it gets the answer when it asks again."},
		{"delivered", seam.Verdict{Kind: seam.Taken}, "Recorded: “Canary”."},
		{"answered-skip", seam.Verdict{Kind: seam.Taken}, "Your skip is recorded."},
		{"votes-1-of-2", seam.Verdict{Kind: seam.Taken}, "Your vote is recorded: 1 of 2 for “Yes” (Ann)."},
		{"cancelled", seam.Verdict{Kind: seam.Taken}, "Dismissed by Ann. The agent is told."},
		{"aborted-recorded", seam.Verdict{Kind: seam.Taken}, "Your answer was recorded, but it was not used. Withdrawn: the agent stopped waiting."},
		{"defaulted-recorded", seam.Verdict{Kind: seam.Taken}, "Recorded: “Yes”."},
		{"answered", late, "Too late: Ann answered “Canary” (2026-12-01 12:03 UTC)."},
		{"recorded-skip", late, "Too late: Bob skipped this question (2026-12-01 12:03 UTC)."},
		{"cancelled", late, "Too late. Dismissed by Ann (2026-12-01 12:10 UTC)."},
		{"aborted-recorded", late, "Too late. Withdrawn: the agent stopped waiting (2026-12-01 12:10 UTC)."},
		{"expired", late, "Too late: the deadline passed (2026-12-01 12:10 UTC)."},
		{"defaulted", late, "Too late: the deadline passed (2026-12-01 12:10 UTC)."},
		{"defaulted-recorded", late, "Too late: Ann answered “Yes” (2026-12-01 12:03 UTC)."},
		{"single", late, "Too late: this question is closed."},
		{"single", seam.Verdict{Kind: seam.Refused, Reason: seam.ReasonTooLong}, "Your text is too long: at most 10000 characters. Nothing was changed."},
		{"single", seam.Verdict{Kind: seam.Unknown}, "bridge could not confirm; if this card does not change within a minute, press again."},
	} {
		s := state(t, c.state)
		c.v.Record = s.Record
		if got := card.WordsFor("").Say(c.v, s.N); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.state, c.v.Kind, got, c.want)
		}
	}
}

var late = seam.Verdict{Kind: seam.Refused, Reason: seam.ReasonLate}

func TestLocales(t *testing.T) {
	for locale, chinese := range map[string]bool{"": false, "en": false, "EN_GB": false, "fr": false, "zh": true, "zh-CN": true, "ZH_TW.UTF-8": true} {
		if got := card.WordsFor(locale) == card.WordsFor("zh"); got != chinese {
			t.Errorf("%q is Chinese: %v", locale, got)
		}
	}
}
