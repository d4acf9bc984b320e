package storetest

import (
	"context"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

var granting = []scene{
	{"a session is read as often as it is shown", func(b *bench) {
		g := seam.Grant{Hash: "h", Person: "ann", Expires: b.now().Add(time.Hour)}
		if err := b.PutGrant(b.ctx(), g); err != nil {
			b.Fatal(err)
		}
		for range 2 {
			if got, err := b.Grant(b.ctx(), "h"); err != nil || got != g {
				b.Error(got, err)
			}
		}
		_, err := b.TakeGrant(b.ctx(), "h")
		b.want(err, seam.ErrNotFound)
		if err := b.DropGrant(b.ctx(), "h"); err != nil {
			b.Fatal(err)
		}
		_, err = b.Grant(b.ctx(), "h")
		b.want(err, seam.ErrNotFound)
		if err := b.DropGrant(b.ctx(), "h"); err != nil {
			b.Error("dropped twice:", err)
		}
	}},
	{"a link is taken once, by one of many", func(b *bench) {
		g := seam.Grant{Hash: "h", Person: "ann", Once: true, Expires: b.now().Add(time.Hour)}
		if err := b.PutGrant(b.ctx(), g); err != nil {
			b.Fatal(err)
		}
		_, err := b.Grant(b.ctx(), "h")
		b.want(err, seam.ErrNotFound)
		taken := race(20, func(int) bool {
			got, err := b.TakeGrant(context.Background(), "h")
			return err == nil && got == g
		})
		if taken != 1 {
			b.Errorf("taken %d times", taken)
		}
	}},
	{"both end in time", func(b *bench) {
		for hash, once := range map[string]bool{"link": true, "session": false} {
			if err := b.PutGrant(b.ctx(), seam.Grant{Hash: hash, Once: once, Expires: b.now().Add(time.Hour)}); err != nil {
				b.Fatal(err)
			}
		}
		b.clock.Pass(time.Hour)
		_, err := b.TakeGrant(b.ctx(), "link")
		b.want(err, seam.ErrNotFound)
		_, err = b.Grant(b.ctx(), "session")
		b.want(err, seam.ErrNotFound)
	}},
	{"a new grant does not touch the others", func(b *bench) {
		for _, hash := range []string{"a", "b", "c"} {
			if err := b.PutGrant(b.ctx(), seam.Grant{Hash: hash, Expires: b.now().Add(time.Hour)}); err != nil {
				b.Fatal(err)
			}
		}
		for _, hash := range []string{"a", "b", "c"} {
			if _, err := b.Grant(b.ctx(), hash); err != nil {
				b.Error(hash, err)
			}
		}
	}},
}
