package store

import (
	"fmt"
	"strings"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// The layout, on one page. Every key is made by a function below and nowhere else. Parts of a key are joined by zero
// bytes; times are Unix milliseconds in 14 digits, so that keys sort by time.
//
//	meta      layout                    the version of this page and of the JSON below, for all records of the file
//	          log                       number of the newest entry of the log
//	bodies    <id>                      seam.Body, JSON; written once, so that a change rewrites the life alone
//	lives     <id>                      seam.Life, JSON
//	keys      <token> <key>             id of the request that the idempotency key is bound to
//	sessions  <token> <session> <hash>  id of the newest request with these questions
//	lists     all|<state> <token> <created> <id>   requests by age; once with their token, once with none
//	counts    t<token>                  how many are pending; absent = none
//	schedule  <due> <id>                what Lapse looks at next
//	dues      <id>                      where the request stands in the schedule
//	owners    <replica> <id>            pending requests for which somebody waits on that replica
//	leases    <replica>                 until when the replica lives
//	agents    <agent>                   seam.Agent, JSON
//	forget    <when> <agent>            when to see whether an agent can be forgotten
//	grants    <hash>                    seam.Grant, JSON
//	log       <number>                  seam.Entry, JSON
const (
	meta      = "meta"
	bodies    = "bodies"
	lives     = "lives"
	keys      = "keys"
	sessions  = "sessions"
	lists     = "lists"
	counts    = "counts"
	schedules = "schedule"
	dues      = "dues"
	owners    = "owners"
	leases    = "leases"
	agents    = "agents"
	forget    = "forget"
	grants    = "grants"
	logs      = "log"
)

// Buckets lists every bucket of the layout.
var Buckets = []string{
	meta, bodies, lives, keys, sessions, lists, counts, schedules, dues, owners, leases, agents, forget, grants, logs,
}

// layout is the version of the layout. A file with another one is refused when it is opened.
const layout = "1"

// The keys of meta.
const (
	metaLayout = "layout"
	metaLog    = "log"
)

// join makes a key of parts. A part cannot reach into the next: its zero bytes are escaped.
func join(parts ...string) string {
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(p, "\x00", "\x00\xff")
	}
	return strings.Join(parts, "\x00")
}

// stamp is a time as a sortable part, stampLen long.
func stamp(t time.Time) string { return fmt.Sprintf("%0*d", stampLen, t.UnixMilli()) }

const stampLen = 14

func keyKey(token, key string) string              { return join(token, key) }
func sessionKey(c seam.Caller, hash string) string { return join(c.Token, c.Session, hash) }
func countKey(token string) string                 { return "t" + token }
func ownerKey(replica, id string) string           { return join(replica, id) }
func scheduleKey(at time.Time, id string) string   { return join(stamp(at), id) }
func logKey(n uint64) string                       { return fmt.Sprintf("%016d", n) }
func listPrefix(list, token string) string         { return join(list, token) + "\x00" }
func listKey(list, token string, b *seam.Body) string {
	return listPrefix(list, token) + join(age(b.Created), b.ID)
}

// age is when a request was made as a sortable part, ageLen long: to the microsecond, so that requests of one caller come
// in the order in which it made them.
func age(t time.Time) string { return fmt.Sprintf("%0*d", ageLen, t.UnixMicro()) }

const ageLen = 17

// listAll is the list of every request, whatever its state.
const listAll = "all"

// anyone stands in a list for every token: tokens have names.
const anyone = ""
