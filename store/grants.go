package store

import (
	"context"
	"encoding/json"

	"github.com/askbridge/bridge/internal/seam"
)

func (st *step) grant(hash string, once bool) (g seam.Grant, err error) {
	raw := st.Get(grants, hash)
	if raw == nil || json.Unmarshal(raw, &g) != nil || g.Once != once || !st.now.Before(g.Expires) {
		return seam.Grant{}, seam.ErrNotFound
	}
	return g, nil
}

// PutGrant keeps a grant, and forgets those that are over.
func (s *Store) PutGrant(ctx context.Context, g seam.Grant) error {
	return s.update(ctx, "grant", func(st *step) error {
		var over []string
		st.Scan(grants, "", func(hash string, raw []byte) bool {
			var old seam.Grant
			if json.Unmarshal(raw, &old) != nil || !st.now.Before(old.Expires) {
				over = append(over, hash)
			}
			return true
		})
		for _, hash := range over {
			st.Delete(grants, hash)
		}
		st.Put(grants, g.Hash, encode(g))
		return nil
	})
}

// TakeGrant gives a one-time grant to the first who asks for it.
func (s *Store) TakeGrant(ctx context.Context, hash string) (g seam.Grant, err error) {
	err = s.update(ctx, "take grant", func(st *step) (err error) {
		if g, err = st.grant(hash, true); err == nil {
			st.Delete(grants, hash)
		}
		return err
	})
	return g, err
}

// Grant reads a standing grant.
func (s *Store) Grant(_ context.Context, hash string) (g seam.Grant, err error) {
	err = s.engine.View(func(tx Tx) (err error) {
		g, err = (&step{Tx: tx, s: s, now: s.now()}).grant(hash, false)
		return err
	})
	return g, err
}

// DropGrant ends a grant.
func (s *Store) DropGrant(ctx context.Context, hash string) error {
	return s.update(ctx, "drop grant", func(st *step) error {
		st.Delete(grants, hash)
		return nil
	})
}
