package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/bridge/internal/seam"
)

// pages reads a list to its end.
func (b *bench) pages(q seam.Query) (ids []string) {
	b.Helper()
	for {
		recs, cursor, err := b.List(b.ctx(), q)
		if err != nil {
			b.Fatal(err)
		}
		if len(recs) > q.Limit {
			b.Fatalf("%d records on a page of %d", len(recs), q.Limit)
		}
		for _, r := range recs {
			ids = append(ids, r.ID)
		}
		if q.Cursor = cursor; cursor == "" {
			return ids
		}
	}
}

var listing = []scene{
	{"newest first, page by page, of one token or of all, in one state or in all", func(b *bench) {
		want := map[seam.Query][]string{}
		for i := range 30 {
			of := []string{"ci", "cd", "c"}[i%3]
			rec := b.ask(1, token(of), text(fmt.Sprint(i)))
			switch i % 4 {
			case 0:
				rec = b.answer(rec.ID, 1, "Yes")
			case 1:
				rec = b.end(rec.ID, seam.Ending{State: seam.Aborted})
			}
			for _, q := range []seam.Query{{}, {Caller: of}, {Status: rec.State}, {Caller: of, Status: rec.State}} {
				want[q] = append([]string{rec.ID}, want[q]...)
			}
			b.clock.Pass(time.Millisecond)
		}
		want[seam.Query{Caller: "nobody"}] = nil
		want[seam.Query{Status: seam.Failed}] = nil
		for q, ids := range want {
			for _, limit := range []int{1, 4, 10, 200} {
				q.Limit = limit
				if got := b.pages(q); !slices.Equal(got, ids) {
					b.Errorf("%+v\n got %v\nwant %v", q, got, ids)
				}
			}
		}
	}},
	{"the same millisecond", func(b *bench) {
		for range 7 {
			b.ask(1)
		}
		all := b.pages(seam.Query{Limit: 10})
		if got := b.pages(seam.Query{Limit: 2}); len(got) != 7 || !slices.Equal(got, all) {
			b.Errorf("got %v, want %v", got, all)
		}
	}},
	{"a page goes on where the last one ended, whatever came and went", func(b *bench) {
		var ids []string
		for range 6 {
			ids = append(ids, b.ask(1).ID)
			b.clock.Pass(time.Second)
		}
		_, cursor, err := b.List(b.ctx(), seam.Query{Status: seam.Pending, Limit: 2})
		if err != nil {
			b.Fatal(err)
		}
		b.ask(1)
		b.answer(ids[4], 1, "Yes") // the one that the cursor names
		b.answer(ids[2], 1, "Yes")
		got := b.pages(seam.Query{Status: seam.Pending, Limit: 2, Cursor: cursor})
		if want := []string{ids[3], ids[1], ids[0]}; !slices.Equal(got, want) {
			b.Errorf("got %v, want %v", got, want)
		}
	}},
	{"what a list gives is the record", func(b *bench) {
		rec := b.ask(2, key("k"))
		b.answer(rec.ID, 1, "Yes")
		recs, _, err := b.List(b.ctx(), seam.Query{Limit: 1})
		if err != nil || len(recs) != 1 {
			b.Fatal(recs, err)
		}
		if diff := cmp.Diff(b.read(rec.ID), recs[0]); diff != "" {
			b.Error(diff)
		}
	}},
	{"a cursor that is none", func(b *bench) {
		b.ask(1)
		for _, c := range []string{"x", "12.r", "\x00", "r_1.00000000000001"} {
			_, _, err := b.List(b.ctx(), seam.Query{Limit: 1, Cursor: c})
			b.want(err, seam.ErrMalformed)
		}
	}},
	{"no limit is not everything", func(b *bench) {
		b.ask(1)
		if recs, _, err := b.List(b.ctx(), seam.Query{}); err != nil || len(recs) != 1 {
			b.Error(recs, err)
		}
	}},
}
