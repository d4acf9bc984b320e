package store_test

import (
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/askbridge/bridge/store"
	"github.com/askbridge/bridge/store/storetest"
)

func TestMain(m *testing.M) {
	if settleUntilKilled() {
		return
	}
	goleak.VerifyTestMain(m)
}

// open opens a store that the test closes.
func open(t *testing.T, cfg store.Config) *store.Bolt {
	t.Helper()
	s, err := store.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestBolt(t *testing.T) {
	storetest.Run(t, func(t *testing.T, cfg store.Config) storetest.Store {
		cfg.Path = filepath.Join(t.TempDir(), "state", "bridge.db")
		return open(t, cfg)
	})
}
