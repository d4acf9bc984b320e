package store

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/askbridge/bridge/internal/seam"
)

// What did not become durable is acknowledged to nobody and told to nobody.
func TestFailedCommit(t *testing.T) {
	db, err := bolt.Open(filepath.Join(t.TempDir(), "bridge.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(prepare); err != nil {
		t.Fatal(err)
	}
	c := newCommitter(db)
	defer c.Close()
	told := false
	write := func(key string) func(Tx) (func(), error) {
		return func(tx Tx) (func(), error) {
			tx.Put(meta, key, []byte("v"))
			return func() { told = true }, nil
		}
	}
	batch := []*operation{
		{f: write("good"), done: make(chan struct{})},
		{f: write(""), done: make(chan struct{})}, // bbolt takes no empty key
	}
	c.commit(batch)
	for _, op := range batch {
		if <-op.done; !errors.Is(op.err, seam.ErrStore) {
			t.Errorf("acknowledged: %v", op.err)
		}
	}
	_ = c.View(func(tx Tx) error {
		if tx.Get(meta, "good") != nil {
			t.Error("half a batch was written")
		}
		return nil
	})
	if told {
		t.Error("told of what is not durable")
	}
	if err := c.Update(context.Background(), write("good")); err != nil || !told {
		t.Errorf("the next one: %v, told %v", err, told)
	}
}
