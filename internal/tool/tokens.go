package tool

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Scope is what a token may do.
type Scope string

// The scopes. No token has both ScopeAsk and ScopeAnswer: an agent never answers.
const (
	ScopeAsk    Scope = "ask"    // ask; see and abort its own requests
	ScopeAnswer Scope = "answer" // a person: see all, answer
	ScopeAdmin  Scope = "admin"  // see and abort all, make sign-in links; neither ask nor answer
)

var allScopes = []Scope{ScopeAsk, ScopeAnswer, ScopeAdmin}

// Token is one bearer token: a line of the tokens file, or one that the process made for itself. Its secret is not in it.
type Token struct {
	Name   string
	Scopes []Scope
	Hash   string   // SHA-256 of the secret, in hex
	Person string   // whose it is, by the policy's name; "" = the token is a person of its own name
	Routes []string // the routes that it may use; empty = every one
}

func (t Token) has(s Scope) bool { return slices.Contains(t.Scopes, s) }

func (t Token) same(u Token) bool {
	return t.Name == u.Name && t.Hash == u.Hash && t.Person == u.Person &&
		slices.Equal(t.Scopes, u.Scopes) && slices.Equal(t.Routes, u.Routes)
}

// standing is a token in force. Its context ends when the token is removed or changed, and with it every call that was
// let in by it.
type standing struct {
	Token
	hash   []byte
	local  bool
	live   context.Context
	revoke context.CancelCauseFunc
}

// Tokens are the tokens in force. Safe for concurrent use.
type Tokens struct {
	mu  sync.RWMutex
	all []*standing
}

var errRevoked = errors.New("the token was revoked")

func (t *Tokens) put(tok Token, local bool) error {
	hash, err := hash256(tok.Hash)
	if err != nil {
		return err
	}
	for _, s := range t.all {
		switch {
		case s.Name == tok.Name:
			return fmt.Errorf("the name %q is taken", tok.Name)
		case s.Hash == tok.Hash:
			return fmt.Errorf("tokens %q and %q have the same hash", s.Name, tok.Name)
		}
	}
	s := &standing{Token: tok, hash: hash, local: local}
	s.live, s.revoke = context.WithCancelCause(context.Background())
	t.all = append(t.all, s)
	return nil
}

// Add puts one more token in force, one that is in no file. Replace keeps it.
func (t *Tokens) Add(tok Token) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.put(tok, true)
}

// Replace puts the tokens of a file that was read anew in force. A token that is no longer there, or no longer the same,
// is revoked at once: calls that it blocks in end with UNAUTHENTICATED, their requests stay as after a lost connection.
// On an error everything stays as it was.
func (t *Tokens) Replace(next *Tokens) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	merged := &Tokens{}
	for _, s := range t.all {
		if s.local {
			merged.all = append(merged.all, s)
		}
	}
	for _, n := range next.all {
		if i := slices.IndexFunc(t.all, func(s *standing) bool { return !s.local && s.same(n.Token) }); i >= 0 {
			merged.all = append(merged.all, t.all[i])
		} else if err := merged.put(n.Token, false); err != nil {
			return err
		}
	}
	for _, s := range t.all {
		if !slices.Contains(merged.all, s) {
			s.revoke(errRevoked)
		}
	}
	t.all = merged.all
	return nil
}

// find is the token of a secret. It looks at every token, so that the time it takes tells nothing.
func (t *Tokens) find(secret string) (found *standing) {
	sum := sha256.Sum256([]byte(secret))
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, s := range t.all {
		if subtle.ConstantTimeCompare(sum[:], s.hash) == 1 {
			found = s
		}
	}
	return found
}

// Allows reports whether a call carries a token with the scope: for routes that other rooms serve.
func (t *Tokens) Allows(r *http.Request, scope Scope) bool {
	secret, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return false
	}
	s := t.find(strings.TrimSpace(secret))
	return s != nil && s.has(scope)
}

func hash256(s string) ([]byte, error) {
	hash, err := hex.DecodeString(s)
	if err != nil || len(hash) != sha256.Size {
		return nil, errors.New("the hash must be the SHA-256 of the secret in hex (64 digits)")
	}
	return hash, nil
}

// HashSecret is how a secret is kept: its SHA-256 in lower-case hex.
func HashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// NewToken makes the secret of a token, and its hash for the tokens file.
func NewToken() (secret, hash string) {
	var b [32]byte
	rand.Read(b[:]) // never fails: crypto/rand
	secret = "bridge_" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
	return secret, HashSecret(secret)
}

// ParseTokens reads a tokens file. One error names every fault with its line; no error repeats what could be a secret.
func ParseTokens(r io.Reader) (*Tokens, error) {
	t := &Tokens{}
	var bad []error
	seen := map[string]int{} // names and hashes, by the line that had them first
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if i := slices.IndexFunc(words, func(w string) bool { return w[0] == '#' }); i >= 0 {
			words = words[:i]
		}
		if len(words) == 0 {
			continue
		}
		tok, errs := parseToken(words)
		for _, once := range []struct{ what, is string }{{"name", tok.Name}, {"hash", tok.Hash}} {
			if first, dup := seen[once.what+once.is]; dup && once.is != "" {
				errs = append(errs, fmt.Errorf("the %s is that of line %d", once.what, first))
			} else {
				seen[once.what+once.is] = n
			}
		}
		if len(errs) == 0 {
			errs = append(errs, t.put(tok, false))
		}
		for _, err := range errs {
			if err != nil {
				bad = append(bad, fmt.Errorf("line %d: %w", n, err))
			}
		}
	}
	if err := lines.Err(); err != nil {
		bad = append(bad, err)
	}
	if len(bad) > 0 {
		return nil, errors.Join(bad...)
	}
	return t, nil
}

func parseToken(words []string) (t Token, bad []error) {
	t.Name = words[0]
	if len(words) < 3 {
		return t, []error{errors.New("a token has a name, scopes and the SHA-256 of its secret: name scopes hash [person=…] [routes=…]")}
	}
	t.Hash = strings.ToLower(words[2])
	for s := range strings.SplitSeq(words[1], ",") {
		switch scope := Scope(s); {
		case !slices.Contains(allScopes, scope):
			bad = append(bad, errors.New("the second word must be scopes: ask, answer, admin, joined by commas"))
		case t.has(scope):
			bad = append(bad, fmt.Errorf("scope %s is given twice", scope))
		default:
			t.Scopes = append(t.Scopes, scope)
		}
	}
	if t.has(ScopeAsk) && t.has(ScopeAnswer) {
		bad = append(bad, fmt.Errorf("token %q has both ask and answer: an agent never answers", t.Name))
	}
	if _, err := hash256(t.Hash); err != nil {
		bad = append(bad, err)
	}
	return t, append(bad, t.options(words[3:])...)
}

func (t *Token) options(words []string) (bad []error) {
	seen := map[string]bool{}
	for i, w := range words {
		name, value, _ := strings.Cut(w, "=")
		switch {
		case name != "person" && name != "routes":
			bad = append(bad, fmt.Errorf("word %d must be person=… or routes=…", i+4))
			continue
		case seen[name]:
			bad = append(bad, fmt.Errorf("%s= is given twice", name))
		case value == "":
			bad = append(bad, fmt.Errorf("%s= is empty", name))
		case name == "person":
			t.Person = value
		default:
			t.Routes = strings.Split(value, ",")
			if slices.Contains(t.Routes, "") {
				bad = append(bad, errors.New("routes= has an empty name"))
			}
		}
		seen[name] = true
	}
	return bad
}
