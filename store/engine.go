package store

import "context"

// Engine is a small transactional key-value engine. Its keys are ordered.
type Engine interface {
	// Update runs f as one durable step. f is run once; it writes nothing when it fails. When what it wrote survives
	// kill -9, then is called, and after that Update returns nil. When ctx ends before, Update returns seam.ErrStore, and
	// the step may still happen.
	Update(ctx context.Context, f func(Tx) (then func(), err error)) error
	View(f func(Tx) error) error
	Close() error
}

// Tx reads and writes within one step.
type Tx interface {
	Get(bucket, key string) []byte // nil = absent; valid until the step ends
	Put(bucket, key string, value []byte)
	Delete(bucket, key string)
	// Scan calls f with each key at or after from, in order, until f returns false. f does not write.
	Scan(bucket, from string, f func(key string, value []byte) bool)
	// ScanBack calls f with each key before the given one, in reverse order, until f returns false. "" = from the end.
	ScanBack(bucket, before string, f func(key string, value []byte) bool)
}
