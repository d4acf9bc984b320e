package web

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/askbridge/bridge/answerer/card"
	"github.com/askbridge/bridge/internal/seam"
)

const (
	perPage  = 50 // pending requests on one page
	perState = 12 // of each ending that are looked at for
	recent   = 12 // requests that ended of late
)

// row is a request in a list.
type row struct {
	ID       string
	V        string // digest
	Header   string
	Question string
	Asker    string
	Plan     bool
	Of, Done int
	Created  time.Time
	Due      string
	DueAt    time.Time
	Detached bool
	Tone     string
	Note     string // ended: how
	Ended    time.Time
	Current  bool // it is the page's own
}

// listPage is the front page.
type listPage struct {
	frame
	Rows   []row
	Ended  []row
	Older  string // cursor of the next page
	Paging bool   // this is not the first page
}

func (i *Inbox) list(w http.ResponseWriter, r *http.Request, s session) {
	ctx, cancel := context.WithTimeout(r.Context(), pageBudget)
	defer cancel()
	cursor := r.URL.Query().Get("cursor")
	rows, older, err := i.waiting(ctx, cursor, "")
	if code, bad := seam.AsError(err); bad && code.Code == seam.ErrMalformed {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return
	}
	var ended []row
	if err == nil && cursor == "" {
		ended, err = i.ended(ctx)
	}
	if err != nil {
		i.storeSilent(w, err)
		return
	}
	page := listPage{frame: i.frameOf(s, i.words.say("inbox")), Rows: rows, Ended: ended, Older: older, Paging: cursor != ""}
	page.Body, page.Count, page.More, page.Live = "list", len(rows), older != "", cursor == ""
	page.Say = i.recall(w, r)
	i.show(w, http.StatusOK, pageList, page)
}

// waiting are the pending requests, newest first, a page of them.
func (i *Inbox) waiting(ctx context.Context, cursor, current string) (rows []row, older string, err error) {
	recs, older, err := i.ports.Requests.List(ctx, seam.Query{Status: seam.Pending, Cursor: cursor, Limit: perPage})
	for _, rec := range recs {
		r := i.row(rec)
		r.Current = rec.ID == current
		rows = append(rows, r)
	}
	return rows, older, err
}

// ended are the requests that ended last.
func (i *Inbox) ended(ctx context.Context) ([]row, error) {
	var all []seam.Record
	for _, state := range seam.States {
		if !state.Ended() {
			continue
		}
		recs, _, err := i.ports.Requests.List(ctx, seam.Query{Status: state, Limit: perState})
		if err != nil {
			return nil, err
		}
		all = append(all, recs...)
	}
	slices.SortStableFunc(all, func(a, b seam.Record) int { return cmp.Or(b.Ended.Compare(a.Ended), cmp.Compare(a.ID, b.ID)) })
	var rows []row
	for _, rec := range all[:min(len(all), recent)] {
		rows = append(rows, i.row(rec))
	}
	return rows, nil
}

// row draws a request for a list: its first open question, or its first.
func (i *Inbox) row(rec seam.Record) row {
	n := 1
	if open := rec.Open(); len(open) > 0 {
		n = open[0]
	}
	p := card.Draw(rec, n, i.limits())
	r := row{
		ID: rec.ID, Header: p.Header, Question: p.Question, Asker: p.Foot[0], Plan: p.Plan, Of: p.Of,
		Done: len(rec.Items) - len(rec.Open()), Created: rec.Created, Due: p.Due, DueAt: p.DueAt,
		Detached: !rec.Detached.IsZero(), Tone: tone(p.Stage), Ended: rec.Ended,
	}
	if rec.State.Ended() {
		r.Note = p.Note
	}
	if rec.State == seam.Answered && p.Of > 1 {
		r.Note = i.words.say("row.all", "of", p.Of)
	}
	r.V = digest(r)
	return r
}
