package cardtest

import (
	"strings"

	"github.com/askbridge/bridge/internal/seam"
)

// The questions of the gallery, one per kind.
var (
	Single = seam.Question{
		ID: "deploy", Header: "Release 4.2", Text: "Deploy to production now?",
		Options: Options("Yes = all regions at once", "Canary (Recommended) = 5 % first", "No"),
	}
	Multi = seam.Question{
		ID: "checks", Text: "Which checks may be skipped?", MultiSelect: true,
		Options: Options("Lint", "Unit tests", "Licences = takes ten minutes"),
	}
	Free = seam.Question{ID: "why", Text: "Why is the old queue still in use?"}
	Plan = seam.Question{
		ID: "plan", Header: "Plan", Text: "Shall I go on?", Options: Options("Approve", "Reject"),
		Detail: "## Steps\n\n1. Drain `queue-a`\n2. **Move** its consumers\n3. Delete it",
		Intent: &seam.Intent{Kind: seam.PlanReview, Approve: "Approve"},
	}
	Long = seam.Question{
		ID: "long", Text: "Which way?",
		Options: Options("Short", strings.Repeat("A label that no button can hold ", 10), "Other"),
	}
)

func kinds() []State {
	plan := Plan
	plan.Options = Options("Approve", "Reject (Recommended)")
	crowd := seam.Question{ID: "region", Text: "Which region?", Options: Options(Many(seam.MaxOptions)...)}
	crowdMulti := crowd
	crowdMulti.MultiSelect = true
	full := seam.Question{
		ID: "full", Header: strings.Repeat("Head ", 40), Text: strings.Repeat("A long question. ", 700),
		Detail: strings.Repeat("A paragraph of the detail.\n\n", 3500), Options: Options(Many(seam.MaxOptions)...),
	}
	emptyMulti := Free
	emptyMulti.MultiSelect = true
	deadline := Edit(Pending(Single), func(r *seam.Record) { r.Deadline = Deadline })
	return []State{
		{Name: "single", Record: Pending(Single), N: 1},
		{Name: "multi", Record: Pending(Multi), N: 1},
		{Name: "free", Record: Pending(Free), N: 1},
		{Name: "free-multi-without-options", Record: Pending(emptyMulti), N: 1},
		{Name: "plan", Record: Pending(Plan), N: 1},
		{Name: "plan-other-recommended", Record: Pending(plan), N: 1},
		{Name: "batch-first", Record: Pending(Single, Multi, Free), N: 1},
		{Name: "batch-multi", Record: Pending(Single, Multi, Free), N: 2},
		{Name: "batch-free", Record: Pending(Single, Multi, Free), N: 3},
		{Name: "batch-plan", Record: Pending(Single, Plan), N: 2},
		{Name: "long-label", Record: Pending(Long), N: 1},
		{Name: "hundred-options", Record: Pending(crowd), N: 1},
		{Name: "hundred-options-multi", Record: Pending(crowdMulti), N: 1},
		{Name: "everything-long", Record: Pending(full), N: 1},
		{Name: "deadline", Record: deadline, N: 1},
		{Name: "deadline-default", Record: withDefault(deadline, "No"), N: 1},
	}
}

func withDefault(rec seam.Record, labels ...string) seam.Record {
	return Edit(rec, func(r *seam.Record) {
		r.Default = nil
		for i, q := range r.Questions {
			r.Default = append(r.Default, answer(q, "", labels[i:i+1]))
		}
	})
}

func stages() []State {
	one, batch := Pending(Single), Pending(Single, Multi, Free)
	begun := Answer(batch, 1, Ann, "", "Yes")
	quorum := Edit(one, func(r *seam.Record) { r.Plan.Quorum = 2 })
	away := func(r *seam.Record) { r.Owners, r.Detached = nil, Pressed }
	kept := func(r *seam.Record) { r.Kept = true }
	done := Answer(one, 1, Ann, "", "Canary (Recommended)")
	words := strings.Repeat("These are many words of a person. ", 290)
	two := withDefault(Pending(Single, Single), "No", "No")
	two.Questions[1].ID = "deploy-2"
	return []State{
		{Name: "talk", Record: Edit(one, func(r *seam.Record) {
			r.Items[0].Talk = true
			r.Items[0].Offers = []seam.Offer{{ID: "offer-1", Person: Ann, Text: "maybe tomorrow"}}
		}), N: 1},
		{Name: "votes-1-of-2", Record: Vote(quorum, 1, Ann, "", "Yes"), N: 1},
		{Name: "votes-split", Record: Vote(Vote(quorum, 1, Ann, "", "Yes"), 1, Bob, "not on a Friday"), N: 1},
		{Name: "votes-2-of-2", Record: Answer(Vote(quorum, 1, Ann, "", "Yes"), 1, Bob, "", "Yes"), N: 1},
		{Name: "detached", Record: Edit(one, away), N: 1},
		{Name: "detached-votes", Record: Edit(Vote(quorum, 1, Ann, "", "Yes"), away), N: 1},
		{Name: "recorded", Record: begun, N: 1},
		{Name: "recorded-open-neighbour", Record: begun, N: 2},
		{Name: "recorded-skip", Record: Skip(batch, 2, Bob), N: 2},
		{Name: "answered", Record: done, N: 1},
		{Name: "answered-own-words", Record: Answer(one, 1, Ann, "after the *freeze*"), N: 1},
		{Name: "answered-lines", Record: Answer(Pending(Free), 1, Ann, "first\nsecond\n\nfourth"), N: 1},
		{Name: "answered-many-words", Record: Answer(Pending(Free), 1, Ann, words), N: 1},
		{Name: "answered-multi", Record: Answer(Pending(Multi), 1, Ann, "and the docs", "Lint", "Licences"), N: 1},
		{Name: "answered-skip", Record: Skip(Pending(Multi), 1, Ann), N: 1},
		{Name: "answered-plan", Record: Answer(Pending(Plan), 1, Ann, "", "Approve"), N: 1},
		{Name: "answered-batch", Record: Skip(Answer(begun, 2, Bob, "", "Lint"), 3, Ann), N: 1},
		{Name: "kept", Record: Edit(done, kept), N: 1},
		{Name: "delivered", Record: Edit(done, func(r *seam.Record) { r.Kept, r.Delivered = true, Over }), N: 1},
		{Name: "uncollected", Record: Edit(done, func(r *seam.Record) { r.Kept, r.Uncollected = true, true }), N: 1},
		{Name: "cancelled", Record: End(one, seam.Cancelled), N: 1},
		{Name: "cancelled-recorded", Record: End(begun, seam.Cancelled), N: 1},
		{Name: "aborted", Record: End(one, seam.Aborted), N: 1},
		{Name: "aborted-recorded", Record: End(begun, seam.Aborted), N: 1},
		{Name: "expired", Record: End(one, seam.Expired), N: 1},
		{Name: "expired-recorded", Record: End(begun, seam.Expired), N: 1},
		{Name: "defaulted", Record: End(two, seam.Expired), N: 1},
		{Name: "defaulted-recorded", Record: End(Answer(two, 1, Ann, "", "Yes"), seam.Expired), N: 1},
		{Name: "abandoned", Record: End(one, seam.Abandoned), N: 1},
		{Name: "abandoned-recorded", Record: End(begun, seam.Abandoned), N: 1},
		{Name: "failed", Record: End(one, seam.Failed), N: 1},
		{Name: "failed-recorded", Record: End(begun, seam.Failed), N: 1},
		{Name: "elsewhere", Record: one, N: 1, Moved: true},
	}
}
