package web

import (
	"strings"
	"testing"
	"time"

	"github.com/askbridge/bridge/answerer/card/cardtest"
	"github.com/askbridge/bridge/internal/seam"
)

func TestMarkdown(t *testing.T) {
	r := newRendering()
	for _, c := range []struct{ name, in, want string }{
		{"nothing", " \n", ""},
		{"headings stand below the card's", "# a\n\n##### b", "<h3>a</h3>\n<h6>b</h6>\n"},
		{"line ends are kept", "a\nb", "<p>a<br>\nb</p>\n"},
		{"a link shows its host", "[safe.example](https://evil.example/x)", `<p><a href="https://evil.example/x" rel="nofollow noreferrer noopener" target="_blank">safe.example</a> <span class="host">(evil.example)</span></p>` + "\n"},
		{"a host behind a name", "[x](https://bank.example@evil.example)", `<p><a href="https://bank.example@evil.example" rel="nofollow noreferrer noopener" target="_blank">x</a> <span class="host">(evil.example)</span></p>` + "\n"},
		{"a script is no link", "[x](javascript:alert(1))", `<p>x <span class="host">(javascript:alert(1))</span></p>` + "\n"},
		{"data is no link", "[x](data:text/html,hi)", `<p>x <span class="host">(data:text/html,hi)</span></p>` + "\n"},
		{"a path leads nowhere", "[x](/logout)", `<p>x <span class="host">(/logout)</span></p>` + "\n"},
		{"a picture is a link", "![cat](https://evil.example/c.png)", `<p><a href="https://evil.example/c.png" rel="nofollow noreferrer noopener" target="_blank">🖼 cat</a> <span class="host">(evil.example)</span></p>` + "\n"},
		{"tags are shown as written", "a <b onclick=x>b</b>", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n"},
		{"and blocks of them", "<script>\nalert(1)\n</script>", "<pre><code>&lt;script&gt;\nalert(1)\n&lt;/script&gt;</code></pre>\n"},
		{"a task list", "- [x] a\n- [ ] b", "<ul>\n<li>☑ a</li>\n<li>☐ b</li>\n</ul>\n"},
		{"a table", "|a|b|\n|-|-:|\n|1|2|", "<table>\n<thead>\n<tr>\n<th>a</th>\n<th align=\"right\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td align=\"right\">2</td>\n</tr>\n</tbody>\n</table>\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(r.html(c.in)); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestAHostThatOnlyLooksFamiliar(t *testing.T) {
	if got := string(newRendering().html("[x](https://\u0430pple.com)")); !strings.Contains(got, `(%D0%B0pple.com)`) {
		t.Error(got)
	}
}

func TestMarkdownIsDrawnInTimeAndInFull(t *testing.T) {
	r := newRendering()
	for name, unit := range map[string]string{
		"quotations": "> ", "lists": "- ", "links": "[a](", "brackets": "[", "emphasis": "_*", "entities": "&#1", "tags": "<a ",
		"comments": "<!--", "addresses": "http://a.b ", "references": "[a]: b\n", "paragraphs": "A paragraph.\n\n", "bars": "|a",
	} {
		check(t, r, name, strings.Repeat(unit, seam.MaxDetail/len(unit)))
	}
	wide := "|" + strings.Repeat("a|", 300) + "\n|" + strings.Repeat("-|", 300) + "\n"
	check(t, r, "a wide table", wide+strings.Repeat("b\n", 40_000))
	for _, h := range cardtest.Hostile {
		check(t, r, h, strings.Repeat(h+"\n\n", 1_000))
	}
}

func check(t *testing.T, r rendering, name, in string) {
	t.Helper()
	start := time.Now()
	out := r.html(in)
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("%s: took %s", name, took)
	}
	if len(out) > 40*len(in) || len(out) == 0 {
		t.Errorf("%s: %d bytes became %d", name, len(in), len(out))
	}
}

func FuzzMarkdown(f *testing.F) {
	r := newRendering()
	for _, h := range cardtest.Hostile {
		f.Add(h)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := strings.ToLower(string(r.html(in)))
		for _, tag := range []string{"<script", "<img", "<iframe", "<style", "<form", "<svg", "<input", "<object", "<link", "<meta"} {
			if strings.Contains(out, tag) {
				t.Errorf("%q became %q", in, out)
			}
		}
		for _, part := range strings.Split(out, ` href="`)[1:] {
			if !strings.HasPrefix(part, "http://") && !strings.HasPrefix(part, "https://") && !strings.HasPrefix(part, "mailto:") {
				t.Errorf("%q leads to %q", in, part)
			}
		}
	})
}
