package store

import (
	"fmt"
	"strconv"

	"github.com/askbridge/bridge/internal/seam"
)

// Audit makes every index anew from the records and tells how the stored ones differ.
func Audit(s *Store) (faults []string) {
	err := s.engine.View(func(tx Tx) error {
		st := s.step(tx)
		want := map[spot]string{}
		var recs []seam.Record
		tx.Scan(lives, "", func(id string, _ []byte) bool {
			rec, err := st.load(id)
			if err != nil {
				faults = append(faults, fmt.Sprint(id, ": ", err))
			}
			recs = append(recs, rec)
			return true
		})
		open := map[string]int{}
		for _, rec := range recs {
			for _, of := range []string{anyone, rec.Caller.Token} {
				want[spot{lists, listKey(listAll, of, &rec.Body)}] = ""
				want[spot{lists, listKey(string(rec.State), of, &rec.Body)}] = ""
			}
			if at := due(&rec, s.cfg); !at.IsZero() {
				want[spot{dues, rec.ID}] = scheduleKey(at, rec.ID)
				want[spot{schedules, scheduleKey(at, rec.ID)}] = ""
			}
			if rec.State == seam.Pending {
				open[rec.Caller.Token]++
				for _, o := range rec.Owners {
					want[spot{owners, ownerKey(o, rec.ID)}] = ""
				}
			}
		}
		for token, n := range open {
			want[spot{counts, countKey(token)}] = strconv.Itoa(n)
		}
		faults = append(faults, compare(tx, want)...)
		faults = append(faults, dangling(st)...)
		return nil
	})
	if err != nil {
		faults = append(faults, err.Error())
	}
	return faults
}

func compare(tx Tx, want map[spot]string) (faults []string) {
	for _, bucket := range []string{lists, dues, schedules, owners, counts} {
		tx.Scan(bucket, "", func(key string, value []byte) bool {
			at := spot{bucket, key}
			if v, ok := want[at]; !ok || v != string(value) {
				faults = append(faults, fmt.Sprintf("%s %q is %q, want %q (%v)", bucket, key, value, v, ok))
			}
			delete(want, at)
			return true
		})
	}
	for at := range want {
		faults = append(faults, fmt.Sprintf("%s %q is missing", at.bucket, at.key))
	}
	return faults
}

// dangling are entries that name a record which is not there, and bodies without a life.
func dangling(st *step) (faults []string) {
	for _, bucket := range []string{keys, sessions} {
		st.tx.Scan(bucket, "", func(key string, id []byte) bool {
			if _, err := st.load(string(id)); err != nil {
				faults = append(faults, fmt.Sprintf("%s %q names %s: %v", bucket, key, id, err))
			}
			return true
		})
	}
	st.tx.Scan(bodies, "", func(id string, _ []byte) bool {
		if st.get(lives, id) == nil {
			faults = append(faults, "a body without a life: "+id)
		}
		return true
	})
	return faults
}
