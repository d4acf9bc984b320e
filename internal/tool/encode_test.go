package tool_test

import (
	"strings"
	"testing"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

func TestModelJSON(t *testing.T) {
	for want, answers := range map[string][]seam.Answer{
		`{"answers":[]}`: nil,
		`{"answers":[{"id":"a","selected":["<b> & \"c\""]},{"id":"b","selected":[],"custom":"line\nline"}]}`: {
			{ID: "a", Selected: []string{`<b> & "c"`}}, {ID: "b", Custom: "line\nline"},
		},
	} {
		if got := tool.ModelJSON(answers); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// at is a time of the store as the wire has it.
const at = "2006-01-02T15:04:05.999Z07:00"

func TestRequestOnTheWire(t *testing.T) {
	h := open(t)
	ask := `{"session":"s","deadline":"2999-01-01T10:00:00+10:00","questions":[
		{"id":"a","question":"A?","header":"H","detail":"D","options":[{"label":"x","description":"y"},{"label":"z"}],"multi_select":true},
		{"id":"b","question":"B?"},
		{"id":"c","question":"C?","detail":"the plan","options":[{"label":"go"}],"intent":{"kind":"plan-review","approve":"go"}}]}`
	h.call("POST", "/v1/ask?wait=0s", ci, ask).is(202)
	id := h.asked(1)
	say := func(body string) reply { return h.call("POST", "/v1/requests/"+id+"/answers", ann, body).is(200) }
	say(`{"answers":[{"id":"a","selected":["z","x"]}]}`)
	now := say(`{"answers":[{"id":"b","skip":true}]}`)
	rec, err := h.store.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	by := func(i int) string {
		return `"answered_by":[{"id":"` + rec.Questions[i].ID + `","answerer":"api","person":"ann","name":"ann","at":"` + rec.Items[i].At.Format(at) + `"}]`
	}
	card := func(id, message string) string {
		return `{"question":"` + id + `","answerer":"wall","channel":"C1","message":"` + message + `","retired":false}`
	}
	want := `{"request":"` + id + `","status":"pending","detached":false,"agent":"ci","session":"s","created_at":"` + rec.Created.Format(at) + `",
		"deadline":"2999-01-01T00:00:00Z","questions":[
		{"id":"a","question":"A?","header":"H","detail":"D","options":[{"label":"x","description":"y"},{"label":"z"}],"multi_select":true,
			"n":1,"status":"answered","answer":{"id":"a","selected":["x","z"]},` + by(0) + `},
		{"id":"b","question":"B?","n":2,"status":"skipped","answer":{"id":"b","selected":[]},` + by(1) + `},
		{"id":"c","question":"C?","detail":"the plan","options":[{"label":"go"}],"intent":{"kind":"plan-review","approve":"go"},"n":3,"status":"pending"}],
		"placements":[` + card("a", "m1") + "," + card("b", "m2") + "," + card("c", "m3") + `]}`
	now.json(want)
	h.call("GET", "/v1/requests/"+id, ops, "").is(200).json(want)
	h.call("GET", "/v1/requests", ci, "").is(200).json(`{"requests":[` + want + `]}`)

	say(`{"answers":[{"id":"c","selected":["go"]}]}`)
	h.wall(id)
	if r := h.call("GET", "/v1/requests/"+id, ops, "").is(200); strings.Count(r.body, `"retired":true`) != 3 {
		t.Error(r.body)
	}
}

// wall redraws every card, as the desk does after a press.
func (h *house) wall(id string) {
	rec, err := h.store.Get(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	wall{h.store}.Redraw(h.t.Context(), rec)
}
