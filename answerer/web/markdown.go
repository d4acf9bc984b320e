package web

import (
	"bytes"
	"html/template"
	"net/url"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// rendering turns an agent's Markdown into HTML that can neither load nor run nor hide anything: it is drawn without raw
// HTML and without pictures, and then sanitised all the same.
type rendering struct {
	md     goldmark.Markdown
	policy *bluemonday.Policy
}

func newRendering() rendering {
	md := goldmark.New(
		goldmark.WithExtensions(
			extension.Strikethrough, extension.Linkify, extension.TaskList,
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		),
		goldmark.WithRendererOptions(
			html.WithHardWraps(),
			renderer.WithNodeRenderers(util.Prioritized(plainly{}, 1)),
		),
	)
	return rendering{md: md, policy: sanitiser()}
}

// sanitiser allows what the drawing can have made, and no more.
func sanitiser() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(
		"p", "br", "hr", "blockquote", "ul", "ol", "li", "strong", "em", "del", "pre", "code", "h3", "h4", "h5", "h6",
		"table", "thead", "tbody", "tr", "th", "td", "a", "span",
	)
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|right|center)$`)).OnElements("th", "td")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^host$`)).OnElements("span")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	p.AddTargetBlankToFullyQualifiedLinks(true) // with noopener
	return p
}

// html draws a detail. What cannot be drawn, or would take long, is shown as it was written.
func (r rendering) html(detail string) template.HTML {
	if strings.TrimSpace(detail) == "" {
		return ""
	}
	var b bytes.Buffer
	if wild(detail) || r.md.Convert([]byte(detail), &b) != nil || len(bytes.TrimSpace(b.Bytes())) == 0 {
		return template.HTML("<pre>" + template.HTMLEscapeString(detail) + "</pre>") // escaped
	}
	return template.HTML(r.policy.SanitizeBytes(b.Bytes())) // sanitised
}

// What Markdown takes more than linear time, space or depth to draw. Measured at 100,000 characters: below these figures
// every detail is drawn within a quarter of a second; without them some take half a minute.
const (
	maxNesting  = 32     // quotations and lists inside each other
	maxBrackets = 2_000  // beginnings of links
	maxCells    = 50_000 // of tables: every row is filled up to the width of the widest
)

// wild reports whether a detail is made to be expensive rather than read.
func wild(s string) bool {
	cells, rows, width := 0, 0, 0
	for line := range strings.Lines(s) {
		text := strings.TrimLeft(line, ">-*+ \t")
		if nesting(line[:len(line)-len(text)]) > maxNesting {
			return true
		}
		if strings.TrimSpace(line) == "" { // no table goes on after an empty line
			cells, rows, width = cells+rows*width, 0, 0
			continue
		}
		rows, width = rows+1, max(width, strings.Count(line, "|"))
	}
	return cells+rows*width > maxCells || strings.Count(s, "[") > maxBrackets
}

// nesting is how deep the beginning of a line leads into quotations and lists.
func nesting(markers string) (n int) {
	for _, m := range []string{">", "- ", "* ", "+ "} {
		n += strings.Count(markers, m)
	}
	return n
}

// plainly draws the nodes whose usual drawing says too much or too little.
type plainly struct{}

func (d plainly) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindHeading, d.heading)
	r.Register(ast.KindLink, d.link)
	r.Register(ast.KindAutoLink, d.autoLink)
	r.Register(ast.KindImage, d.image)
	r.Register(ast.KindRawHTML, d.rawHTML)
	r.Register(ast.KindHTMLBlock, d.htmlBlock)
	r.Register(east.KindTaskCheckBox, d.checkBox)
}

// The headings of a detail stand below that of its card, which is a second-level one.
const (
	headingShift = 2
	headingMax   = 6
)

func (plainly) heading(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	tag := "h" + string(rune('0'+min(node.(*ast.Heading).Level+headingShift, headingMax)))
	if entering {
		_, _ = w.WriteString("<" + tag + ">")
	} else {
		_, _ = w.WriteString("</" + tag + ">\n")
	}
	return ast.WalkContinue, nil
}

func (plainly) link(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	to := string(node.(*ast.Link).Destination)
	if entering {
		open(w, to)
	} else {
		end(w, to)
	}
	return ast.WalkContinue, nil
}

func (plainly) autoLink(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.AutoLink)
	to := string(n.URL(source))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(to), "mailto:") {
		to = "mailto:" + to
	}
	open(w, to)
	_, _ = w.Write(util.EscapeHTML(n.Label(source)))
	end(w, to)
	return ast.WalkContinue, nil
}

// image is a link: nothing is loaded from elsewhere.
func (plainly) image(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	to := string(node.(*ast.Image).Destination)
	if entering {
		open(w, to)
		_, _ = w.WriteString("🖼 ")
	} else {
		end(w, to)
	}
	return ast.WalkContinue, nil
}

// open begins a link whose text may say anything; end shows where it leads.
func open(w util.BufWriter, to string) {
	if leads(to) != "" {
		_, _ = w.WriteString(`<a href="` + template.HTMLEscapeString(to) + `">`)
	}
}

func end(w util.BufWriter, to string) {
	host := leads(to)
	if host == "" {
		_, _ = w.WriteString(` <span class="host">(` + template.HTMLEscapeString(to) + `)</span>`)
		return
	}
	_, _ = w.WriteString(`</a> <span class="host">(` + template.HTMLEscapeString(host) + `)</span>`)
}

// leads is the host that a link leads to, or "" where it must not be one. A host in letters that only look familiar is
// shown percent-encoded.
func leads(to string) string {
	u, err := url.Parse(to)
	switch {
	case err != nil:
		return ""
	case u.Scheme == "mailto" && u.Opaque != "":
		return u.Opaque
	case (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "":
		shown := url.URL{Host: u.Host}
		return strings.TrimPrefix(shown.String(), "//")
	}
	return ""
}

// rawHTML and htmlBlock are shown as they were written: an agent that writes <b> means it, and a person sees all of it.
func (plainly) rawHTML(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		segments := node.(*ast.RawHTML).Segments
		for k := range segments.Len() {
			s := segments.At(k)
			_, _ = w.Write(util.EscapeHTML(s.Value(source)))
		}
	}
	return ast.WalkSkipChildren, nil
}

func (plainly) htmlBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.HTMLBlock)
	if !entering {
		return ast.WalkContinue, nil
	}
	_, _ = w.WriteString("<pre><code>")
	for k := range n.Lines().Len() {
		s := n.Lines().At(k)
		_, _ = w.Write(util.EscapeHTML(s.Value(source)))
	}
	if n.HasClosure() {
		_, _ = w.Write(util.EscapeHTML(n.ClosureLine.Value(source)))
	}
	_, _ = w.WriteString("</code></pre>\n")
	return ast.WalkContinue, nil
}

func (plainly) checkBox(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering && node.(*east.TaskCheckBox).IsChecked {
		_, _ = w.WriteString("☑ ")
	} else if entering {
		_, _ = w.WriteString("☐ ")
	}
	return ast.WalkContinue, nil
}
