package seam

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// Request is one call of ask_user_question, as a door decoded it.
type Request struct {
	Questions []Question
	Caller    Caller
	Key       string               // "" = none
	Deadline  time.Time            // zero = none
	Within    time.Duration        // deadline from now; 0 = Deadline
	Default   map[string]DefaultOf // by question id; nil = none
	Route     string               // "" = the policy's choice
	Routes    []string             // the routes that the token may name; empty = every one
	Wait      time.Duration        // how long to wait before the request is handed over; 0 = without limit
}

// DefaultOf is the caller's answer to one question for the case that nobody answers in time.
type DefaultOf struct {
	Selected []string `json:"selected"`
	Custom   string   `json:"custom,omitempty"`
}

// The partition of this version: the digit that every request id carries.
const partition = "0"

var idEncoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func random128() string {
	var b [16]byte
	rand.Read(b[:]) // never fails: crypto/rand
	return idEncoding.EncodeToString(b[:])
}

// NewRequestID is "r_", the partition digit and 128 random bits: 29 bytes.
func NewRequestID() string { return "r_" + partition + random128() }

// NewAgentID is "a_" and 128 random bits: 28 bytes.
func NewAgentID() string { return "a_" + random128() }

// NewInstanceID is "i_" and 128 random bits: 28 bytes.
func NewInstanceID() string { return "i_" + random128() }

// IsRequestID and IsAgentID report whether s has the shape of such an id; whether there is one is the store's to say.
func IsRequestID(s string) bool { return isID(s, "r_"+partition) }

// IsAgentID reports whether s has the shape of an agent's id.
func IsAgentID(s string) bool { return isID(s, "a_") }

func isID(s, prefix string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok || len(rest) != 26 {
		return false
	}
	_, err := idEncoding.DecodeString(rest)
	return err == nil
}

// HashQuestions is the same for two requests that ask the same questions, whatever their order of JSON fields was.
func HashQuestions(qs []Question) string {
	raw, err := json.Marshal(qs)
	if err != nil {
		panic("seam: questions hold strings and booleans only: " + err.Error())
	}
	sum := sha256.Sum256(raw)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
