package card

import (
	"slices"

	"github.com/askbridge/bridge/internal/seam"
)

// Draw is the card of question n as the record stands, within the limits of a platform.
func Draw(rec seam.Record, n int, lim Limits) Picture {
	return DrawAt(rec, seam.Placement{N: n}, lim)
}

// DrawAt is Draw for the card at a placement, which may have been asked elsewhere since.
func DrawAt(rec seam.Record, at seam.Placement, lim Limits) Picture {
	n := at.N
	q := rec.Questions[n-1]
	d := drawing{rec: rec, n: n, q: q, it: rec.Items[n-1], lim: lim, w: lim.Words}
	p := Picture{
		Ref: rec.ID + "." + itoa(n), N: n, Of: len(rec.Questions), First: n == 1,
		Stage: rec.Stage(at), Plan: q.IsPlanReview(),
		Header: contain(oneLine(q.Header)), Question: contain(q.Text), Detail: q.Detail,
		Options: d.options(),
		Select:  !q.Multi() && lim.Buttons > 0 && len(q.Options) > lim.Buttons,
	}
	if p.Stage.Live() {
		p.Controls = d.controls(p)
		p.Due, p.DueAt = d.due(), rec.Deadline
	}
	d.tell(&p)
	p.Foot = d.foot(p)
	d.fit(&p)
	return p
}

// Numbered reports whether the card prints numbers with its options: Placement.Numbered.
func (p Picture) Numbered() bool { return len(p.Options) > 0 && p.Options[0].Number > 0 }

// drawing is one card while it is drawn.
type drawing struct {
	rec seam.Record
	n   int
	q   seam.Question
	it  seam.Item
	lim Limits
	w   Words
}

// options are the choices. As soon as one label cannot stand alone on its control, all are numbered, so that the body is
// one list and "3" means the third.
func (d drawing) options() []Option {
	var out []Option
	for i, o := range d.q.Options {
		_, marked := o.Recommended()
		opt := Option{
			Index: i + 1, Label: contain(shown(d.q, o.Label)), Description: contain(o.Description), Recommended: marked,
			Chosen: d.chosen(o.Label),
		}
		if marked {
			opt.Mark = d.w.say(markRecommended)
		}
		out = append(out, opt)
	}
	if d.lim.Plain || slices.ContainsFunc(out, func(o Option) bool { return !d.alone(o, out) }) {
		for i := range out {
			out[i].Number = i + 1
		}
	}
	return out
}

// chosen reports whether a label is part of what the agent gets, or will get.
func (d drawing) chosen(label string) bool {
	unused := d.rec.State.Ended() && d.rec.State != seam.Answered && !used(d.rec)
	return (given(d.it) || d.it.Defaulted) && !unused && slices.Contains(d.it.Answer.Selected, label)
}

// alone reports whether a label says on its control what it says in full: it fits, a person sees something of it, and no
// other reads the same there.
func (d drawing) alone(o Option, all []Option) bool {
	label := oneLine(o.Label)
	limit := d.lim.Button
	if d.q.Multi() || d.lim.Buttons > 0 && len(all) > d.lim.Buttons {
		limit = d.lim.Choice
	}
	twin := slices.ContainsFunc(all, func(x Option) bool { return x.Index != o.Index && oneLine(x.Label) == label })
	return visible(label) && !twin && (limit == 0 || d.lim.measureLabel(label) <= limit)
}

func (d drawing) controls(p Picture) []Control {
	if d.lim.Plain {
		return nil
	}
	var out []Control
	add := func(kind seam.Control, label phrase) *Control {
		out = append(out, Control{ID: Encode(d.rec.ID, d.n, kind, "", false), Kind: kind, Label: d.w.say(label)})
		return &out[len(out)-1]
	}
	switch {
	case d.q.Multi():
		add(seam.PressChoose, labelChoose)
	case len(p.Options) == 0:
		add(seam.PressOther, labelAnswer)
	default:
		out = d.optionControls(p)
		add(seam.PressOther, labelOther)
	}
	ask := func(c *Control) {
		confirm := ConfirmOf(d.rec, d.n, c.Kind, d.w)
		c.Confirm = &confirm
	}
	if d.q.MaySkip(len(d.rec.Questions)) {
		label := labelSkip
		if d.q.Multi() {
			label = labelNone
		}
		ask(add(seam.PressSkip, label))
	}
	dismiss := add(seam.PressDismiss, labelDismiss)
	dismiss.Danger = true
	ask(dismiss)
	return out
}

func (d drawing) optionControls(p Picture) []Control {
	recommended := slices.ContainsFunc(p.Options, func(o Option) bool { return o.Recommended })
	var out []Control
	for i, o := range p.Options {
		approves := p.Plan && !recommended && d.q.Options[i].Label == d.q.Intent.Approve
		c := Control{
			ID: Encode(d.rec.ID, d.n, seam.PressOption, itoa(o.Index), false), Kind: seam.PressOption, Option: o.Index,
			Label: oneLine(o.Label), Primary: o.Recommended || approves,
		}
		switch {
		case p.Select:
			c.Label = d.lim.Entry(o)
		case !d.alone(o, p.Options), o.Number > 0 && bareNumber(o.Label):
			c.Label = itoa(o.Number)
		}
		out = append(out, c)
	}
	return out
}

// entrySep stands between the number and the label of a numbered entry.
const entrySep = " · "

// Entry is an option as an entry of a select, or of a form: with its number where the body prints one, shortened where
// it does not fit. A shortened entry always has a number, under which the body has the label in full.
func (l Limits) Entry(o Option) string {
	label := oneLine(o.Label)
	if o.Number == 0 && (l.Choice == 0 || l.measureLabel(label) <= l.Choice) {
		return label
	}
	return cut(itoa(o.Index)+entrySep+label, l.Choice, l.measureLabel)
}

func (d drawing) due() string {
	switch {
	case d.rec.Deadline.IsZero():
		return ""
	case len(d.rec.Default) == len(d.rec.Questions):
		return d.w.say(dueDefault, "what", d.w.brief(d.q, d.rec.Default[d.n-1]))
	}
	return d.w.say(dueDeadline)
}

func (d drawing) foot(p Picture) []string {
	foot := []string{d.w.say(footAsker, "agent", contain(oneLine(d.rec.Caller.Token)))}
	if p.Of > 1 {
		foot = append(foot, d.w.say(footNumber, "n", itoa(p.N), "of", itoa(p.Of)))
	}
	if how := d.how(p); p.Stage.Live() && how != "" {
		foot = append(foot, how)
	}
	return foot
}

// how says how to answer: with what the card has, and by a reply where one counts.
func (d drawing) how(p Picture) string {
	mode := d.rec.Plan.Replies
	replies := d.lim.Replies && mode != repliesOff
	press := footPress
	switch {
	case d.lim.Plain && replies && len(p.Options) > 0:
		return d.w.say(footByReply)
	case d.lim.Plain && replies:
		return d.w.say(footByWords)
	case d.lim.Plain:
		return ""
	case d.q.Multi():
		press = footChoose
	case len(p.Options) == 0:
		press = footAnswer
	}
	how := d.w.say(press)
	switch {
	case replies && mode == repliesMention:
		return d.w.say(footOrMention, "how", how)
	case replies:
		return d.w.say(footOrReply, "how", how)
	}
	return how + d.w.say(stop)
}
