package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/bridge/answerer/card/cardtest"
	"github.com/askbridge/bridge/internal/seam"
)

func TestInABrowser(t *testing.T) {
	s := stage(t, nil)
	browser := browse(t)
	for _, c := range []struct {
		name string
		run  func(*testing.T, *scene, *tab)
	}{
		{"by mouse", byMouse},
		{"by keyboard alone", byKeyboard},
		{"a batch leads from one to the next", batch},
		{"skip and dismiss ask once more", asksOnceMore},
		{"settled elsewhere while one types", whileTyping},
		{"other votes while one types", votesWhileTyping},
		{"late is told who won", late},
		{"the list lives", listLives},
		{"a hundred options can be searched", hundred},
		{"hostile text is inert", hostile},
		{"a phone", phone},
		{"two tabs of one browser", twoTabs},
		{"a session that ends", signedOut},
		{"a daemon that restarts", restart},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, s, s.tab(t, browser, "ann")) })
	}
}

func same(t *testing.T, s *scene, rec seam.Record, want ...seam.Answer) {
	t.Helper()
	if diff := cmp.Diff(want, s.answers(rec.ID)); diff != "" {
		t.Error(diff)
	}
}

func none(id string) seam.Answer { return seam.Answer{ID: id, Selected: []string{}} }

func chose(id string, labels ...string) seam.Answer { return seam.Answer{ID: id, Selected: labels} }

func wrote(id, words string, labels ...string) seam.Answer {
	return seam.Answer{ID: id, Selected: append([]string{}, labels...), Custom: words}
}

func byMouse(t *testing.T, s *scene, b *tab) {
	rec := s.ask(single)
	b.open("/r/" + rec.ID)
	b.click(`[data-option="1"]`)
	b.shows("#say", "Recorded: “Yes”.")
	b.shows("#q1 .note", "ann answered “Yes”")
	same(t, s, rec, chose("deploy", "Yes"))

	rec = s.ask(single)
	b.open("/r/" + rec.ID)
	b.click(".own summary")
	b.run(chromedp.SendKeys(css("#text-1"), "Only Europe"))
	b.click(".words .primary")
	b.shows("#q1 .note", "Only Europe")
	same(t, s, rec, wrote("deploy", "Only Europe"))

	rec = s.ask(multi)
	b.open("/r/" + rec.ID)
	b.click(".words .primary")
	b.shows("#q1 .notice", "Nothing is chosen")
	b.click(".options li:nth-child(3) label")
	b.click(".options li:nth-child(1) label")
	b.shows(".picked", "2 chosen")
	b.run(chromedp.SendKeys(css("#text-1"), "today"))
	b.click(".words .primary")
	b.shows("#q1 .note", "and added “today”")
	same(t, s, rec, wrote("checks", "today", "Lint", "Licences"))

	rec = s.ask(free)
	b.open("/r/" + rec.ID)
	b.run(chromedp.SendKeys(css("#text-1"), "Nobody moved it"))
	b.click(".words .primary")
	b.shows("#q1 .note", "Nobody moved it")
	same(t, s, rec, wrote("why", "Nobody moved it"))

	rec = s.ask(plan)
	b.open("/r/" + rec.ID)
	b.shows(".plan li", "Move its consumers")
	b.click(".option.primary")
	b.shows("#q1 .note", "ann answered “Approve”")
	same(t, s, rec, chose("plan", "Approve"))
}

func byKeyboard(t *testing.T, s *scene, b *tab) {
	rec := s.ask(plan)
	b.open("/")
	b.keys("j")
	b.see("document.activeElement.matches('.row')")
	b.keys(kb.Enter)
	b.run(chromedp.WaitReady(css("#q1")))
	b.keys("?")
	b.shows("dialog[open]", "answer in your own words")
	b.keys(kb.Escape)
	b.keys("2")
	b.keys(kb.ArrowUp)
	b.see("document.activeElement.dataset.option === '1'")
	b.keys(kb.Enter)
	b.shows("#q1 .note", "ann answered “Approve”")
	same(t, s, rec, chose("plan", "Approve"))

	rec = s.ask(single)
	b.open("/r/" + rec.ID)
	b.keys("o")
	b.see("document.activeElement.id === 'text-1'")
	b.keys("Ask j and k?")
	b.ctrlEnter()
	b.shows("#q1 .note", "Ask j and k?")
	same(t, s, rec, wrote("deploy", "Ask j and k?"))

	rec = s.ask(multi)
	b.open("/r/" + rec.ID)
	b.keys("13")
	b.shows(".picked", "2 chosen")
	b.keys(kb.Enter)
	b.shows("#q1 .note", "“Lint”, “Licences”")
	same(t, s, rec, chose("checks", "Lint", "Licences"))

	rec = s.ask(free)
	b.open("/r/" + rec.ID)
	b.keys("o")
	b.keys("Because")
	b.ctrlEnter()
	b.shows("#q1 .note", "Because")
	same(t, s, rec, wrote("why", "Because"))

	rec = s.ask(multi)
	b.open("/r/" + rec.ID)
	b.keys("s")
	b.shows("dialog[open]", "Skip this question?")
	b.keys(kb.Tab + kb.Enter)
	b.shows("#q1 .note", "ann skipped this question")
	same(t, s, rec, none("checks"))

	b.keys("u")
	b.run(chromedp.WaitVisible(css(".list-head")))
}

func batch(t *testing.T, s *scene, b *tab) {
	rec := s.ask(single, multi, free)
	b.open("/r/" + rec.ID)
	b.keys("1")
	b.keys(kb.Enter)
	b.shows("#q1 .note", "recorded; sent when all 3 are answered")
	b.shows(".progress", "1 of 3 answered")
	b.see("document.activeElement.id === 'q2'")
	b.keys("2")
	b.keys(kb.Enter)
	b.see("document.activeElement.id === 'q3'")
	b.keys("o")
	b.keys("Because")
	b.ctrlEnter()
	b.shows("#q3 .note", "ann answered “Because”")
	b.shows("#q1 .note", "ann answered “Yes”")
	same(t, s, rec, chose("deploy", "Yes"), chose("checks", "Unit tests"), wrote("why", "Because"))
}

func asksOnceMore(t *testing.T, s *scene, b *tab) {
	rec := s.ask(single, free)
	b.open("/r/" + rec.ID)
	b.click("#q1 [data-kind=skip]")
	b.shows("dialog[open]", "This is final.")
	b.click("#confirm-no")
	b.see("!document.querySelector('dialog[open]')")
	b.click("#q1 [data-kind=skip]")
	b.click("#confirm-yes")
	b.shows("#q1 .note", "ann skipped this question")
	b.keys("x")
	b.shows("dialog[open]", "Dismiss all 2 questions?")
	b.keys(kb.Escape)
	b.see("!document.querySelector('dialog[open]')")
	if got := s.get(rec.ID); got.State != seam.Pending {
		t.Fatal(got.State)
	}
	b.keys("x")
	b.click("#confirm-yes")
	b.shows("#q2 .note", "Dismissed by ann")
	b.shows("#q1 .note", "not used")
	if got := s.get(rec.ID); got.State != seam.Cancelled {
		t.Error(got.State)
	}
}

func whileTyping(_ *testing.T, s *scene, b *tab) {
	rec := s.ask(single, free)
	b.open("/r/" + rec.ID)
	b.click("#q1 .own summary")
	b.run(chromedp.SendKeys(css("#text-1"), "Half a sen"))
	s.elsewhere(rec, 1, 3, "Bob")
	b.shows("#q1 .note", "Bob answered “No”")
	b.keys("tence")
	b.shows("#q1 .unsent", "Not sent.")
	b.see("document.querySelector('#q1 textarea').value === 'Half a sentence'")
	b.see("document.querySelector('#q2 textarea').value === ''")
}

func votesWhileTyping(t *testing.T, s *scene, b *tab) {
	rec := s.askAs(seam.Body{Plan: seam.Plan{Quorum: 2}}, single)
	b.open("/r/" + rec.ID)
	b.click(".own summary")
	b.run(chromedp.SendKeys(css("#text-1"), "Half a sen"))
	s.elsewhere(rec, 1, 3, "Bob")
	b.shows("#q1 .note", "1 of 2 for “No” (Bob)")
	b.keys("tence")
	b.see("document.querySelector('#text-1').value === 'Half a sentence'")
	b.click(`[data-option="3"]`)
	b.shows("#q1 .note", "Bob, ann answered “No”")
	same(t, s, rec, chose("deploy", "No"))
}

// late presses a card that has not heard yet: what the page reads is held back.
func late(t *testing.T, s *scene, b *tab) {
	rec := s.ask(single)
	b.open("/r/" + rec.ID)
	b.do("const gate = new Promise(open => { window.openGate = open }), real = window.fetch; window.fetch = async (...a) => { if (!a[1].method) await gate; return real(...a) }")
	s.elsewhere(rec, 1, 3, "Bob")
	b.click(`[data-option="1"]`)
	b.shows("#q1 .notice", "Too late: Bob answered “No”")
	b.see("'open' in document.querySelector('#q1').dataset")
	b.do("window.openGate()")
	b.shows("#q1 .note", "Bob answered “No”")
	b.shows("#q1 .notice", "Too late: Bob answered “No”")
	same(t, s, rec, chose("deploy", "No"))
}

func listLives(t *testing.T, s *scene, b *tab) {
	b.open("/")
	rec := s.ask(seam.Question{ID: "q", Text: "Is this new here?", Options: single.Options})
	b.shows("[data-list=waiting] .row", "Is this new here?")
	b.shows("#heard", "A new question")
	b.see("/^\\(\\d+\\+?\\) /.test(document.title)")
	before := len(pending(t, s))
	b.see(fmt.Sprintf("document.title.startsWith('(%d)')", before))
	s.elsewhere(rec, 1, 1, "Bob")
	b.shows(".rows-ended .row", "Bob answered “Yes”")
	b.see("![...document.querySelectorAll('[data-list=waiting] .row')].some(r => r.innerText.includes('Is this new here?'))")
	b.see(fmt.Sprintf("!document.title.startsWith('(%d)')", before))
}

func pending(t *testing.T, s *scene) []seam.Record {
	t.Helper()
	recs, _, err := s.store.List(t.Context(), seam.Query{Status: seam.Pending, Limit: 200})
	if err != nil {
		t.Fatal(err)
	}
	return recs
}

func hundred(t *testing.T, s *scene, b *tab) {
	rec := s.ask(seam.Question{ID: "region", Text: "Which region?", Options: cardtest.Options(cardtest.Many(seam.MaxOptions)...)})
	want := rec.Questions[0].Options[41].Label
	b.open("/r/" + rec.ID)
	b.run(chromedp.SendKeys(css(".filter input"), "42"))
	b.see("[...document.querySelectorAll('#q1 .options > li')].filter(li => li.offsetParent).length === 1")
	b.run(chromedp.SendKeys(css(".filter input"), "nowhere"))
	b.shows(".nomatch", "No option")
	b.do("const f = document.querySelector('.filter input'); f.value = ''; f.dispatchEvent(new Event('input', {bubbles: true}))")
	b.keys(kb.Escape)
	b.keys("42")
	b.see("document.activeElement.dataset.option === '42'")
	b.keys(kb.Enter)
	b.shows("#q1 .note", "ann answered")
	same(t, s, rec, chose("region", want))
}

func hostile(t *testing.T, s *scene, b *tab) {
	script := `<script>window.__x=1;alert(1)</script><img src="https://evil.example/x" onerror="window.__x=1"><svg onload="window.__x=1">`
	md := script + "\n\n[go](javascript:window.__x=1) ![p](https://evil.example/p.png) [safe.example](https://evil.example/a)" +
		"\n\n<iframe src=https://evil.example></iframe>\n\n<style>*{display:none}</style>\n\n<form action=https://evil.example><button>Approve</button></form>"
	q := seam.Question{ID: script, Header: script, Text: script, Detail: md + "\n\n" + strings.Join(cardtest.Hostile, "\n\n"), Options: []seam.Option{
		{Label: script, Description: script}, {Label: `" onclick="window.__x=1`},
	}}
	for _, h := range cardtest.Hostile {
		q.Options = append(q.Options, seam.Option{Label: h, Description: h})
	}
	many := q
	many.ID, many.MultiSelect = "m", true
	w := b.watch()
	rec := s.askAs(seam.Body{Caller: seam.Caller{Token: script}}, q, many)
	b.open("/")
	b.shows(".row", "<script>window.__x=1")
	b.open("/r/" + rec.ID)
	b.shows("#q1 .prose", "<iframe src=https://evil.example>")
	b.shows("#q1 .prose", "(evil.example)")
	b.shows("#q1 .option-label", `" onclick="window.__x=1`)
	for _, l := range get(b, chromedp.Evaluate[[]string]("[...document.querySelectorAll('.prose a')].map(a => a.protocol + a.rel + a.target)")) {
		if !strings.HasPrefix(l, "http") || !strings.Contains(l, "noopener") || !strings.Contains(l, "noreferrer") || !strings.Contains(l, "nofollow") {
			t.Error("a link is", l)
		}
	}
	b.keys("1")
	b.keys(kb.Enter)
	b.shows("#q1 .note", "<script>")
	b.keys("x")
	b.click("#confirm-no")
	b.see("!document.querySelector('dialog[open]')")
	b.run(chromedp.SendKeys(css("#text-2"), script))
	b.click("#q2 .words .primary")
	b.shows("#q2 .note", "<script>")
	b.see("window.__x === undefined && !document.querySelector('.prose img, iframe, .prose script, .prose form, .prose style, svg[onload]')")
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.dialogs) > 0 || len(w.foreign) > 0 {
		t.Errorf("dialogs %q, requests to others %q", w.dialogs, w.foreign)
	}
}

// phone also looks for the longest words that an agent can send.
func phone(_ *testing.T, s *scene, b *tab) {
	long := strings.Repeat("W", seam.MaxLabel)
	q := seam.Question{
		ID: "w", Header: long[:seam.MaxHeader], Text: long, Detail: "    " + long + "\n\n" + long + "\n\n| a | b |\n|---|---|\n| " + long + " | " + long + " |",
		Options: []seam.Option{{Label: long[:seam.MaxLabel-14] + "(Recommended)", Description: long}, {Label: "No"}},
	}
	rec := s.askAs(seam.Body{Caller: seam.Caller{Token: long[:100]}}, q, multi, free)
	b.look(360, 740, "light")
	for _, path := range []string{"/", "/r/" + rec.ID, "/nothing"} {
		b.run(chromedp.Navigate(b.s.url + path))
		b.see("document.documentElement.scrollWidth <= 360")
	}
	b.open("/r/" + rec.ID)
	b.see("[...document.querySelectorAll('.card button, .card summary.button, .option')].every(e => !e.offsetParent || e.offsetHeight >= 44)")
	b.click(`#q1 [data-option="1"]`)
	b.shows("#q1 .note", "answered")
	b.see("document.documentElement.scrollWidth <= 360")
}

// twoTabs have one stream: the first tab holds it and tells the second, which takes it over when the first is closed.
func twoTabs(t *testing.T, s *scene, b *tab) {
	rec := s.ask(single, free, plan)
	b.open("/r/" + rec.ID)
	ctx, cancel := chromedp.NewContext(b.ctx)
	t.Cleanup(cancel)
	second := &tab{t: t, s: s, ctx: ctx}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	before := s.streams.Load()
	second.open("/r/" + rec.ID)
	s.elsewhere(rec, 1, 1, "Bob")
	b.shows("#q1 .note", "Bob answered")
	second.shows("#q1 .note", "Bob answered")
	if n := s.streams.Load(); n != before {
		t.Errorf("the second tab opened %d streams of its own", n-before)
	}
	b.run(chromedp.Navigate("about:blank"))
	s.elsewhere(rec, 3, 1, "Bob")
	second.shows("#q3 .note", "Bob answered")
}

// signedOut happens elsewhere while a page is open: it turns into the page that says how to sign in.
func signedOut(t *testing.T, s *scene, b *tab) {
	rec := s.ask(single)
	b.open("/r/" + rec.ID)
	out := "fetch('/logout', {method: 'POST', body: new URLSearchParams(new FormData(document.querySelector('.signout')))}).then(r => r.status)"
	if status := get(b, chromedp.Evaluate[int](out, chromedp.EvalAwaitPromise)); status != http.StatusUnauthorized {
		t.Fatal("signed out, and then status", status)
	}
	s.elsewhere(rec, 1, 1, "Bob")
	b.run(chromedp.WaitVisible(css(".command")))
	if text := b.text(); strings.Contains(text, single.Text) {
		t.Error("it still shows", text)
	}
}

// restart is what a page does when its stream ends: it says nothing while the stream comes back at once, and hears of
// what has happened meanwhile.
func restart(_ *testing.T, s *scene, b *tab) {
	rec := s.ask(single)
	b.open("/r/" + rec.ID)
	b.do("document.documentElement.classList.add('before')")
	s.inbox.Drain()
	b.shows("#link-state", "Connection lost")
	s.elsewhere(rec, 1, 2, "Bob")
	b.do("document.dispatchEvent(new Event('visibilitychange'))")
	b.shows("#q1 .note", "Bob answered “Canary”")
	b.see("document.documentElement.classList.contains('before')")
}
