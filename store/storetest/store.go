package storetest

import (
	"context"

	"github.com/askbridge/bridge/internal/seam"
)

// Store is everything that the rooms ask of a store, each through a smaller port of its own.
type Store interface {
	seam.Store
	seam.Sweep
	seam.Agents
	cards
	log
	grants
	Close() error
}

type cards interface {
	Settle(ctx context.Context, id string, votes []seam.Vote) (seam.Record, error)
	Offer(ctx context.Context, id string, n int, o seam.Offer) (seam.Record, error)
	Drawn(ctx context.Context, id string, cards []seam.Placement) (seam.Record, error)
}

type log interface {
	Note(ctx context.Context, e seam.Entry) error
	List(ctx context.Context, q seam.Query) (recs []seam.Record, cursor string, err error)
	Head(ctx context.Context) (cursor string, err error)
	Tail(ctx context.Context, after string, limit int) ([]seam.Entry, error)
}

type grants interface {
	PutGrant(ctx context.Context, g seam.Grant) error
	TakeGrant(ctx context.Context, hash string) (seam.Grant, error)
	Grant(ctx context.Context, hash string) (seam.Grant, error)
	DropGrant(ctx context.Context, hash string) error
}
