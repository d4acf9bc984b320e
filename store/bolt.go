package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// lockWait is how long to wait for another process to leave the file.
const lockWait = time.Second

// Bolt is the embedded store in one file.
type Bolt struct{ *Store }

// Open opens the file cfg.Path, which one process has at a time. Whatever the process before waited for is detached
// here: nobody of it is left.
func Open(cfg Config) (*Bolt, error) {
	if err := os.MkdirAll(filepath.Dir(cfg.Path), 0o700); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	// The free list is rebuilt at open instead of written with each commit: commits are what callers wait for.
	db, err := bolt.Open(cfg.Path, 0o600, &bolt.Options{
		Timeout: lockWait, NoFreelistSync: true, FreelistType: bolt.FreelistMapType,
	})
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, fmt.Errorf("store: another process has %s open; a file store serves one daemon at a time", cfg.Path)
	}
	if err != nil {
		return nil, fmt.Errorf("store: %s: %w", cfg.Path, err)
	}
	if err := db.Update(prepare); err != nil {
		return nil, errors.Join(fmt.Errorf("store: %s: %w", cfg.Path, err), db.Close())
	}
	s := New(cfg, newCommitter(db))
	if err := s.buryFormer(); err != nil {
		return nil, errors.Join(fmt.Errorf("store: %s: %w", cfg.Path, err), s.Close())
	}
	return &Bolt{s}, nil
}

// prepare makes the buckets and checks the layout.
func prepare(tx *bolt.Tx) error {
	for _, b := range Buckets {
		if _, err := tx.CreateBucketIfNotExists([]byte(b)); err != nil {
			return err
		}
	}
	m := tx.Bucket([]byte(meta))
	was := m.Get([]byte(metaLayout))
	if was != nil && string(was) != layout {
		return fmt.Errorf("its records have layout %s, this program reads layout %s; use the version of bridge that wrote it", was, layout)
	}
	return m.Put([]byte(metaLayout), []byte(layout))
}

// buryFormer takes the replicas of former processes out of everything that they waited for.
func (s *Store) buryFormer() error {
	for {
		left, err := update(context.Background(), s, "open", func(st *step) (int, error) {
			former := st.replicas(func(string) bool { return true })
			for _, replica := range former {
				st.bury(replica, batchSize)
			}
			return len(former), nil
		})
		if err != nil || left == 0 {
			return err
		}
	}
}

// boltTx is one step. A write that bbolt refuses spoils the whole batch: err.
type boltTx struct {
	tx    *bolt.Tx
	wrote bool
	err   error
}

func (t *boltTx) bucket(name string) *bolt.Bucket { return t.tx.Bucket([]byte(name)) }

func (t *boltTx) Get(bucket, key string) []byte { return t.bucket(bucket).Get([]byte(key)) }

func (t *boltTx) Put(bucket, key string, value []byte) {
	t.wrote = true
	t.err = errors.Join(t.err, t.bucket(bucket).Put([]byte(key), value))
}

func (t *boltTx) Delete(bucket, key string) {
	t.wrote = true
	t.err = errors.Join(t.err, t.bucket(bucket).Delete([]byte(key)))
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
		if at, _ := c.Seek([]byte(before)); at != nil {
			k, v = c.Prev()
		} else {
			k, v = c.Last()
		}
	}
	for ; k != nil && f(string(k), v); k, v = c.Prev() {
	}
}
