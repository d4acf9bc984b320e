// Package storetest is the suite that every store passes, the memory store of unit tests, and the wrapper that puts a
// store to sleep. It is no store for a daemon: nothing here survives its process.
package storetest

import (
	"context"
	"slices"
	"sync"

	"github.com/askbridge/bridge/store"
)

// Memory is a store in memory, with the same transitions as the embedded one.
type Memory struct{ *store.Store }

// NewMemory makes an empty one.
func NewMemory(cfg store.Config) *Memory {
	e := &memory{buckets: map[string]*table{}}
	for _, b := range store.Buckets {
		e.buckets[b] = &table{values: map[string][]byte{}}
	}
	return &Memory{store.New(cfg, e)}
}

// memory is the Engine: ordered maps behind one lock.
type memory struct {
	mu      sync.RWMutex
	buckets map[string]*table
}

// table is one ordered bucket.
type table struct {
	keys   []string
	values map[string][]byte
}

func (m *memory) Update(_ context.Context, f func(store.Tx) (func(), error)) error {
	m.mu.Lock()
	then, err := f((*memoryTx)(m))
	m.mu.Unlock()
	if err == nil {
		then()
	}
	return err
}

func (m *memory) View(f func(store.Tx) error) error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return f((*memoryTx)(m))
}

func (m *memory) Close() error { return nil }

type memoryTx memory

func (t *memoryTx) Get(bucket, key string) []byte { return t.buckets[bucket].values[key] }

func (t *memoryTx) Put(bucket, key string, value []byte) {
	b := t.buckets[bucket]
	if i, found := slices.BinarySearch(b.keys, key); !found {
		b.keys = slices.Insert(b.keys, i, key)
	}
	b.values[key] = append([]byte{}, value...)
}

func (t *memoryTx) Delete(bucket, key string) {
	b := t.buckets[bucket]
	if i, found := slices.BinarySearch(b.keys, key); found {
		b.keys = slices.Delete(b.keys, i, i+1)
		delete(b.values, key)
	}
}

func (t *memoryTx) Scan(bucket, from string, f func(string, []byte) bool) {
	b := t.buckets[bucket]
	i, _ := slices.BinarySearch(b.keys, from)
	for _, k := range b.keys[i:] {
		if !f(k, b.values[k]) {
			return
		}
	}
}

func (t *memoryTx) ScanBack(bucket, before string, f func(string, []byte) bool) {
	b := t.buckets[bucket]
	i := len(b.keys)
	if before != "" {
		i, _ = slices.BinarySearch(b.keys, before)
	}
	for i--; i >= 0; i-- {
		if k := b.keys[i]; !f(k, b.values[k]) {
			return
		}
	}
}
