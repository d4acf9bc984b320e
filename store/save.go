package store

import (
	"slices"
	"strconv"

	"github.com/askbridge/bridge/internal/seam"
)

// save writes what changed of a record, sets when a hand is next lent to its cards, and logs the events. old is the zero
// record for a new one. A record that did not change is left alone: its schedule too.
func (st *step) save(old seam.Record, rec *seam.Record, events []seam.Entry) {
	if old.ID != "" && string(encode(rec.Life)) == string(encode(old.Life)) {
		st.indexDue(rec)
		return
	}
	schedule(rec, st.now)
	st.keep(old, rec, events)
}

// keep writes a record, keeps every index in step with it, and logs the events.
func (st *step) keep(old seam.Record, rec *seam.Record, events []seam.Entry) {
	rec.Rev = old.Rev + 1
	st.put(lives, rec.ID, encode(rec.Life))
	st.indexDue(rec)
	st.indexOwners(old, rec)
	st.indexState(old, rec)
	for _, e := range events {
		e.Status = rec.State
		st.log(e)
	}
	st.touched = append(st.touched, rec.Clone())
}

// indexDue moves a record to its place in the schedule. Where it stood is remembered, not computed: the durations of the
// configuration may be others than when it was put there.
func (st *step) indexDue(rec *seam.Record) {
	was, is := string(st.get(dues, rec.ID)), ""
	if at := due(rec, st.s.cfg); !at.IsZero() {
		is = scheduleKey(at, rec.ID)
	}
	if was == is {
		return
	}
	if was != "" {
		st.delete(schedules, was)
		st.delete(dues, rec.ID)
	}
	if is != "" {
		st.put(schedules, is, nil)
		st.put(dues, rec.ID, []byte(is))
	}
}

func (st *step) indexOwners(old seam.Record, rec *seam.Record) {
	waiting := rec.Owners
	if rec.State.Ended() {
		waiting = nil // a dead owner of what has ended is nobody's business
	}
	for _, o := range old.Owners {
		if !slices.Contains(waiting, o) {
			st.delete(owners, ownerKey(o, rec.ID))
		}
	}
	for _, o := range waiting {
		if slices.Contains(old.Owners, o) {
			continue
		}
		st.put(owners, ownerKey(o, rec.ID), nil)
		if st.get(leases, o) == nil { // not beaten yet: as good as just started
			st.put(leases, o, []byte(stamp(st.now.Add(st.s.cfg.Lease))))
		}
	}
}

// indexState moves a record from the list of one state to that of another and counts the open ones.
func (st *step) indexState(old seam.Record, rec *seam.Record) {
	if old.State == rec.State {
		return
	}
	if old.State != "" {
		st.unlist(string(old.State), rec)
	}
	st.list(string(rec.State), rec)
	n := st.open(rec.Caller.Token)
	if rec.State == seam.Pending {
		n++
	} else {
		n--
	}
	st.setOpen(rec.Caller.Token, n)
}

func (st *step) list(list string, rec *seam.Record) {
	for _, of := range []string{anyone, rec.Caller.Token} {
		st.put(lists, listKey(list, of, &rec.Body), nil)
	}
}

func (st *step) unlist(list string, rec *seam.Record) {
	for _, of := range []string{anyone, rec.Caller.Token} {
		st.delete(lists, listKey(list, of, &rec.Body))
	}
}

// open is how many requests of a token are pending.
func (st *step) open(token string) int {
	n, _ := strconv.Atoi(string(st.get(counts, countKey(token))))
	return n
}

func (st *step) setOpen(token string, n int) {
	if n > 0 {
		st.put(counts, countKey(token), []byte(strconv.Itoa(n)))
	} else {
		st.delete(counts, countKey(token))
	}
}

// remove forgets a record that nobody may ask for any more.
func (st *step) remove(rec *seam.Record) {
	st.delete(schedules, string(st.get(dues, rec.ID)))
	st.delete(dues, rec.ID)
	st.delete(bodies, rec.ID)
	st.delete(lives, rec.ID)
	st.unlist(listAll, rec)
	st.unlist(string(rec.State), rec)
	st.unbind(sessions, sessionKey(rec.Caller, rec.Hash), rec.ID)
	for _, k := range rec.Keys {
		st.unbind(keys, keyKey(rec.Caller.Token, k), rec.ID)
	}
}

// unbind drops an index entry unless it has become another record's.
func (st *step) unbind(bucket, key, id string) {
	if string(st.get(bucket, key)) == id {
		st.delete(bucket, key)
	}
}
