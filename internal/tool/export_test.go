package tool

import (
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// EncodeAsk is the body that the client sends on its first try.
func EncodeAsk(r seam.Request) []byte { return encodeAsk(r, 0) }

// Endpoints are the method and path of every route.
func Endpoints() (out [][2]string) {
	for _, e := range endpoints() {
		out = append(out, [2]string{e.method, e.path})
	}
	return out
}

// Hasten lets a client try again at once.
func (c *Client) Hasten() { c.pause = time.Millisecond }
