package card

import (
	"strconv"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// Say is what a verdict on a press on question n tells the person who pressed, and nobody else. It is plain text that
// holds words of people and agents: codecs escape it. Verdicts that ask something first, or that leave conversation
// alone, say nothing.
func (w Words) Say(v seam.Verdict, n int) string {
	switch v.Kind {
	case seam.Taken:
		return w.taken(v.Record, n)
	case seam.Refused:
		return w.refused(v, n)
	case seam.Unknown:
		return w.say(unknown)
	}
	return ""
}

// endings are the sentences of requests that ended without being answered.
var endings = map[seam.State]phrase{
	seam.Cancelled: endDismissed,
	seam.Aborted:   endAborted,
	seam.Expired:   endExpired,
	seam.Abandoned: endAbandoned,
	seam.Failed:    endFailed,
}

func (w Words) ending(rec seam.Record) string { return w.say(endings[rec.State], "who", w.by(rec.By)) }

func (w Words) taken(rec seam.Record, n int) string {
	if n < 1 || n > len(rec.Items) {
		return w.say(taken)
	}
	it := rec.Items[n-1]
	what := w.brief(rec.Questions[n-1], it.Answer)
	switch {
	case rec.State == seam.Cancelled && !given(it):
		return w.say(takenDismissed, "who", w.by(rec.By))
	case rec.State.Ended() && rec.State != seam.Answered && !used(rec):
		return w.say(takenUnused, "ending", w.ending(rec))
	case it.State == seam.ItemPending && len(it.Votes) > 0:
		return w.say(takenVote, "votes", w.soFar(rec, n, short))
	case !given(it):
		return w.say(taken)
	case rec.State == seam.Pending:
		return w.say(takenBatch, "what", what, "of", itoa(len(rec.Items)))
	case rec.Kept && rec.Delivered.IsZero():
		return w.say(takenKept, "what", what)
	case it.State == seam.ItemSkipped:
		return w.say(takenSkip)
	}
	return w.say(takenSent, "what", what)
}

// refusals are the sentences of all reasons but late, which depends on who won.
var refusals = map[seam.Reason]phrase{
	seam.ReasonNotAllowed: refusedNotAllowed,
	seam.ReasonUnverified: refusedUnverified,
	seam.ReasonEmpty:      refusedEmpty,
	seam.ReasonInvalid:    refusedInvalid,
	seam.ReasonTooLong:    refusedTooLong,
	seam.ReasonNotYours:   refusedNotYours,
	seam.ReasonGone:       refusedGone,
}

func (w Words) refused(v seam.Verdict, n int) string {
	if v.Reason == seam.ReasonLate {
		return w.late(v.Record, n)
	}
	p, known := refusals[v.Reason]
	if !known {
		p = refusedInvalid
	}
	return w.say(p, "max", itoa(seam.MaxCustom))
}

// late tells who won, and when.
func (w Words) late(rec seam.Record, n int) string {
	if n < 1 || n > len(rec.Items) {
		return w.say(lateClosed)
	}
	it := rec.Items[n-1]
	switch {
	case rec.State == seam.Expired && (!given(it) || !used(rec)):
		return w.say(lateExpired, "when", w.when(rec.Ended))
	case rec.State.Ended() && rec.State != seam.Answered && (!given(it) || !used(rec)):
		return w.say(lateEnded, "what", w.ending(rec), "when", w.when(rec.Ended))
	case given(it):
		return w.say(late, "what", w.done(rec.Questions[n-1], it), "when", w.when(it.At))
	}
	return w.say(lateClosed)
}

// done says who did what to a question, briefly.
func (w Words) done(q seam.Question, it seam.Item) string {
	if it.State == seam.ItemSkipped {
		return w.say(skipped, "who", w.who(it))
	}
	return w.say(answered, "who", w.who(it), "what", w.brief(q, it.Answer))
}

// used reports whether what people answered reached the agent although the request was not answered in full: with
// defaults for the rest.
func used(rec seam.Record) bool { return rec.State == seam.Expired && len(rec.Defaulted()) > 0 }

func (w Words) when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(" (2006-01-02 15:04 UTC)")
}

func short(s string) bool { return cut(s, briefly, nil) == s }

func itoa(n int) string { return strconv.Itoa(n) }
