// Package tool is ask_user_question as agents meet it: how a call is decoded, how its end is encoded, what each failure
// is called, and one file per door. It also has the client of its own HTTP door.
//
// It waits for nobody and decides nothing about a request (seam does), knows no surface on which people are reached, and
// speaks to no person: what people read is answerer/card's.
package tool

import (
	"context"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// Asker is where a door's calls wait. Filled by seam.Seam; called by every call at once.
type Asker interface {
	Ask(ctx context.Context, r seam.Request) (seam.Outcome, error)
	// Wait joins a request by its id, as the token that asked it. When the request ended otherwise, the error says so and
	// the outcome has the record all the same.
	Wait(ctx context.Context, id, token string, wait time.Duration) (seam.Outcome, error)
	// Abort ends a request; token "" is an admin's word.
	Abort(ctx context.Context, id, token string) (seam.Record, error)
	// Delivered records that the asking token got the answer in full.
	Delivered(ctx context.Context, id string)
}

// Requests are read here. Filled by the store.
type Requests interface {
	Get(ctx context.Context, id string) (seam.Record, error)
	List(ctx context.Context, q seam.Query) (recs []seam.Record, cursor string, err error)
}

// Log is where events come from. Filled by the store.
type Log interface {
	// Head is the cursor of the newest entry.
	Head(ctx context.Context) (string, error)
	// Tail gives up to limit entries after the cursor, and blocks until there is one. ErrMalformed: no such cursor.
	Tail(ctx context.Context, after string, limit int) ([]seam.Entry, error)
}

// Agents is the live registry. Filled by the store.
type Agents interface {
	Register(ctx context.Context, a seam.Agent) (seam.Agent, error)
	Heartbeat(ctx context.Context, token, agent, instance string) error
	Unregister(ctx context.Context, token, agent string) error
}

// Answers takes what people send through the API. Filled by answerer.Desk, which decides whether they may.
type Answers interface {
	Answer(ctx context.Context, in seam.Submission) (seam.Record, error)
}

// Grants are the people who are signed in, and the links that sign them in. Filled by the store; keyed by HashSecret.
type Grants interface {
	PutGrant(ctx context.Context, g seam.Grant) error
	// TakeGrant gives a one-time grant to the first who asks for it.
	TakeGrant(ctx context.Context, hash string) (seam.Grant, error)
	// Grant reads a standing one.
	Grant(ctx context.Context, hash string) (seam.Grant, error)
	DropGrant(ctx context.Context, hash string) error
}
