package web_test

import (
	"os"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/askbridge/bridge/internal/seam"
)

// The requests of the pictures.
var (
	release = seam.Question{
		ID: "deploy", Header: "Release 4.2", Text: "Deploy 4.2 to production?",
		Detail: "All checks are green. Since 4.1, running for nine days:\n\n" +
			"- **Payments**: refunds are idempotent, see [pull request 812](https://git.example.com/shop/812)\n" +
			"- **Search**: 40 % fewer queries per page\n" +
			"- one migration, `orders_add_channel`, adds a nullable column: about 3 s, no lock\n\n" +
			"Rolling back takes two minutes: `deploy rollback shop`.",
		Options: []seam.Option{
			{Label: "Canary first (Recommended)", Description: "5 % of the traffic for 30 minutes, then all of it if errors stay below 0.1 %"},
			{Label: "Deploy everywhere", Description: "all regions at once, done in about four minutes"},
			{Label: "Not today"},
		},
	}
	rename = seam.Question{
		ID: "rename", Header: "shop/api", Text: "The field “customer_ref” is in 14 places and in the public API. Rename it there too?",
		Options: []seam.Option{{Label: "Rename everywhere"}, {Label: "Keep the public name"}},
	}
	migration = seam.Question{
		ID: "plan", Header: "Queues", Text: "Shall I move the order queue like this?",
		Detail: "# Move orders from queue-a to queue-b\n\nNo order may be lost; a few may be delayed by seconds.\n\n" +
			"1. Create `queue-b` with the same retention\n2. Let producers write to **both**, compare counts for an hour\n" +
			"3. Switch the consumers, one service after the other\n4. Stop writing to `queue-a`; keep it for seven days\n\n" +
			"| step | can be undone | takes |\n|---|---|---:|\n| 1 – 2 | yes | 1 h |\n| 3 | yes, per service | 2 h |\n| 4 | until it is deleted | 7 d |\n\n" +
			"```sh\nqueues mirror queue-a queue-b --verify\nqueues switch billing --to queue-b\n```\n\n> I will ask again before anything is deleted.",
		Options: []seam.Option{
			{Label: "Approve the plan"}, {Label: "Change something", Description: "say what, in your own words"},
		},
		Intent: &seam.Intent{Kind: seam.PlanReview, Approve: "Approve the plan"},
	}
	cleanup = seam.Question{
		ID: "checks", Text: "Which of these may I delete?", MultiSelect: true,
		Options: []seam.Option{
			{Label: "Feature branches merged before October (Recommended)", Description: "31 branches"},
			{Label: "Nightly images older than 30 days", Description: "118 images, 240 GB"},
			{Label: "The staging database of the old shop"},
		},
	}
)

// TestPictures looks at the pages in every light. With SHOTS it leaves the pictures there; inbox.png is that of the
// README.
func TestPictures(t *testing.T) {
	s := stage(t, nil)
	at := func(ago time.Duration) { s.ago.Store(int64(ago)) }
	at(3 * time.Hour)
	past := s.askAs(seam.Body{Caller: seam.Caller{Token: "nightly"}}, seam.Question{ID: "q", Text: "The backup of last night is 3 % smaller than the one before. Keep it?", Options: []seam.Option{{Label: "Keep it"}, {Label: "Run it again"}}})
	at(170 * time.Minute)
	s.elsewhere(past, 1, 2, "Ben")
	at(26 * time.Minute)
	batch := s.askAs(seam.Body{Caller: seam.Caller{Token: "janitor"}}, cleanup, rename, seam.Question{ID: "why", Text: "Who should hear of it?"})
	at(14 * time.Minute)
	planned := s.askAs(seam.Body{Caller: seam.Caller{Token: "queue-agent"}}, migration)
	at(8 * time.Minute)
	renamed := s.askAs(seam.Body{Caller: seam.Caller{Token: "refactor-bot"}}, rename)
	at(2 * time.Minute)
	deploy := s.askAs(seam.Body{Caller: seam.Caller{Token: "deploy-bot"}, Deadline: time.Now().Add(55 * time.Minute)}, release)
	at(0)
	b := s.tab(t, browse(t), "Ann")
	shot := func(name, path string, then ...func()) {
		t.Helper()
		b.open(path)
		for _, f := range then {
			f()
		}
		b.shot(name)
	}
	for _, scheme := range []string{"light", "dark"} {
		b.look(1200, 800, scheme)
		shot("list-"+scheme, "/")
		shot("plan-"+scheme, "/r/"+planned.ID)
		shot("batch-"+scheme, "/r/"+batch.ID)
		shot("inbox-"+scheme, "/r/"+deploy.ID)
		shot("help-"+scheme, "/r/"+deploy.ID, func() { b.keys("?") })
		shot("dismiss-"+scheme, "/r/"+deploy.ID, func() { b.keys("x") })
	}
	b.look(360, 740, "light")
	shot("phone-list", "/")
	shot("phone", "/r/"+deploy.ID)
	shot("phone-multi", "/r/"+batch.ID)
	b.look(1200, 800, "light")
	b.open("/r/" + deploy.ID)
	b.run(chromedp.Evaluate[chromedp.Void]("document.activeElement.blur()"))
	readme(b)
	s.elsewhere(renamed, 1, 2, "Ben")
	b.open("/r/" + deploy.ID)
	b.click(`[data-option="1"]`)
	b.shows("#q1 .note", "Ann answered")
	b.shot("retired")
	b.open("/r/" + batch.ID)
	b.keys("12")
	b.run(chromedp.SendKeys(css("#text-1"), "But keep the newest three images.\nAsk me about the rest.", chromedp.NodeVisible))
	b.ctrlEnter()
	b.shows("#q1 .note", "recorded")
	b.do("scrollTo(0, 0)")
	b.shot("batch-recorded")
	b.look(1200, 800, "dark")
	shot("retired-dark", "/r/"+deploy.ID)
	b.run(chromedp.Navigate(s.url + "/login?code=x"))
	b.shot("signin")
}

// biggest is how large the picture of the README may be.
const biggest = 300 << 10

func readme(b *tab) {
	b.t.Helper()
	b.shot("inbox")
	if dir := os.Getenv("SHOTS"); dir != "" {
		if info, err := os.Stat(dir + "/inbox.png"); err != nil || info.Size() > biggest {
			b.t.Errorf("inbox.png: %v, at most %d bytes", err, biggest)
		}
	}
}
