package card

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/askbridge/bridge/internal/seam"
)

// How replies count (Plan.Replies). Anything else is auto.
const (
	repliesAnswer  = "answer"
	repliesMention = "mention" // as auto, for replies that mention bridge; others are left alone
	repliesOff     = "off"
)

// reply reads a message beside the card. To a question that is closed it is late if it would have been its answer, and
// conversation otherwise.
func (r reading) reply() Move {
	mode := r.rec.Plan.Replies
	if r.p.Aside || mode == repliesOff || mode == repliesMention && !r.p.Mention {
		return Move{Kind: MoveIgnore}
	}
	a, exact := understand(r.q, r.p.Text, numbered(r.rec, r.p.N, r.p.Person.Answerer))
	asked := r.asked(mode, exact)
	m := r.answer(a)
	switch {
	case m.Reason == seam.ReasonEmpty && asked: // a picture in a conversation
		m = Move{Kind: MoveIgnore}
	case m.Kind == MoveSettle && asked:
		m = Move{Kind: MoveOffer, Text: r.p.Text}
	}
	switch {
	case r.closed() && m.Kind == MoveSettle:
		return refuse(seam.ReasonLate)
	case r.closed():
		return Move{Kind: MoveIgnore}
	}
	return m
}

// asked reports whether the author of a reply is asked before it counts.
func (r reading) asked(mode string, exact bool) bool {
	switch {
	case r.q.IsPlanReview() || r.rec.Plan.Need() > 1:
		return true
	case mode == repliesAnswer || len(r.q.Options) == 0:
		return false
	}
	return r.it.Talk || !exact
}

// understand reads a text as an answer: as the options that it names exactly, else as own words.
func understand(q seam.Question, text string, numbers bool) (a seam.Answer, exact bool) {
	n := names{q: q, printed: numbers}
	n.mixed = slices.ContainsFunc(q.Options, func(o seam.Option) bool { return bareNumber(shown(q, o.Label)) })
	if i, ok := n.one(text); ok {
		return seam.Answer{Selected: []string{q.Options[i].Label}}, true
	}
	if chosen, ok := n.several(text); ok && q.Multi() {
		return seam.Answer{Selected: chosen}, true
	}
	return seam.Answer{Custom: text}, false
}

// names finds options by what people call them.
type names struct {
	q       seam.Question
	printed bool // the card prints numbers
	mixed   bool // some label is a number itself
}

// one is the option that a text names: by its exact label, by a label that differs in case, spaces and the recommended
// mark alone where only one does, or by a printed number. Where labels are numbers too, a number names nothing: "2" may
// be own words, or the label of an option that another number stands beside.
func (n names) one(text string) (i int, ok bool) {
	i, ok = n.label(text)
	number := n.number(text)
	switch {
	case ok && n.printed && number >= 0 && number != i:
		return -1, false
	case ok:
		return i, true
	}
	return number, n.printed && !n.mixed && number >= 0 && i != ambiguous
}

// ambiguous is a text that two labels are as near to: nobody decides for the person.
const ambiguous = -2

func (n names) label(text string) (i int, ok bool) {
	if i = n.q.Index(text); i >= 0 {
		return i, true
	}
	if i = n.q.Index(strings.TrimSpace(text)); i >= 0 {
		return i, true
	}
	found, said := -1, plain(text)
	for j, o := range n.q.Options {
		if said == "" || plain(o.Label) != said {
			continue
		}
		if found >= 0 {
			return ambiguous, false
		}
		found = j
	}
	return found, found >= 0
}

// number is the option that a text numbers, or -1.
func (n names) number(text string) (i int) {
	text = strings.TrimSpace(text)
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 || number > len(n.q.Options) || itoa(number) != text {
		return -1
	}
	return number - 1
}

// several are the options that a list names: one per line or semicolon, or separated by commas, which labels may hold.
func (n names) several(text string) (labels []string, ok bool) {
	for _, part := range split(text, "\r\n;；") {
		if i, ok := n.one(part); ok {
			labels = append(labels, n.q.Options[i].Label)
			continue
		}
		for _, p := range split(part, ",，、") {
			i, ok := n.one(p)
			if !ok {
				return nil, false
			}
			labels = append(labels, n.q.Options[i].Label)
		}
	}
	return labels, len(labels) > 0
}

func split(s, seps string) (parts []string) {
	for _, p := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(seps, r) }) {
		if strings.TrimSpace(p) != "" {
			parts = append(parts, p)
		}
	}
	return parts
}

// plain is a label or a reply without what does not count: case, spaces and the recommended mark.
func plain(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, s)
	if bare := strings.TrimSuffix(s, "(recommended)"); bare != "" {
		return bare
	}
	return s
}
