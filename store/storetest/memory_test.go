package storetest_test

import (
	"testing"

	"github.com/askbridge/bridge/store"
	"github.com/askbridge/bridge/store/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(_ *testing.T, cfg store.Config) storetest.Store { return storetest.NewMemory(cfg) })
}
