package web_test

import (
	"bufio"
	"context"
	"html"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askbridge/bridge/answerer/card"
	"github.com/askbridge/bridge/answerer/card/cardtest"
	"github.com/askbridge/bridge/answerer/web"
	"github.com/askbridge/bridge/internal/seam"
)

// gallery serves records that no store would give in such short time.
type gallery struct{ rec *seam.Record }

func (g gallery) Get(context.Context, string) (seam.Record, error) { return *g.rec, nil }

func (g gallery) List(_ context.Context, q seam.Query) ([]seam.Record, string, error) {
	if q.Status == g.rec.State {
		return []seam.Record{*g.rec}, "", nil
	}
	return nil, "", nil
}

func TestEveryStateOfACardIsShownInFull(t *testing.T) {
	for _, locale := range []string{"en", "zh"} {
		var rec seam.Record
		s := stage(t, func(c *web.Config, p *web.Ports) { c.Locale, p.Requests = locale, gallery{&rec} })
		ann := s.signIn("ann")
		for _, state := range cardtest.Gallery() {
			t.Run(locale+"/"+state.Name, func(t *testing.T) {
				rec = state.Record
				ann.t = t
				p := card.Draw(rec, state.N, card.Limits{Words: card.WordsFor(locale)})
				g := ann.request(rec.ID).is(200)
				g.has(shown(p.Header), shown(p.Question), shown(p.Note), shown(p.Answer), shown(p.Due), shown(p.Foot[0]))
				for _, o := range p.Options {
					g.has(shown(o.Label), shown(o.Description))
				}
				for _, c := range p.Controls {
					if c.Kind != seam.PressOther && c.Kind != seam.PressChoose { // their forms stand open
						g.has(`value="` + c.ID + `"`)
					}
				}
				if !p.Stage.Live() {
					g.hasNot(`value="` + card.Encode(rec.ID, state.N, seam.PressForm, "", false) + `"`)
				}
				g.hasNot("<script>alert", "onerror=alert(1)>\n")
				ann.get("/").is(200).has(shown(p.Foot[0]))
			})
		}
		ann.t = t
	}
}

// shown is a text as a page holds it.
func shown(s string) string { return strings.ReplaceAll(html.EscapeString(s), "+", "&#43;") }

func TestTheWordsOfThePageAreThoseOfItsLocale(t *testing.T) {
	s := stage(t, func(c *web.Config, _ *web.Ports) { c.Locale = "zh_CN.UTF-8" })
	rec := s.ask(single)
	ann := s.signIn("安")
	ann.get("/").has(`<html lang="zh-Hans">`, "有 1 个请求等待您答复", "安")
	ann.request(rec.ID).has("其他…", "驳回", "推荐").press(rec, 1, seam.PressOption, "1").has("已记录")
	s.stranger().get("/").has("您需要一个登录链接")
}

func TestTheListHasPages(t *testing.T) {
	s := stage(t, nil)
	ann := s.signIn("ann")
	ann.get("/").has("Nothing is waiting")
	first := s.ask(free)
	ann.get("/").has("One question is waiting for you")
	for range 50 {
		s.ask(single)
	}
	g := ann.get("/").has("50&#43; questions are waiting", "<title>(50+) Inbox").hasNot(first.ID)
	_, rest, _ := strings.Cut(g.body, `href="/?cursor=`)
	cursor, _, _ := strings.Cut(rest, `"`)
	ann.get("/?cursor="+cursor).is(200).has(first.ID, "Back to the newest")
	if g := ann.get("/?cursor=nonsense"); g.at != "/" || g.status != 200 {
		t.Error(g.at, g.status)
	}
}

func TestPresentAcceptsAtOnce(t *testing.T) {
	s := stage(t, nil)
	rec := s.ask(single, free)
	got := s.get(rec.ID)
	if len(got.Placements) != 2 || !got.Placed || len(got.Stale()) != 0 {
		t.Fatalf("%+v", got.Placements)
	}
	if p := got.Placements[1]; p.Answerer != "web" || p.Channel != "inbox" || p.Message != rec.ID+".2" || p.Drawn != seam.StageOpen {
		t.Errorf("%+v", p)
	}
	s.elsewhere(rec, 1, 1, "Bob")
	if got = s.get(rec.ID); len(got.Stale()) != 0 {
		t.Errorf("stale: %+v", got.Stale())
	}
}

func TestAStoreThatDoesNotAnswerIsToldInTime(t *testing.T) {
	s := stage(t, func(_ *web.Config, p *web.Ports) { p.Requests = silent{} })
	ann := s.signIn("ann")
	start := time.Now()
	for _, path := range []string{"/", "/r/" + seam.NewRequestID()} {
		ann.get(path).is(503).has("The store does not answer")
	}
	if took := time.Since(start); took > 6*time.Second {
		t.Error("took", took)
	}
}

type silent struct{}

func (silent) Get(ctx context.Context, _ string) (seam.Record, error) {
	<-ctx.Done()
	return seam.Record{}, seam.ErrStore.From(ctx.Err())
}

func (silent) List(ctx context.Context, _ seam.Query) ([]seam.Record, string, error) {
	<-ctx.Done()
	return nil, "", seam.ErrStore.From(ctx.Err())
}

func TestTheStreamTellsIdsAndNothingElse(t *testing.T) {
	s := stage(t, nil)
	ann := s.signIn("ann")
	res, err := ann.http.Get(s.url + "/live")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" || res.Header.Get("Cache-Control") != "no-store" {
		t.Fatal(res.Status, res.Header)
	}
	rec := s.ask(single)
	var got []string
	for lines := bufio.NewScanner(res.Body); !slices.Contains(got, "data: "+rec.ID) && lines.Scan(); {
		got = append(got, lines.Text())
	}
	if want := []string{"retry: 2000", "", "event: change", "data: " + rec.ID}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	s.inbox.Drain()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		if l := lines.Text(); l != "" && l != "event: change" && l != "data: "+rec.ID {
			t.Errorf("%q", l)
		}
	}
}
