// Package web is the inbox: the answerer that works with no account. It shows every pending request on a page and takes
// answers there.
//
// It is a codec like its twins: card.Draw becomes HTML, a posted form becomes a seam.Press for the desk, and the desk's
// reply becomes HTML again. Who may answer and what a press does is the desk's to say. Its pages are whole without
// JavaScript; the script adds what changes while one looks, the keyboard, and answers without a page load.
package web

import (
	"context"
	"fmt"
	"net/http"

	"github.com/askbridge/bridge/answerer"
	"github.com/askbridge/bridge/answerer/card"
	"github.com/askbridge/bridge/internal/seam"
)

// Desk takes presses. Filled by answerer.Desk; called by every press at once.
type Desk interface {
	Press(ctx context.Context, p seam.Press) answerer.Reply
}

// Requests are read here, at every page. Filled by the store.
type Requests interface {
	Get(ctx context.Context, id string) (seam.Record, error)
	List(ctx context.Context, q seam.Query) (recs []seam.Record, cursor string, err error)
}

// Log is where open pages hear of changes. Filled by the store; one Tail at a time per open page.
type Log interface {
	// Head is the cursor of the newest entry.
	Head(ctx context.Context) (string, error)
	// Tail gives up to limit entries after the cursor, and blocks until there is one.
	Tail(ctx context.Context, after string, limit int) ([]seam.Entry, error)
}

// Grants are the people who are signed in, and the links that sign them in. Filled by the store; keyed by the SHA-256 of
// the secret in hex.
type Grants interface {
	PutGrant(ctx context.Context, g seam.Grant) error
	// TakeGrant gives a one-time grant to the first who asks for it.
	TakeGrant(ctx context.Context, hash string) (seam.Grant, error)
	// Grant reads a standing one.
	Grant(ctx context.Context, hash string) (seam.Grant, error)
	DropGrant(ctx context.Context, hash string) error
}

// Ports are the rooms that the inbox calls.
type Ports struct {
	Desk     Desk
	Requests Requests
	Log      Log
	Grants   Grants
}

// Name is the word by which routes name the inbox.
const Name = "web"

// channel is where all of its cards stand.
const channel = "inbox"

// Inbox is the page, and the answerer behind it.
type Inbox struct {
	cfg    Config
	ports  Ports
	cards  card.Words
	words  words
	pages  pages
	assets assets
	mux    *http.ServeMux

	rendering rendering

	open  context.Context // ends with Drain
	drain context.CancelFunc
}

// New makes an inbox.
func New(cfg Config, ports Ports) *Inbox {
	cfg = cfg.withDefaults()
	i := &Inbox{
		cfg: cfg, ports: ports, cards: card.WordsFor(cfg.Locale), words: wordsFor(cfg.Locale),
		assets: loadAssets(), mux: http.NewServeMux(), rendering: newRendering(),
	}
	i.pages = i.loadPages()
	i.open, i.drain = context.WithCancel(context.Background())
	i.routes()
	return i
}

// Drain ends the streams of open pages, which come back by themselves.
func (i *Inbox) Drain() { i.drain() }

// Name is the word of the policy.
func (*Inbox) Name() string { return Name }

// Present accepts at once: a page is drawn from the record when somebody looks.
func (*Inbox) Present(_ context.Context, rec seam.Record, open []int) ([]seam.Placement, error) {
	cards := make([]seam.Placement, 0, len(open))
	for _, n := range open {
		p := placement(rec, n)
		p.Drawn = rec.Stage(p)
		cards = append(cards, p)
	}
	return cards, nil
}

// Redraw has nothing to do: a page is drawn from the record, and an open one hears of changes by the log.
func (*Inbox) Redraw(context.Context, seam.Record, seam.Placement) error { return nil }

// placement is where the card of question n stands in the inbox.
func placement(rec seam.Record, n int) seam.Placement {
	return seam.Placement{N: n, Answerer: Name, Channel: channel, Message: fmt.Sprintf("%s.%d", rec.ID, n)}
}
