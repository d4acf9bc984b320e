package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/askbridge/bridge/internal/seam"
)

const (
	lockWait  = time.Second // how long to wait for another process to leave the file
	batchSize = 512         // operations in one durable transaction
)

// Bolt is the embedded store in a file.
type Bolt struct{ *Store }

// Open opens the embedded store in the file cfg.Path, which one process has at a time. Whatever a former process waited
// for is detached by the first Lapse: the leases of former replicas are over.
func Open(cfg Config) (*Bolt, error) {
	if err := os.MkdirAll(filepath.Dir(cfg.Path), 0o700); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	db, err := bolt.Open(cfg.Path, 0o600, &bolt.Options{
		Timeout: lockWait, NoFreelistSync: true, FreelistType: bolt.FreelistMapType,
	})
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, fmt.Errorf("store: another process has %s open; a file store serves one daemon", cfg.Path)
	}
	if err != nil {
		return nil, fmt.Errorf("store: %s: %w", cfg.Path, err)
	}
	if err := db.Update(prepare); err != nil {
		return nil, errors.Join(fmt.Errorf("store: %s: %w", cfg.Path, err), db.Close())
	}
	return &Bolt{New(cfg, newBoltEngine(db))}, nil
}

// prepare makes the buckets, checks the layout, and ends the leases of former processes.
func prepare(tx *bolt.Tx) error {
	for _, b := range Buckets {
		if _, err := tx.CreateBucketIfNotExists([]byte(b)); err != nil {
			return err
		}
	}
	t := &boltTx{tx: tx}
	if was := string(t.Get(meta, "layout")); was != "" && was != layout {
		return fmt.Errorf("its layout is version %s, this program reads version %s", was, layout)
	}
	t.Put(meta, "layout", []byte(layout))
	var former []string
	t.Scan(leases, "", func(replica string, _ []byte) bool {
		former = append(former, replica)
		return true
	})
	for _, replica := range former {
		t.Put(leases, replica, []byte(stamp(time.Time{})))
	}
	return t.err
}

// boltEngine commits from one goroutine: it drains the queue, applies it in one durable transaction, then answers all.
// That is one fsync for as many callers as there are.
type boltEngine struct {
	db     *bolt.DB
	queue  chan *boltOp
	closed chan struct{}
	once   sync.Once
	done   chan struct{}
}

type boltOp struct {
	f    func(Tx) error
	err  error
	done chan struct{}
}

func newBoltEngine(db *bolt.DB) *boltEngine {
	e := &boltEngine{db: db, queue: make(chan *boltOp, batchSize), closed: make(chan struct{}), done: make(chan struct{})}
	go e.commit()
	return e
}

// Update queues f and waits until it is durable. When ctx ends first the change may still happen.
func (e *boltEngine) Update(ctx context.Context, f func(Tx) error) error {
	op := &boltOp{f: f, done: make(chan struct{})}
	select {
	case e.queue <- op:
	case <-e.closed:
		return seam.ErrStore.From(errClosed)
	case <-ctx.Done():
		return seam.ErrStore.From(context.Cause(ctx))
	}
	select {
	case <-op.done:
		return op.err
	case <-e.done:
		return seam.ErrStore.From(errClosed)
	case <-ctx.Done():
		return seam.ErrStore.From(context.Cause(ctx))
	}
}

var errClosed = errors.New("the store is closed")

// View reads a consistent state.
func (e *boltEngine) View(f func(Tx) error) error {
	err := e.db.View(func(tx *bolt.Tx) error { return f(&boltTx{tx: tx}) })
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return seam.ErrStore.From(errClosed)
	}
	return err
}

// Close lets what is queued finish and closes the file.
func (e *boltEngine) Close() error {
	e.once.Do(func() { close(e.closed) })
	<-e.done
	return e.db.Close()
}

func (e *boltEngine) commit() {
	defer close(e.done)
	for {
		select {
		case op := <-e.queue:
			e.apply(e.drain([]*boltOp{op}))
		case <-e.closed:
			if batch := e.drain(nil); len(batch) > 0 {
				e.apply(batch)
			}
			return
		}
	}
}

func (e *boltEngine) drain(batch []*boltOp) []*boltOp {
	for len(batch) < batchSize {
		select {
		case op := <-e.queue:
			batch = append(batch, op)
		default:
			return batch
		}
	}
	return batch
}

// apply makes a batch durable. An operation that fails has written nothing, so the others go on.
func (e *boltEngine) apply(batch []*boltOp) {
	err := e.db.Update(func(tx *bolt.Tx) error {
		for _, op := range batch {
			t := &boltTx{tx: tx}
			op.err = op.f(t)
			if t.err != nil {
				return t.err
			}
		}
		return nil
	})
	for _, op := range batch {
		if err != nil {
			op.err = seam.ErrStore.From(err)
		}
		close(op.done)
	}
}

// boltTx is one step. A write that bbolt refuses spoils the whole batch: err.
type boltTx struct {
	tx  *bolt.Tx
	err error
}

func (t *boltTx) bucket(name string) *bolt.Bucket { return t.tx.Bucket([]byte(name)) }

func (t *boltTx) Get(bucket, key string) []byte { return t.bucket(bucket).Get([]byte(key)) }

func (t *boltTx) Put(bucket, key string, value []byte) {
	if err := t.bucket(bucket).Put([]byte(key), value); err != nil {
		t.err = errors.Join(t.err, err)
	}
}

func (t *boltTx) Delete(bucket, key string) {
	if err := t.bucket(bucket).Delete([]byte(key)); err != nil {
		t.err = errors.Join(t.err, err)
	}
}

func (t *boltTx) Scan(bucket, from string, f func(string, []byte) bool) {
	c := t.bucket(bucket).Cursor()
	for k, v := c.Seek([]byte(from)); k != nil && f(string(k), v); k, v = c.Next() {
	}
}

func (t *boltTx) ScanBack(bucket, before string, f func(string, []byte) bool) {
	c := t.bucket(bucket).Cursor()
	k, v := c.Last()
	if before != "" {
		k, v = c.Seek([]byte(before))
		if k == nil {
			k, v = c.Last()
		}
		for k != nil && bytes.Compare(k, []byte(before)) >= 0 {
			k, v = c.Prev()
		}
	}
	for ; k != nil && f(string(k), v); k, v = c.Prev() {
	}
}
