package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// step is one durable change. What it writes stays beside the engine until the step has succeeded, so that one that
// fails half-way leaves nothing behind and spoils no other of its batch. Get sees what the step wrote; a scan sees what
// stood before it.
type step struct {
	tx  Tx
	s   *Store
	now time.Time

	written map[spot][]byte // nil = deleted
	order   []spot

	touched []seam.Record // to be told of once this is durable
	logged  bool
}

type spot struct{ bucket, key string }

func (s *Store) step(tx Tx) *step { return &step{tx: tx, s: s, now: s.now()} }

func (st *step) get(bucket, key string) []byte {
	if v, ok := st.written[spot{bucket, key}]; ok {
		return v
	}
	if key == "" {
		return nil
	}
	return st.tx.Get(bucket, key)
}

func (st *step) put(bucket, key string, value []byte) {
	if value == nil {
		value = []byte{}
	}
	st.write(spot{bucket, key}, value)
}

func (st *step) delete(bucket, key string) { st.write(spot{bucket, key}, nil) }

func (st *step) write(at spot, value []byte) {
	if st.written == nil {
		st.written = map[spot][]byte{}
	}
	if _, again := st.written[at]; !again {
		st.order = append(st.order, at)
	}
	st.written[at] = value
}

// maxKey is what the engine takes: https://pkg.go.dev/go.etcd.io/bbolt#pkg-constants. Names within the limits of the
// contract never come near.
const maxKey = 32768

// flush hands what was written to the engine: all of it, or, when a key is none, nothing.
func (st *step) flush() error {
	for _, at := range st.order {
		if at.key == "" || len(at.key) > maxKey {
			return seam.ErrStore.From(fmt.Errorf("a key of %d bytes in %s", len(at.key), at.bucket))
		}
	}
	for _, at := range st.order {
		if v := st.written[at]; v != nil {
			st.tx.Put(at.bucket, at.key, v)
		} else {
			st.tx.Delete(at.bucket, at.key)
		}
	}
	return nil
}

// load reads a record.
func (st *step) load(id string) (seam.Record, error) {
	var rec seam.Record
	body := st.get(bodies, id)
	if body == nil {
		return rec, seam.ErrNotFound
	}
	if err := json.Unmarshal(body, &rec.Body); err != nil {
		return rec, seam.ErrStore.From(fmt.Errorf("body of %s: %w", id, err))
	}
	if err := json.Unmarshal(st.get(lives, id), &rec.Life); err != nil {
		return rec, seam.ErrStore.From(fmt.Errorf("life of %s: %w", id, err))
	}
	return rec, nil
}

func encode(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic("store: records hold plain values only: " + err.Error())
	}
	return raw
}
