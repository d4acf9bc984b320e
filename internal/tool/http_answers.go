package tool

import (
	"crypto/rand"
	"net/http"
	"unicode/utf8"

	"github.com/askbridge/bridge/internal/seam"
)

// answer takes answers of a person, and shows the request as it stands then. The desk decides whether they may.
func (h *HTTP) answer(c call) error {
	raw, err := c.body()
	if err != nil {
		return err
	}
	in, err := decodeAnswers(raw)
	token, bad := c.press()
	if err = together(err, bad); err != nil {
		return err
	}
	in.Request, in.Person, in.Token = c.r.PathValue("id"), c.who.person(), token
	rec, err := h.ports.Answers.Answer(c.r.Context(), in)
	if err != nil {
		return err
	}
	return written(c.reply(http.StatusOK, encodeRequest(rec)))
}

// press is the token of this submission: the same Idempotency-Key of the same person always gets the same verdict.
func (c call) press() (string, error) {
	keys := c.r.Header.Values("Idempotency-Key")
	switch {
	case len(keys) == 0:
		return "api." + rand.Text(), nil
	case len(keys) > 1, keys[0] == "", utf8.RuneCountInString(keys[0]) > seam.MaxKey:
		return "", malformed("Idempotency-Key", "must be one key of 1 to 200 characters")
	}
	return "api." + HashSecret(c.who.person().ID+"\x00"+keys[0]), nil
}
