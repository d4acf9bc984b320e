// Package answerer is the desk: who may press, what a press does, and the waterfall over the surfaces on which people
// are reached.
//
// It draws nothing (card does), speaks no platform's language (the adapters below do) and keeps no state (the store
// does).
package answerer

import (
	"context"

	"github.com/askbridge/bridge/answerer/card"
	"github.com/askbridge/bridge/internal/seam"
)

// Answerer is one surface on which people are reached. The desk calls it from many goroutines.
type Answerer interface {
	// Name is the word of the policy: slack, discord, web.
	Name() string
	// Present posts one card for each of the open questions (from 1), all or nothing. On an error it returns the cards
	// that it did post, so that the desk can retire them. Placements carry the Stage drawn. The error's text is for the
	// agent and the operator: what was refused and what to do.
	Present(ctx context.Context, rec seam.Record, open []int) ([]seam.Placement, error)
	// Redraw makes one card show rec.Stage(p). Idempotent.
	Redraw(ctx context.Context, rec seam.Record, p seam.Placement) error
}

// Reply is what an adapter does next with a press: tell the person, open a form, redraw the card.
type Reply struct {
	seam.Verdict
	Say     string        // to this person alone; "" = nothing
	Form    *card.Form    // to be opened
	Confirm *card.Confirm // to be asked
	Offer   *card.Offer   // to be made
}
