package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// browser is a person with a browser that runs no script.
type browser struct {
	t      *testing.T
	client *http.Client
	base   string
}

func (b *browser) do(method, path string, form url.Values) (page string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", b.base)
	}
	resp, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // read to its end
	raw, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		b.t.Fatalf("%s %s: %s %v\n%s", method, path, resp.Status, err, raw)
	}
	return string(raw)
}

var (
	formTag  = regexp.MustCompile(`(?s)<form[^>]*>.*?</form>`)
	attr     = func(name string) *regexp.Regexp { return regexp.MustCompile(name + `="([^"]*)"`) }
	inputTag = regexp.MustCompile(`<(?:input|button)[^>]*>`)
)

// submit presses the button that carries a text, and gives the page that follows.
func (b *browser) submit(page, text string) string {
	b.t.Helper()
	for _, form := range formTag.FindAllString(page, -1) {
		if !strings.Contains(form, text) {
			continue
		}
		values := url.Values{}
		for _, tag := range inputTag.FindAllString(form, -1) {
			name, value := attr("name").FindStringSubmatch(tag), attr("value").FindStringSubmatch(tag)
			after := form[strings.Index(form, tag)+len(tag):]
			button := strings.HasPrefix(tag, "<button")
			label, _, _ := strings.Cut(after, "</button>")
			if name != nil && value != nil && (!button || strings.Contains(label, text)) {
				values.Add(name[1], value[1])
			}
		}
		return b.do(http.MethodPost, attr("action").FindStringSubmatch(form)[1], values)
	}
	b.t.Fatalf("no form with %q in\n%s", text, page)
	return ""
}

// browser is a person who has signed in with the link that serve prints, and the page that they saw then.
func (b *testbed) browser(person string) (who *browser, page string) {
	b.t.Helper()
	link, err := b.signInLink(b.t.Context(), person)
	if err != nil {
		b.t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		b.t.Fatal(err)
	}
	who = &browser{t: b.t, client: &http.Client{Jar: jar, Transport: &http.Transport{}}, base: b.url}
	return who, who.submit(who.do(http.MethodGet, strings.TrimPrefix(link, b.url), nil), "")
}

// TestInbox: the link that serve prints signs a person in, and what they press ends the blocked call.
func TestInbox(t *testing.T) {
	b := bed(t, nil)
	id, got := b.ask(asks(single))
	ann, list := b.browser("ann")
	defer ann.client.CloseIdleConnections()
	if !strings.Contains(list, "Deploy?") {
		t.Fatal(list)
	}
	ann.submit(ann.do(http.MethodGet, "/r/"+id, nil), "No")
	r := <-got
	if answersOf(r) != `[{"id":"q","selected":["No"]}]` || !strings.Contains(r.body, `"answerer":"web","person":"ann"`) {
		t.Error(r)
	}
	if page := ann.do(http.MethodGet, "/r/"+id, nil); !strings.Contains(page, "ann") {
		t.Error("the page does not say who answered")
	}
}
