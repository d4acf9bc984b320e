package store

import (
	"context"
	"strings"

	"github.com/askbridge/bridge/internal/seam"
)

// maxPage is how many requests one List gives at most.
const maxPage = 200

// List selects requests, newest first. The cursor names the last one given; it stays right while requests come and go.
func (s *Store) List(ctx context.Context, q seam.Query) (recs []seam.Record, cursor string, err error) {
	list := listAll
	if q.Status != "" {
		list = string(q.Status)
	}
	prefix := listPrefix(list, q.Caller)
	before, err := after(prefix, q.Cursor)
	if err != nil {
		return nil, "", err
	}
	limit := min(max(q.Limit, 1), maxPage)
	err = s.view(ctx, func(st *step) error {
		ids, more := st.page(prefix, before, limit)
		for _, id := range ids {
			rec, err := st.load(id)
			if err != nil {
				return err
			}
			recs = append(recs, rec)
		}
		if more {
			last := recs[len(recs)-1]
			cursor = age(last.Created) + cursorSep + last.ID
		}
		return nil
	})
	return recs, cursor, err
}

const cursorSep = "."

// after is where a page begins: just before the entry that the cursor names.
func after(prefix, cursor string) (string, error) {
	if cursor == "" {
		return prefix + "\xff", nil
	}
	at, id, ok := strings.Cut(cursor, cursorSep)
	if !ok || len(at) != ageLen || strings.Trim(at, "0123456789") != "" {
		return "", seam.ErrMalformed.With("%q is no cursor of this list", cursor)
	}
	return prefix + join(at, id), nil
}

// page lists up to limit ids of a list, and whether there are more.
func (st *step) page(prefix, before string, limit int) (ids []string, more bool) {
	st.tx.ScanBack(lists, before, func(key string, _ []byte) bool {
		rest, ok := strings.CutPrefix(key, prefix)
		if more = ok && len(ids) == limit; !ok || more {
			return false
		}
		_, id, _ := strings.Cut(rest, "\x00")
		ids = append(ids, id)
		return true
	})
	return ids, more
}
