package card

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/askbridge/bridge/internal/seam"
)

// inline says an answer in one line: labels and own words, quoted.
func (w Words) inline(q seam.Question, a seam.Answer) string {
	var labels []string
	for _, l := range a.Selected {
		labels = append(labels, w.quote(shown(q, l)))
	}
	own := w.quote(a.Custom)
	switch {
	case a.Empty():
		return w.say(tellSkip)
	case len(labels) == 0:
		return own
	case a.Custom == "":
		return w.list(labels)
	}
	return w.say(andAdded, "what", w.list(labels), "own", own)
}

// full says an answer as it is, on as many lines as it takes.
func full(q seam.Question, a seam.Answer) string {
	var lines []string
	for _, l := range a.Selected {
		lines = append(lines, "• "+contain(shown(q, l)))
	}
	if a.Custom != "" {
		lines = append(lines, contain(a.Custom))
	}
	return strings.Join(lines, "\n")
}

// shown is how a label reads on the card: without the recommended mark, unless that would make it another's.
func shown(q seam.Question, label string) string {
	s, marked := (seam.Option{Label: label}).Recommended()
	if marked && q.Index(s) >= 0 {
		return label
	}
	return s
}

// brief is an answer for a private message, whose card has it in full: visibly shortened where it is long.
func (w Words) brief(q seam.Question, a seam.Answer) string {
	return contain(cut(w.inline(q, a), briefly, nil))
}

// briefly is how much of an answer or of a reply is said back to people in a private message.
const briefly = 300

// extract is a person's text said back to them: when it is long, its beginning and how long it is.
func (w Words) extract(s string) string {
	short := cut(s, briefly, nil)
	if short == s {
		return contain(s)
	}
	return w.say(extract, "what", contain(short), "count", itoa(utf8.RuneCountInString(s)))
}

// who names the people who settled an item.
func (w Words) who(it seam.Item) string {
	var names []string
	for _, v := range it.Winners() {
		names = append(names, name(v.Person))
	}
	if len(names) == 0 {
		return w.say(somebody)
	}
	return w.list(names)
}

func (w Words) by(p seam.Person) string {
	if s := name(p); s != "" {
		return s
	}
	return w.say(somebody)
}

// given reports whether people settled the item.
func given(it seam.Item) bool { return it.State == seam.ItemAnswered || it.State == seam.ItemSkipped }

// votes are the votes of an open item that count: each person's latest.
func votes(it seam.Item) []seam.Vote {
	var out []seam.Vote
	for i, v := range it.Votes {
		if !slices.ContainsFunc(it.Votes[i+1:], func(x seam.Vote) bool { return same(x.Person, v.Person) }) {
			out = append(out, v)
		}
	}
	return out
}

func same(a, b seam.Person) bool { return a.Answerer == b.Answerer && a.ID == b.ID }

// tally is what votes say so far: each selection, and who is for it.
type tally struct {
	vote  seam.Vote
	names []string
}

func tallies(it seam.Item) []tally {
	var out []tally
	for _, v := range votes(it) {
		i := slices.IndexFunc(out, func(t tally) bool { return t.vote.Skip == v.Skip && t.vote.Answer.Equal(v.Answer) })
		if i < 0 {
			i, out = len(out), append(out, tally{vote: v})
		}
		out[i].names = append(out[i].names, name(v.Person))
	}
	return out
}

// soFar says what the votes of an open item are: all of it, or only how many agree where that is longer than room.
func (w Words) soFar(rec seam.Record, n int, fits func(string) bool) string {
	var lines []string
	most := 0
	for _, t := range tallies(rec.Items[n-1]) {
		p := votesFor
		if t.vote.Skip {
			p = votesForSkip
		}
		most = max(most, len(t.names))
		lines = append(lines, w.say(p, "count", itoa(len(t.names)), "need", itoa(rec.Plan.Need()),
			"what", w.inline(rec.Questions[n-1], t.vote.Answer), "who", w.list(t.names)))
	}
	if all := strings.Join(lines, w.say(clauses)); fits(all) {
		return all
	}
	return w.say(votesCount, "count", itoa(most), "need", itoa(rec.Plan.Need()))
}
