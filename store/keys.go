package store

import (
	"fmt"
	"strings"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// The layout, on one page. Every key is made by a function below and nowhere else.
//
//	meta      layout                         the version of this page
//	bodies    <id>                           seam.Body, JSON; written once, so that a change rewrites the life alone
//	lives     <id>                           seam.Life, JSON
//	keys      <token> <key>                  id of the request that the idempotency key is bound to
//	sessions  <token> <session> <hash>       id of the newest request with these questions
//	lists     all <created> <id>             every request, by age
//	          pending <created> <id>         the pending ones
//	          all|pending <token> <created> <id>   … of one token
//	counts    <token>                        how many are pending
//	schedule  <due> <id>                     what Lapse looks at next
//	owners    <replica> <id>                 where somebody waits
//	leases    <replica>                      until when the replica lives
//	agents    <agent>                        seam.Agent, JSON
//	grants    <hash>                         seam.Grant, JSON
//	log       <number>                       seam.Entry, JSON
const (
	meta      = "meta"
	bodies    = "bodies"
	lives     = "lives"
	keys      = "keys"
	sessions  = "sessions"
	lists     = "lists"
	counts    = "counts"
	schedules = "schedule"
	owners    = "owners"
	leases    = "leases"
	agents    = "agents"
	grants    = "grants"
	logs      = "log"
)

// Buckets lists every bucket of the layout.
var Buckets = []string{meta, bodies, lives, keys, sessions, lists, counts, schedules, owners, leases, agents, grants, logs}

// layout is the version of the layout. Another one is refused when a file is opened.
const layout = "1"

// join makes a key of parts. A part cannot reach into the next: its zero bytes are escaped.
func join(parts ...string) string {
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(p, "\x00", "\x00\xff")
	}
	return strings.Join(parts, "\x00")
}

// stamp is a time as a sortable part.
func stamp(t time.Time) string { return fmt.Sprintf("%014d", t.UnixMilli()) }

func keyKey(token, key string) string              { return join(token, key) }
func sessionKey(c seam.Caller, hash string) string { return join(c.Token, c.Session, hash) }
func ownerKey(replica, id string) string           { return join(replica, id) }
func scheduleKey(at time.Time, id string) string   { return join(stamp(at), id) }
func logKey(n uint64) string                       { return fmt.Sprintf("%016d", n) }
func listPrefix(list, token string) string         { return join(list, token) + "\x00" }
func listKey(list, token string, b *seam.Body) string {
	return listPrefix(list, token) + join(stamp(b.Created), b.ID)
}

// The lists of requests. A token "" is every token: tokens have names.
const (
	listAll     = "all"
	listPending = "pending"
)
