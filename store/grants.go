package store

import (
	"context"
	"encoding/json"

	"github.com/askbridge/bridge/internal/seam"
)

func (st *step) grant(hash string, once bool) (g seam.Grant, err error) {
	raw := st.get(grants, hash)
	if raw == nil || json.Unmarshal(raw, &g) != nil || g.Once != once || !st.now.Before(g.Expires) {
		return seam.Grant{}, seam.ErrNotFound
	}
	return g, nil
}

// PutGrant keeps a grant, and forgets those that are over: there are few.
func (s *Store) PutGrant(ctx context.Context, g seam.Grant) error {
	return s.run(ctx, "grant", func(st *step) error {
		st.tx.Scan(grants, "", func(hash string, raw []byte) bool {
			var old seam.Grant
			if json.Unmarshal(raw, &old) != nil || !st.now.Before(old.Expires) {
				st.delete(grants, hash)
			}
			return true
		})
		st.put(grants, g.Hash, encode(g))
		return nil
	})
}

// TakeGrant gives a one-time grant to the first who asks for it.
func (s *Store) TakeGrant(ctx context.Context, hash string) (seam.Grant, error) {
	return update(ctx, s, "take grant", func(st *step) (seam.Grant, error) {
		g, err := st.grant(hash, true)
		if err == nil {
			st.delete(grants, hash)
		}
		return g, err
	})
}

// Grant reads a standing grant.
func (s *Store) Grant(ctx context.Context, hash string) (seam.Grant, error) {
	var g seam.Grant
	err := s.view(ctx, func(st *step) (err error) {
		g, err = st.grant(hash, false)
		return err
	})
	return g, err
}

// DropGrant ends a grant.
func (s *Store) DropGrant(ctx context.Context, hash string) error {
	return s.run(ctx, "drop grant", func(st *step) error {
		st.delete(grants, hash)
		return nil
	})
}
