package web_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// browse starts one browser for a test and all tabs of it.
func browse(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("these tests drive a real browser: install chromium (Debian: apt-get install chromium)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.UserDataDir(t.TempDir()), chromedp.Env("TMPDIR="+t.TempDir()), // it tidies up after itself in neither chromedp.WindowSize(1200, 800),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
	)
	alloc, cancelAlloc := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(func() {
		cancel()
		cancelAlloc()
	})
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("chromium does not start: %v", err)
	}
	return ctx
}

func css(sel string) chromedp.CSS { return chromedp.CSS(sel) }

// tab is a tab of the browser in which somebody is signed in.
type tab struct {
	t   *testing.T
	s   *scene
	ctx context.Context
}

// patience is how long a tab waits for what must come.
const patience = 20 * time.Second

// tab opens a tab with an own set of cookies and signs in.
func (s *scene) tab(t *testing.T, browser context.Context, name string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &tab{t: t, s: s, ctx: ctx}
	if err := chromedp.Do(ctx); err != nil { // a tab lives as long as the context of its first step
		t.Fatal(err)
	}
	b.run(chromedp.Navigate(s.link(name)), chromedp.Click(css("main button")), chromedp.WaitVisible(css(".list-head")))
	return b
}

func (b *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		b.t.Fatalf("%v\non a page that says:\n%s", err, b.text())
	}
}

// text is what a person sees.
func (b *tab) text() string {
	ctx, cancel := context.WithTimeout(b.ctx, time.Second)
	defer cancel()
	s, err := chromedp.Run(ctx, chromedp.Evaluate[string]("location.href + ' focus: ' + document.activeElement.cloneNode().outerHTML + ' busy: ' + document.querySelectorAll('[aria-busy=true]').length + '\\n' + document.body.innerText"))
	if err != nil {
		return err.Error()
	}
	return s
}

func (b *tab) open(path string) {
	b.t.Helper()
	b.run(chromedp.Navigate(b.s.url+path), chromedp.WaitReady(css("html.js.connected")))
}

func (b *tab) click(sel string) {
	b.t.Helper()
	b.run(chromedp.Click(css(sel), chromedp.NodeVisible))
}

// keys types into whatever has the focus, as a keyboard does: a key that the page takes for itself types nothing.
func (b *tab) keys(keys string, held ...kb.Modifier) {
	b.t.Helper()
	for _, r := range keys {
		events := kb.Encode(r)
		down, up := events[0], events[len(events)-1]
		if len(events) > 2 && len(held) == 0 {
			down.Text = events[1].Text
		}
		for _, m := range held {
			down.Modifiers |= int64(m)
		}
		for _, e := range []*input.DispatchKeyEventParams{down, up} {
			if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, *e); err != nil {
				b.t.Fatal(err)
			}
		}
	}
}

func (b *tab) ctrlEnter() {
	b.t.Helper()
	b.keys(kb.Enter, kb.ModifierCtrl)
}

// see waits until an expression holds on the page.
func (b *tab) see(expr string) {
	b.t.Helper()
	b.run(chromedp.Poll[chromedp.Void](expr, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(patience/2)))
}

// shows waits until an element says something.
func (b *tab) shows(sel, text string) {
	b.t.Helper()
	b.see(`[...document.querySelectorAll(` + quote(sel) + `)].some(e => e.innerText.includes(` + quote(text) + `))`)
}

func quote(s string) string {
	return "`" + strings.NewReplacer("`", "\\`", "\\", `\\`, "$", `\$`).Replace(s) + "`"
}

// do runs a script on the page.
func (b *tab) do(script string) {
	b.t.Helper()
	b.run(chromedp.Evaluate[chromedp.Void](script))
}

// get is what an action gives.
func get[T any](b *tab, a chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	out, err := chromedp.Run(ctx, a)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// shot writes a picture of the tab into SHOTS, or into the test's own folder.
func (b *tab) shot(name string) {
	b.t.Helper()
	png := get(b, chromedp.CaptureScreenshot())
	dir := os.Getenv("SHOTS")
	if dir == "" {
		dir = b.t.TempDir()
	}
	if err := os.WriteFile(dir+"/"+name+".png", png, 0o600); err != nil {
		b.t.Fatal(err)
	}
	if len(png) < 5000 {
		b.t.Errorf("%s: a picture of %d bytes shows nothing", name, len(png))
	}
}

// look chooses the size of the window and whether it is dark.
func (b *tab) look(width, height int64, scheme string) {
	b.t.Helper()
	b.run(chromedp.EmulateViewport(width, height))
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		b.t.Fatal(err)
	}
}

// watched is what a hostile page would do.
type watched struct {
	mu      sync.Mutex
	dialogs []string
	foreign []string
}

func (b *tab) watch() *watched {
	b.t.Helper()
	w := &watched{}
	err := chromedp.Listen(b.ctx, func(e any) {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch e := e.(type) {
		case *cdp.EventJavascriptDialogOpening:
			w.dialogs = append(w.dialogs, e.Message)
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, b.s.url) && !strings.HasPrefix(e.Request.URL, "data:") {
				w.foreign = append(w.foreign, e.Request.URL)
			}
		}
	})
	if err == nil {
		_, err = chromedp.Call(b.ctx, network.Enable, network.EnableParams{})
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return w
}
