package cardtest

import (
	"strings"

	"github.com/askbridge/bridge/internal/seam"
)

// Hostile are texts that want to be more than text: a ping, a link, a tag, a turned-around line.
var Hostile = []string{
	"<!channel> <@U1> <#C1> <!subteam^S1> @everyone @here <@&99>",
	"[Approve](https://evil.example) <https://evil.example|safe> [x](javascript:alert(1))",
	"<script>alert(1)</script><img src=x onerror=alert(1)>&lt;&amp;",
	"*bold* _it_ ~gone~ `code` ```block``` ||spoiler|| > quote # head",
	"safe \u202egnp.exe\u2066",
	"a\u200bb\u2060c\ufeff",
	"{who} {what} {given}",
	"e\u0301\u0301\u0301\u0301 👩‍👩‍👧‍👦 🇩🇪🇫🇷 👍🏽 각",
	"one\r\ntwo\n\n```",
}

func hostile() []State {
	q := seam.Question{
		ID: "hostile", Header: Hostile[0], Text: strings.Join(Hostile, "\n"), Detail: strings.Join(Hostile, "\n\n"),
	}
	for i, s := range Hostile {
		q.Options = append(q.Options, seam.Option{Label: s, Description: Hostile[len(Hostile)-1-i]})
	}
	blank := seam.Question{ID: "blank", Text: "?", Options: Options("\u200b", "Go", "Go ", " go", "Go (Recommended)", "2")}
	mallory := seam.Person{Answerer: "slack", ID: "U2", Name: "<!here> \u202emallory\n*"}
	multi := q
	multi.MultiSelect = true
	return []State{
		{Name: "hostile", Record: Pending(q), N: 1},
		{Name: "hostile-multi", Record: Pending(multi), N: 1},
		{Name: "hostile-answered", Record: Answer(Pending(q), 1, mallory, "", Hostile[4]), N: 1},
		{Name: "hostile-own-words", Record: Answer(Pending(q), 1, mallory, Hostile[0]+Hostile[4]), N: 1},
		{Name: "hostile-votes", Record: Vote(Edit(Pending(q), func(r *seam.Record) { r.Plan.Quorum = 2 }), 1, mallory, "", Hostile[6]), N: 1},
		{Name: "hostile-dismissed", Record: Edit(End(Pending(q), seam.Cancelled), func(r *seam.Record) { r.By = mallory }), N: 1},
		{Name: "hostile-caller", Record: Edit(Pending(Single), func(r *seam.Record) { r.Caller.Token = Hostile[0] }), N: 1},
		{Name: "labels-alike", Record: Pending(blank), N: 1},
	}
}
