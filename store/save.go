package store

import (
	"slices"
	"strconv"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// save writes what changed of a record, keeps every index in step, and logs the events. old.State is "" for a new one.
func (st *step) save(old seam.Record, rec *seam.Record, events []seam.Entry) error {
	schedule(rec, st.now)
	return st.write(old, rec, events)
}

func (st *step) write(old seam.Record, rec *seam.Record, events []seam.Entry) error {
	rec.Rev = old.Rev
	raw := encode(rec.Life)
	if old.State != "" && string(raw) == string(encode(old.Life)) {
		return nil
	}
	rec.Rev++
	st.Put(lives, rec.ID, encode(rec.Life))
	st.indexDue(old, rec)
	st.indexOwners(old, rec)
	st.indexPending(old, rec)
	for _, e := range events {
		e.Status = rec.State
		st.log(e)
	}
	st.touched = append(st.touched, rec.Clone())
	return nil
}

func (st *step) indexDue(old seam.Record, rec *seam.Record) {
	var was time.Time
	if old.State != "" {
		was = due(&old, st.s.cfg)
	}
	is := due(rec, st.s.cfg)
	if was.Equal(is) {
		return
	}
	if !was.IsZero() {
		st.Delete(schedules, scheduleKey(was, rec.ID))
	}
	if !is.IsZero() {
		st.Put(schedules, scheduleKey(is, rec.ID), nil)
	}
}

func (st *step) indexOwners(old seam.Record, rec *seam.Record) {
	waiting := rec.Owners
	if rec.State.Ended() {
		waiting = nil // a dead owner of what has ended is nobody's business
	}
	for _, o := range old.Owners {
		if !slices.Contains(waiting, o) {
			st.Delete(owners, ownerKey(o, rec.ID))
		}
	}
	for _, o := range waiting {
		st.Put(owners, ownerKey(o, rec.ID), nil)
		if st.Get(leases, o) == nil { // not beaten yet: as good as just started
			st.Put(leases, o, []byte(stamp(st.now.Add(st.s.cfg.Lease))))
		}
	}
}

func (st *step) indexPending(old seam.Record, rec *seam.Record) {
	was, is := old.State == seam.Pending, rec.State == seam.Pending
	if was == is {
		return
	}
	token := rec.Caller.Token
	for _, of := range []string{"", token} {
		if is {
			st.Put(lists, listKey(listPending, of, &rec.Body), nil)
		} else {
			st.Delete(lists, listKey(listPending, of, &rec.Body))
		}
	}
	n := st.open(token) - 1
	if is {
		n += 2
	}
	st.Put(counts, token, []byte(strconv.Itoa(n)))
}

// open is how many requests of a token are pending.
func (st *step) open(token string) int {
	n, _ := strconv.Atoi(string(st.Get(counts, token)))
	return n
}

// remove forgets a record that nobody may ask for any more.
func (st *step) remove(rec *seam.Record) {
	at := due(rec, st.s.cfg)
	st.Delete(schedules, scheduleKey(at, rec.ID))
	st.Delete(bodies, rec.ID)
	st.Delete(lives, rec.ID)
	for _, of := range []string{"", rec.Caller.Token} {
		st.Delete(lists, listKey(listAll, of, &rec.Body))
	}
	bound := map[string]string{sessionKey(rec.Caller, rec.Hash): sessions}
	for _, k := range rec.Keys {
		bound[keyKey(rec.Caller.Token, k)] = keys
	}
	for key, bucket := range bound {
		if string(st.Get(bucket, key)) == rec.ID {
			st.Delete(bucket, key)
		}
	}
}
