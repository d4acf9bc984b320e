package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// Endpoint says where the daemon is and with which token it is met. It is asked anew on every try: a daemon that was
// restarted may listen elsewhere. An error that is ErrUnreachable means not yet; any other is final.
type Endpoint func() (url, token string, err error)

// Client speaks to the HTTP door of a daemon. Its failures are those of the daemon (*seam.Error), or ErrUnreachable.
// Safe for concurrent use.
type Client struct {
	Endpoint Endpoint
	HTTP     *http.Client  // nil = http.DefaultClient
	Patience time.Duration // how long an ask looks for a daemon that has gone; 0 = 60 s

	pause time.Duration // between the first two tries; 0 = firstPause
}

const (
	defaultPatience = 60 * time.Second
	answerPatience  = 10 * time.Second
	firstPause      = 100 * time.Millisecond // between two tries; doubled each time
	longestPause    = 2 * time.Second
	settledIn       = 5 * time.Second // a connection that stood this long was no failed try
	maxProblem      = 4 << 20
)

// Get reads a request, after the wait if it has not ended before. wait 0 = as it stands.
func (c *Client) Get(ctx context.Context, id string, wait time.Duration) (out Request, err error) {
	path := "/v1/requests/" + url.PathEscape(id)
	if wait > 0 {
		path += "?wait=" + wait.String()
	}
	return out, c.call(ctx, http.MethodGet, path, nil, &out)
}

// Abort ends a request and gives it as it stands then.
func (c *Client) Abort(ctx context.Context, id string) (out Request, err error) {
	return out, c.call(ctx, http.MethodDelete, "/v1/requests/"+url.PathEscape(id), nil, &out)
}

// List gives a page of requests, newest first. The zero Query is the first page of everything that the token may see.
func (c *Client) List(ctx context.Context, q seam.Query) (out List, err error) {
	query := url.Values{}
	for name, value := range map[string]string{"agent": q.Caller, "status": string(q.Status), "cursor": q.Cursor} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	return out, c.call(ctx, http.MethodGet, "/v1/requests?"+query.Encode(), nil, &out)
}

// Answer sends what a person says, or dismisses the request. It is tried again while nobody knows whether it arrived;
// s.Token, or one made for this call, keeps it one answer. s.Person is not sent: it is the token's.
func (c *Client) Answer(ctx context.Context, s seam.Submission) (out Request, err error) {
	if s.Token == "" {
		s.Token = newKey()
	}
	body := encodeSubmission(s)
	path := "/v1/requests/" + url.PathEscape(s.Request) + "/answers"
	return out, c.retry(ctx, answerPatience, func(ctx context.Context) error {
		return c.try(ctx, http.MethodPost, path, http.Header{"Idempotency-Key": {s.Token}}, body, &out)
	})
}

// Login makes a sign-in link for a person. It takes an admin's token.
func (c *Client) Login(ctx context.Context, person string) (out Login, err error) {
	return out, c.call(ctx, http.MethodPost, "/v1/logins", map[string]string{"person": person}, &out)
}

// Redeem turns the code of a sign-in link into a person's token. It takes no token.
func (c *Client) Redeem(ctx context.Context, code string) (out Session, err error) {
	return out, c.call(ctx, http.MethodPost, "/v1/logins/redeem", map[string]string{"code": code}, &out)
}

// call is one call that is not tried again.
func (c *Client) call(ctx context.Context, method, path string, body, out any) error {
	var raw []byte
	if body != nil {
		raw = encodeJSON(body)
	}
	err := c.try(ctx, method, path, nil, raw, out)
	if lost, ok := errors.AsType[*lostError](err); ok {
		return lost.final(ctx)
	}
	return err
}

// lostError is a try that came to no end: whether it did anything is not known.
type lostError struct {
	err error
	met time.Time // when the daemon took the connection; zero = never
}

func (e *lostError) Error() string { return e.err.Error() }
func (e *lostError) Unwrap() error { return e.err }

func (e *lostError) final(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(e.err, ErrUnreachable) {
		return e.err
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, e.err)
}

// try makes one call: a *seam.Error when the daemon refused it, a *lostError when it did not say.
func (c *Client) try(ctx context.Context, method, path string, header http.Header, body []byte, out any) error {
	at, token, err := c.Endpoint()
	if errors.Is(err, ErrUnreachable) {
		return &lostError{err: err}
	}
	if err != nil {
		return err
	}
	if u, err := url.Parse(at); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%w: its address must be a URL (http://127.0.0.1:8787)", ErrUnreachable)
	}
	var met time.Time
	req, err := http.NewRequestWithContext(traced(ctx, &met), method, strings.TrimSuffix(at, "/")+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return &lostError{err: err, met: met}
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode >= 300 {
		return refusal(resp, met)
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return &lostError{err: fmt.Errorf("the response was cut: %w", err), met: met}
	}
	return nil
}

// refusal is what a response other than a success means.
func refusal(resp *http.Response, met time.Time) error {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxProblem))
	var p Problem
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err == nil && media == "application/problem+json" && json.Unmarshal(raw, &p) == nil && p.Code != "" {
		e := p.Err()
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
			e.Retry = time.Duration(seconds) * time.Second
		}
		return e
	}
	err = fmt.Errorf("%s answered %s, which is no word of bridge", resp.Request.URL.Redacted(), resp.Status)
	if resp.StatusCode >= http.StatusInternalServerError { // a proxy in front of a daemon that restarts
		return &lostError{err: err, met: met}
	}
	return err
}
