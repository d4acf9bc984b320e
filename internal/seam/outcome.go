package seam

import "time"

// Outcome is how an ask came back without an error: answered, expired with the caller's default, or, after Request.Wait,
// still pending.
type Outcome struct {
	Record   Record
	Replayed time.Time // when an answer that stood before this ask was given; zero = it is new
}
