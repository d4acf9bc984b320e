package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/store"
	"github.com/askbridge/bridge/store/storetest"
)

// fill asks n requests, many at once.
func fill(b *testing.B, s *store.Bolt, n int) []string {
	b.Helper()
	ids := make([]string, n)
	var wg sync.WaitGroup
	const hands = 512
	for h := range hands {
		wg.Go(func() {
			for i := h; i < n; i += hands {
				rec, _, err := s.Create(context.Background(), ask(fmt.Sprint("fill-", i)))
				if err != nil {
					b.Error(err)
				}
				ids[i] = rec.ID
			}
		})
	}
	wg.Wait()
	return ids
}

func BenchmarkSettle(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprint(callers, " callers"), func(b *testing.B) {
			s, err := store.Open(store.Config{Path: filepath.Join(b.TempDir(), "bridge.db")})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			ids := fill(b, s, b.N)
			b.ResetTimer()
			var wg sync.WaitGroup
			for c := range callers {
				wg.Go(func() {
					for i := c; i < b.N; i += callers {
						if _, err := s.Settle(context.Background(), ids[i], []seam.Vote{press("Yes", ids[i])}); err != nil {
							b.Error(err)
						}
					}
				})
			}
			wg.Wait()
			b.StopTimer()
		})
	}
}

// BenchmarkLapseIdle is what one tick of the sweep costs while much is pending and nothing is due.
func BenchmarkLapseIdle(b *testing.B) {
	for _, pending := range []int{1_000, 20_000} {
		b.Run(fmt.Sprint(pending, " pending"), func(b *testing.B) {
			clock := storetest.NewClock()
			s, err := store.Open(store.Config{Path: filepath.Join(b.TempDir(), "bridge.db"), Now: clock.Now, Lease: time.Hour})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			fill(b, s, pending)
			for b.Loop() {
				if recs, err := s.Lapse(context.Background(), 100); err != nil || len(recs) != 0 {
					b.Fatal(recs, err)
				}
			}
		})
	}
}
