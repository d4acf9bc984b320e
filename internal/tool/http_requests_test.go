package tool_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

func TestGetShowsEveryEnding(t *testing.T) {
	h := open(t)
	for i, end := range []seam.State{seam.Cancelled, seam.Aborted} {
		h.call("POST", "/v1/ask?wait=0s", ci, deploy).is(202)
		id := h.asked(i + 1)
		if _, err := h.store.End(t.Context(), id, seam.Ending{State: end}); err != nil {
			t.Fatal(err)
		}
		for _, wait := range []string{"", "?wait=10m", "?wait=24h"} {
			var got tool.Request
			h.call("GET", "/v1/requests/"+id+wait, ci, "").is(200).into(&got)
			if got.Status != end || got.Questions[0].Status != seam.ItemClosed {
				t.Errorf("%+v", got)
			}
		}
	}
	h.call("GET", "/v1/requests/x?wait=soon", ci, "").is(400).problem(seam.ErrMalformed)
}

// The asking token joins as a waiter, and the answer is delivered to it. Whoever else waits leaves no trace.
func TestGetWaits(t *testing.T) {
	h := open(t)
	h.call("POST", "/v1/ask?wait=0s", ci, deploy).is(202)
	id := h.asked(1)
	before, _ := h.store.Get(t.Context(), id)
	var readers []<-chan reply
	for _, secret := range []string{ann, ops} {
		readers = append(readers, h.start("GET", "/v1/requests/"+id+"?wait=10m", secret, ""))
	}
	<-h.log.followed
	<-h.log.followed
	for _, secret := range []string{ann, ops} {
		h.call("GET", "/v1/requests/"+id+"?wait=1ms", secret, "").is(200)
	}
	if rec, _ := h.store.Get(t.Context(), id); rec.HandedOver != before.HandedOver || len(rec.Owners) > 0 {
		t.Errorf("a reader became a waiter: %+v", rec.Life)
	}
	own := h.start("GET", "/v1/requests/"+id+"?wait=10m", ci, "")
	for ctx := t.Context(); ; {
		rec, err := h.store.Get(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if len(rec.Owners) > 0 {
			break
		}
	}
	h.call("POST", "/v1/requests/"+id+"/answers", ann, sayYes).is(200)
	for _, c := range append(readers, own) {
		var got tool.Request
		(<-c).is(200).into(&got)
		if got.Status != seam.Answered || got.Questions[0].Answer.Selected[0] != "Yes" {
			t.Errorf("%+v", got)
		}
	}
	if <-h.asker.delivered != id || len(h.asker.delivered) > 0 {
		t.Error("delivered to somebody else than the one who asked, or twice")
	}
}

func TestOnlyTheAskingTokenCollects(t *testing.T) {
	h := open(t)
	h.call("POST", "/v1/ask?wait=0s", ci, deploy).is(202)
	id := h.asked(1)
	h.call("POST", "/v1/requests/"+id+"/answers", ann, sayYes).is(200)
	for _, secret := range []string{ann, ops} {
		h.call("GET", "/v1/requests/"+id, secret, "").is(200)
	}
	h.call("GET", "/v1/requests", ci, "").is(200)
	if h.wasDelivered(id) {
		t.Error("a reader collected the answer")
	}
	h.call("GET", "/v1/requests/"+id, ci, "").is(200)
	if <-h.asker.delivered; !h.wasDelivered(id) {
		t.Error("not delivered")
	}
}

func TestDeleteLeavesAnAnswer(t *testing.T) {
	h := open(t)
	h.call("POST", "/v1/ask?wait=0s", ci, deploy).is(202)
	id := h.asked(1)
	h.call("POST", "/v1/requests/"+id+"/answers", ann, sayYes).is(200)
	var got tool.Request
	h.call("DELETE", "/v1/requests/"+id, ops, "").is(200).into(&got)
	if got.Status != seam.Answered || len(h.asker.delivered) > 0 {
		t.Errorf("%+v", got)
	}
}

func TestList(t *testing.T) {
	h := open(t)
	var ids []string
	for i := range 5 {
		h.call("POST", "/v1/ask?wait=0s", ci, deploy).is(202)
		ids = append([]string{h.asked(i + 1)}, ids...)
	}
	h.call("DELETE", "/v1/requests/"+ids[4], ci, "").is(200)
	h.call("POST", "/v1/ask?wait=0s", cd, deploy).is(202)
	for _, c := range []struct {
		secret, query string
		n             int
	}{
		{ci, "", 5},
		{cd, "", 1},
		{ann, "", 6},
		{ops, "", 6},
		{ops, "?agent=ci", 5},
		{ops, "?agent=nobody", 0},
		{ci, "?agent=cd", 0},
		{ci, "?agent=ci&status=pending", 4},
		{ci, "?status=aborted", 1},
		{ops, "?limit=2", 2},
		{ops, "?limit=200", 6},
		{ops, "?limit=9999", 6},
	} {
		var got tool.List
		h.call("GET", "/v1/requests"+c.query, c.secret, "").is(200).into(&got)
		if got.Requests == nil || len(got.Requests) != c.n {
			t.Errorf("%s by %s: %d, want %d", c.query, c.secret, len(got.Requests), c.n)
		}
	}
	for _, bad := range []string{"limit=0", "limit=-1", "limit=x", "limit=", "status=open", "status=open&limit=x"} {
		p := h.call("GET", "/v1/requests?"+bad, ops, "").is(400).problem(seam.ErrMalformed)
		if len(p.Faults) != strings.Count(bad, "=") {
			t.Errorf("%s: %+v", bad, p.Faults)
		}
	}
	var walked []string
	var last time.Time
	for query := "?agent=ci&limit=2"; query != ""; {
		var page tool.List
		h.call("GET", "/v1/requests"+query, ops, "").is(200).into(&page)
		for _, r := range page.Requests {
			walked = append(walked, r.Request)
			if !last.IsZero() && r.CreatedAt.After(last) {
				t.Error("not the newest first:", r.CreatedAt, "after", last)
			}
			last = r.CreatedAt
		}
		if query = ""; page.Cursor != "" {
			query = "?agent=ci&limit=2&cursor=" + page.Cursor
		}
	}
	slices.Sort(ids)
	if slices.Sort(walked); !slices.Equal(walked, ids) {
		t.Errorf("walked %v, want %v", walked, ids)
	}
}

func TestAnswersAPI(t *testing.T) {
	h := open(t)
	h.call("POST", "/v1/ask?wait=0s", ci, deploy).is(202)
	path := "/v1/requests/" + h.asked(1) + "/answers"
	for body, at := range map[string]string{
		``: "body", `[]`: "body", `{"answer":[]}`: "answer", `{"answers":{}}`: "answers", `{"answers":[{"id":1}]}`: "answers[0].id",
		`{"answers":[{"selected":"Yes"}]}`: "answers[0].selected", `{"answers":[{"selected":[1]}]}`: "answers[0].selected[0]",
		`{"cancel":"yes"}`: "cancel", `{"answers":[{"skip":1}]}`: "answers[0].skip", `{"answers":[{"custom":null}]}`: "answers[0].custom",
	} {
		p := h.call("POST", path, ann, body).is(400).problem(seam.ErrMalformed)
		if len(p.Faults) != 1 || p.Faults[0].Path != at {
			t.Errorf("%s: %+v", body, p.Faults)
		}
	}
	h.call("POST", path, ann, `{"answers":[{"id":"d","selected":["Maybe"]}]}`).is(422).problem(seam.ErrInvalidAnswer)
	h.call("POST", path, ann, sayYes, "Idempotency-Key", strings.Repeat("k", 201)).is(400).problem(seam.ErrMalformed)
	key := strings.Repeat("😀", 200)
	h.call("POST", path, ann, sayYes, "Idempotency-Key", key).is(200)
	h.call("POST", path, ann, sayYes, "Idempotency-Key", key).is(200)
	h.call("POST", path, ann, sayYes, "Idempotency-Key", "other").is(409).problem(seam.ErrAlreadySettled)
	h.call("POST", path, ann, sayYes).is(409).problem(seam.ErrAlreadySettled)
	h.call("POST", "/v1/requests/r_0x/answers", ann, sayYes).is(404).problem(seam.ErrNotFound)
}

// asleep is a store that does not answer.
type asleep struct{ tool.Requests }

func (asleep) Get(context.Context, string) (seam.Record, error) {
	return seam.Record{}, fmt.Errorf("get: %w", seam.ErrStore.From(errors.New("dial secret-host")))
}

func TestAStoreThatDoesNotAnswer(t *testing.T) {
	h := open(t, func(_ *tool.Config, p *tool.Ports) { p.Requests = asleep{p.Requests} })
	r := h.call("GET", "/v1/requests/x", ci, "").is(503)
	if p := r.problem(seam.ErrStore); strings.Contains(r.body, "secret-host") || strings.Contains(p.Detail, "asked") || r.header.Get("Retry-After") == "" {
		t.Error(r.body, r.header)
	}
}
