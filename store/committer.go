package store

import (
	"context"
	"errors"
	"sync"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/askbridge/bridge/internal/seam"
)

// batchSize is how many operations share one durable transaction.
const batchSize = 512

// committer is the Engine over bbolt. One goroutine drains the queue, applies it in one durable transaction, then answers
// all: one fsync for as many callers as there are. Not bbolt's own DB.Batch, whose delay would be the latency of a press.
type committer struct {
	db    *bolt.DB
	queue chan *operation
	stop  chan struct{}
	once  sync.Once
	ended chan struct{} // the goroutine has ended
}

type operation struct {
	f    func(Tx) (func(), error)
	then func()
	err  error
	done chan struct{}
}

func newCommitter(db *bolt.DB) *committer {
	c := &committer{
		db: db, queue: make(chan *operation, batchSize), stop: make(chan struct{}), ended: make(chan struct{}),
	}
	go c.loop()
	return c
}

func (c *committer) Update(ctx context.Context, f func(Tx) (func(), error)) error {
	op := &operation{f: f, done: make(chan struct{})}
	select {
	case c.queue <- op:
	case <-c.stop:
		return seam.ErrStore.From(errClosed)
	case <-ctx.Done():
		return seam.ErrStore.From(context.Cause(ctx))
	}
	select {
	case <-op.done:
		return op.err
	case <-ctx.Done():
		return seam.ErrStore.From(context.Cause(ctx))
	case <-c.ended:
	}
	select { // what was still done counts
	case <-op.done:
		return op.err
	default:
		return seam.ErrStore.From(errClosed)
	}
}

func (c *committer) View(f func(Tx) error) error {
	err := c.db.View(func(tx *bolt.Tx) error { return f(&boltTx{tx: tx}) })
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return seam.ErrStore.From(errClosed)
	}
	return err
}

// Close lets what is queued finish and closes the file.
func (c *committer) Close() error {
	c.once.Do(func() { close(c.stop) })
	<-c.ended
	return c.db.Close()
}

func (c *committer) loop() {
	defer close(c.ended)
	for {
		select {
		case op := <-c.queue:
			c.commit(c.drain([]*operation{op}))
		case <-c.stop:
			if batch := c.drain(nil); len(batch) > 0 {
				c.commit(batch)
			}
			return
		}
	}
}

func (c *committer) drain(batch []*operation) []*operation {
	for len(batch) < batchSize {
		select {
		case op := <-c.queue:
			batch = append(batch, op)
		default:
			return batch
		}
	}
	return batch
}

// errNothing rolls back a transaction in which nobody wrote: a refusal costs no fsync.
var errNothing = errors.New("nothing was written")

// commit makes a batch durable. An operation that fails has written nothing, so the others go on.
func (c *committer) commit(batch []*operation) {
	err := c.db.Update(func(tx *bolt.Tx) error {
		t := &boltTx{tx: tx}
		for _, op := range batch {
			if op.then, op.err = op.f(t); t.err != nil {
				return t.err
			}
		}
		if !t.wrote {
			return errNothing
		}
		return nil
	})
	for _, op := range batch {
		switch {
		case err != nil && !errors.Is(err, errNothing):
			op.err = seam.ErrStore.From(err)
		case op.err == nil:
			op.then()
		}
		close(op.done)
	}
}
