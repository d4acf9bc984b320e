package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"html/template"
	"net/http"
	"time"

	"github.com/askbridge/bridge/answerer/card"
)

//go:embed templates
var templateFiles embed.FS

// The pages, by the template of their body.
const (
	pageList    = "list"
	pageRequest = "request"
	pageConfirm = "confirm"
	pageSignIn  = "signin"
	pageMessage = "message"
)

type pages map[string]*template.Template

func (i *Inbox) loadPages() pages {
	funcs := template.FuncMap{
		"t": i.words.say, "asset": i.assets.path, "clock": clock, "iso": iso,
	}
	out := pages{}
	for _, name := range []string{pageList, pageRequest, pageConfirm, pageSignIn, pageMessage} {
		out[name] = template.Must(template.New("layout.html").Funcs(funcs).
			ParseFS(templateFiles, "templates/layout.html", "templates/parts.html", "templates/"+name+".html"))
	}
	return out
}

// clock is a time for people without the script, which prints it in their own zone and way.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

func iso(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// frame is what all pages have.
type frame struct {
	Lang   string
	Title  string
	Body   string // which page it is, for style and script
	Person string // who is signed in; "" = nobody
	CSRF   string
	Count  int // requests that wait
	More   bool
	Say    *notice
	Live   bool // the page changes by itself
}

func (i *Inbox) frame(title string) frame {
	return frame{Lang: i.words.lang(), Title: i.words.say(title)}
}

func (i *Inbox) frameOf(s session, title string) frame {
	return frame{Lang: i.words.lang(), Title: title, Person: s.person, CSRF: s.csrf()}
}

// show writes a page, whole or not at all.
func (i *Inbox) show(w http.ResponseWriter, code int, name string, page any) {
	var b bytes.Buffer
	if err := i.pages[name].Execute(&b, page); err != nil {
		i.cfg.Log.Error("inbox: page", "answerer", Name, "page", name, "error", err)
		http.Error(w, i.words.say("broken"), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(b.Bytes()) // a browser that has gone sees nothing
}

// messagePage says one thing.
type messagePage struct {
	frame
	Heading, Text string
	Draft         string // what the person had typed
}

// fail shows a page that says what is wrong, of the inbox's own table.
func (i *Inbox) fail(w http.ResponseWriter, code int, what string) {
	f := i.frame("fail." + what)
	i.show(w, code, pageMessage, messagePage{frame: f, Heading: f.Title, Text: i.words.say("fail." + what + ".text")})
}

// digest changes when what is shown does: the script replaces what has another.
func digest(shown any) string {
	raw, err := json.Marshal(shown)
	if err != nil {
		panic("web: pictures hold text and times only: " + err.Error())
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:6])
}

// limits of the inbox: none.
func (i *Inbox) limits() card.Limits { return card.Limits{Words: i.cards} }
