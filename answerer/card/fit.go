package card

import (
	"unicode/utf8"

	"github.com/askbridge/bridge/internal/seam"
)

const (
	// noteRoom is what a card keeps free for its note, half of it for an answer, so that the plan of its overflow is the
	// same for the first post and for the retired card: what stands in the thread stands there once.
	noteRoom = 600
	// perLine is what a codec may need around each line: a line break, a bullet, a mark of quotation, bold.
	perLine = 4
)

func (l Limits) noteRoom() int {
	if l.Body > 0 && l.Body < 4*noteRoom {
		return l.Body / 4
	}
	return noteRoom
}

func (l Limits) measure(s string) int {
	if l.Measure != nil {
		return l.Measure(s)
	}
	return utf8.RuneCountInString(s)
}

func (l Limits) measureLabel(s string) int {
	if l.Label != nil {
		return l.Label(s)
	}
	return utf8.RuneCountInString(s)
}

// fit plans what goes into the thread: of question, options, detail and answer, in this order, each that does not fit
// any more.
func (d drawing) fit(p *Picture) {
	if d.lim.Body == 0 {
		return
	}
	room := d.lim.Body - d.fixed(*p)
	take := func(size int) (over bool) {
		if size > 0 && size > room {
			return true
		}
		room -= size
		return false
	}
	p.Overflow.Question = take(d.line(p.Question))
	p.Overflow.Options = take(d.optionLines(p.Options))
	p.Overflow.Detail = take(d.line(p.Detail))
	room -= d.line(p.Note) - d.lim.noteRoom() // the note is known now
	p.Overflow.Answer = take(d.line(p.Answer))
	d.point(p)
}

// fixed is what a card always has on it, in its longest stage.
func (d drawing) fixed(p Picture) int {
	live := p
	live.Stage = seam.StageOpen
	sum := d.line(p.Header) + d.lim.noteRoom() + d.line(d.due()) + perLine*4 // the times
	for _, f := range d.foot(live) {
		sum += d.line(f)
	}
	everything := Overflow{true, true, true, true}
	return sum + d.line(d.w.pointer(everything))
}

func (d drawing) line(s string) int {
	if s == "" {
		return 0
	}
	return d.lim.measure(s) + perLine
}

func (d drawing) optionLines(all []Option) (sum int) {
	for _, o := range all {
		sum += d.line(o.Label) + d.line(o.Description) + d.line(o.Mark)
		if o.Number > 0 {
			sum += len(itoa(o.Number)) + perLine
		}
	}
	return sum
}

// point says in the foot what stands in the thread.
func (d drawing) point(p *Picture) {
	if s := d.w.pointer(p.Overflow); s != "" {
		p.Foot = append(p.Foot, s)
	}
}

func (w Words) pointer(o Overflow) string {
	var parts []string
	for _, part := range []struct {
		over bool
		name phrase
	}{{o.Question, partQuestion}, {o.Options, partOptions}, {o.Detail, partDetail}, {o.Answer, partAnswer}} {
		if part.over {
			parts = append(parts, w.say(part.name))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return w.say(footThread, "parts", w.list(parts))
}
