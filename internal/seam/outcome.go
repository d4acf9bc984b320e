package seam

import "time"

// Outcome is how an ask came back without an error: answered, expired with the caller's default, or, after Request.Wait,
// still pending.
type Outcome struct {
	Record   *Record   // also beside the error of a request that ended otherwise; nil where there is none
	Replayed time.Time // when an answer that stood before this ask was given; zero = it is new
}
