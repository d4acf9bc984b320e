package tool

import "github.com/askbridge/bridge/internal/seam"

// EncodeAsk is the body that the client sends on its first try.
func EncodeAsk(r seam.Request) []byte { return encodeAsk(r, 0) }
