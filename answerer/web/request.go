package web

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/bridge/answerer/card"
	"github.com/askbridge/bridge/internal/seam"
)

// requestPage is one request with all its questions.
type requestPage struct {
	frame
	ID      string
	Asker   string
	Created time.Time
	Of      int
	Done    int
	Ended   bool
	Cards   []cardView
	Rows    []row // the others that wait, and this one
	Next    *row  // another one that waits
}

// cardView is a card as HTML wants it.
type cardView struct {
	card.Picture
	V       string // digest
	Live    bool
	Tone    string
	Detail  template.HTML
	Foot    []string
	Options []optionView
	Pick    []optionView  // the options of a form of several choices
	Form    *card.Form    // own words, several choices
	Bare    bool          // the form is all there is to press: it stands open
	Opens   string        // the words that open the form
	Open    bool          // it was asked for, or holds a draft
	Asks    []controlView // skip, dismiss: what asks once more
	Nonce   string
	Draft   string
	Notice  *notice
	Unsent  bool // the draft can be sent no more
	Filter  bool // the options are many
	CSRF    string
	Request string
}

type optionView struct {
	card.Option
	ID      string // of its control
	Primary bool
	Checked bool
}

type controlView struct {
	card.Control
	Request string
}

// filterFrom is from how many options on one wants to search them.
const filterFrom = 12

func (i *Inbox) request(w http.ResponseWriter, r *http.Request, s session) {
	open, _ := strconv.Atoi(r.URL.Query().Get("form")) // no number: none
	said := i.recall(w, r)
	i.draw(w, r, s, r.PathValue("id"), http.StatusOK, said, draft{n: open})
}

// again shows a request after a press that was not taken, with what was typed.
func (i *Inbox) again(w http.ResponseWriter, r *http.Request, s session, id string, code int, said notice, d draft) {
	i.draw(w, r, s, id, code, &said, d)
}

func (i *Inbox) draw(w http.ResponseWriter, r *http.Request, s session, id string, code int, said *notice, d draft) {
	ctx, cancel := context.WithTimeout(r.Context(), pageBudget)
	defer cancel()
	rec, err := i.ports.Requests.Get(ctx, id)
	var rows []row
	if err == nil {
		rows, _, err = i.waiting(ctx, "", id)
	}
	if err != nil {
		i.missing(w, s, err, said, d)
		return
	}
	page := i.requestPage(s, rec, rows)
	if said != nil && (said.N < 1 || said.N > len(page.Cards) || said.Kind == seam.Taken) {
		page.Say, said = said, nil
	}
	for k := range page.Cards {
		c := &page.Cards[k]
		if said != nil && said.N == c.N {
			c.Notice = said
		}
		if d.n == c.N {
			c.fill(d)
		}
	}
	i.show(w, code, pageRequest, page)
}

// missing says that there is no such request, or that the store did not say; with what the desk said, and what was typed.
func (i *Inbox) missing(w http.ResponseWriter, s session, err error, said *notice, d draft) {
	code, what := http.StatusServiceUnavailable, "fail.store"
	if errors.Is(err, seam.ErrNotFound) {
		code, what = http.StatusNotFound, "fail.gone"
	}
	page := messagePage{frame: i.frameOf(s, i.words.say(what)), Text: i.words.say(what + ".text"), Draft: d.text}
	if page.Heading = page.Title; said != nil {
		page.Text = said.Say
	}
	i.show(w, code, pageMessage, page)
}

func (i *Inbox) requestPage(s session, rec seam.Record, rows []row) requestPage {
	page := requestPage{
		frame: i.frameOf(s, ""), ID: rec.ID, Created: rec.Created, Of: len(rec.Questions),
		Done: len(rec.Items) - len(rec.Open()), Ended: rec.State.Ended(), Rows: rows,
	}
	if page.Ended {
		page.Done = 0
	}
	for k := range rec.Questions {
		page.Cards = append(page.Cards, i.card(s, rec, k+1))
	}
	for k := range rows {
		if !rows[k].Current && page.Next == nil {
			page.Next = &rows[k]
		}
	}
	first := page.Cards[0]
	page.Asker, page.Title = first.Picture.Foot[0], title(first.Picture)
	page.Body, page.Live, page.Count, page.More = "request", true, len(rows), len(rows) == perPage
	return page
}

// titleLength is as much of a question as a browser shows in a tab.
const titleLength = 60

func title(p card.Picture) string {
	s := p.Header
	if s == "" {
		s, _, _ = strings.Cut(p.Question, "\n")
	}
	if r := []rune(s); len(r) > titleLength {
		s = string(r[:titleLength]) + "…"
	}
	return s
}

// card dresses the picture of one question.
func (i *Inbox) card(s session, rec seam.Record, n int) cardView {
	p := card.Draw(rec, n, i.limits())
	c := cardView{
		Picture: p, V: digest(p), Live: p.Stage.Live(), Tone: tone(p.Stage), Detail: i.rendering.html(p.Detail), Foot: p.Foot,
		Nonce: secret256(), Filter: len(p.Options) > filterFrom, CSRF: s.csrf(), Request: rec.ID,
	}
	if c.Live {
		c.Foot = p.Foot[:len(p.Foot)-1] // how to press elsewhere; here what can be pressed is there to see
	}
	c.Foot = c.Foot[1:] // who asks is the heading of the page
	for _, o := range p.Options {
		c.Options = append(c.Options, optionView{Option: o})
	}
	for _, control := range p.Controls {
		c.add(control)
	}
	if c.Opens == "" {
		return c
	}
	form := card.FormOf(rec, n, i.cards)
	c.Form, c.Bare = &form, len(p.Options) == 0 || form.Options != nil
	if form.Options != nil {
		c.Options = nil
	}
	for _, o := range form.Options {
		c.Pick = append(c.Pick, optionView{Option: o})
	}
	return c
}

// add gives a control its place on the card.
func (c *cardView) add(control card.Control) {
	switch control.Kind {
	case seam.PressOption:
		o := &c.Options[control.Option-1]
		o.ID, o.Primary = control.ID, control.Primary
	case seam.PressOther, seam.PressChoose:
		c.Opens = control.Label
	default:
		c.Asks = append(c.Asks, controlView{Control: control, Request: c.Request})
	}
}

// fill puts back what was typed and chosen.
func (c *cardView) fill(d draft) {
	c.Open, c.Draft = true, d.text
	if d.nonce != "" {
		c.Nonce = d.nonce
	}
	for k := range c.Pick {
		c.Pick[k].Checked = d.chosen[c.Pick[k].Index]
	}
	c.Unsent = !c.Live && d.text != ""
}

// Heading is the id of the card's heading.
func (c cardView) Heading() string { return fmt.Sprintf("q%d-title", c.N) }

// tones are the moods of final stages.
var tones = map[seam.Stage]string{
	seam.StageDetached:    "warn",
	seam.StageRecorded:    "good",
	seam.StageAnswered:    "good",
	seam.StageKept:        "good",
	seam.StageDelivered:   "good",
	seam.StageUncollected: "warn",
	seam.StageExpired:     "warn",
	seam.StageFailed:      "warn",
}

func tone(s seam.Stage) string {
	if t, ok := tones[s]; ok {
		return t
	}
	if s.Live() {
		return "open"
	}
	return "over"
}
