package card

import (
	"strings"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// suffixes say what became of an answer, by the stage of its card.
var suffixes = map[seam.Stage]phrase{
	seam.StageRecorded:    tellRecorded,
	seam.StageAnswered:    tellAnswered,
	seam.StageKept:        tellKept,
	seam.StageDelivered:   tellDelivered,
	seam.StageUncollected: tellUncollected,
}

// tell says what the card has to say about its state: who, what, when.
func (d drawing) tell(p *Picture) {
	suffix, settled := suffixes[p.Stage]
	switch {
	case p.Stage.Live():
		p.Note, p.At = d.open()
	case p.Stage == seam.StageElsewhere:
		p.Note = d.w.say(elsewhere)
	case settled:
		p.Note, p.At = d.w.say(suffix, "given", d.given(p), "of", itoa(p.Of)), d.it.At
	case d.it.Defaulted:
		p.Note, p.At = d.defaulted(p), d.rec.Ended
	case given(d.it) && used(d.rec):
		p.Note, p.At = d.w.say(tellWithDefaults, "given", d.given(p)), d.it.At
	case given(d.it):
		p.Note, p.At = d.w.say(tellNotUsed, "ending", d.w.ending(d.rec), "given", d.given(p)), d.rec.Ended
	default:
		p.Note, p.At = d.w.ending(d.rec), d.rec.Ended
	}
}

// open is what an open card has to say: that the agent has disconnected, the votes so far.
func (d drawing) open() (note string, at time.Time) {
	var lines []string
	if !d.rec.Detached.IsZero() {
		lines, at = append(lines, d.w.say(detached)), d.rec.Detached
	}
	if n := len(d.it.Votes); n > 0 {
		fits := func(s string) bool { return d.lim.measure(s) <= d.lim.noteRoom()/2 }
		lines, at = append(lines, d.w.soFar(d.rec, d.n, fits)), d.it.Votes[n-1].At
	}
	return strings.Join(lines, entrySep), at
}

// given says who did what. An answer that is too long for a note, or has several lines, goes to Picture.Answer.
func (d drawing) given(p *Picture) string {
	who := cut(d.w.who(d.it), d.lim.noteRoom()/4, d.lim.measure)
	switch what, fits := d.inline(); {
	case d.it.State == seam.ItemSkipped:
		return d.w.say(skipped, "who", who)
	case fits:
		return d.w.say(answered, "who", who, "what", what)
	}
	p.Answer = full(d.q, d.it.Answer)
	return d.w.say(answeredBelow, "who", who)
}

func (d drawing) defaulted(p *Picture) string {
	if what, fits := d.inline(); fits {
		return d.w.say(endDefaulted, "what", what)
	}
	p.Answer = full(d.q, d.it.Answer)
	return d.w.say(endDefaultedBelow)
}

func (d drawing) inline() (what string, fits bool) {
	what = d.w.inline(d.q, d.it.Answer)
	lines := strings.ContainsAny(strings.TrimSpace(d.it.Answer.Custom), "\r\n")
	return what, !lines && d.lim.measure(what) <= d.lim.noteRoom()/2
}
