package tool_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

func TestDecodeAsk(t *testing.T) {
	r, err := tool.DecodeAsk([]byte(` {"key":"k","session":"s","agent":"a","instance":"i","deadline":"2026-12-01T10:00:00+01:00","route":"r",
		"default":{"q":{"selected":["A"],"custom":"c"}},
		"questions":[{"id":"q","question":"Q\n\u2028\ud83d\ude00","header":"h","detail":"d","multi_select":true,
			"options":[{"label":"A","description":"x"},{"label":"B"}],"intent":{"kind":"plan-review","approve":"A"}}]} `))
	want := seam.Request{
		Questions: []seam.Question{{
			ID: "q", Text: "Q\n\u2028😀", Header: "h", Detail: "d", MultiSelect: true,
			Options: []seam.Option{{Label: "A", Description: "x"}, {Label: "B"}}, Intent: &seam.Intent{Kind: "plan-review", Approve: "A"},
		}},
		Caller: seam.Caller{Session: "s", Agent: "a", Instance: "i"}, Key: "k", Route: "r",
		Deadline: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC), Default: map[string]seam.DefaultOf{"q": {Selected: []string{"A"}, Custom: "c"}},
	}
	if diff := cmp.Diff(want, r); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if r, err := tool.DecodeAsk([]byte(`{"questions":[],"deadline":"1h30m"}`)); err != nil || r.Within != 90*time.Minute {
		t.Error(r, err)
	}
}

// malformed are bodies of an ask and the paths of their faults.
var malformed = map[string][]string{
	"":                             {"body"},
	" \n\t":                        {"body"},
	"null":                         {"body"},
	"1":                            {"body"},
	`"x"`:                          {"body"},
	"[]":                           {"body"},
	"true":                         {"body"},
	"{":                            {"body"},
	"}":                            {"body"},
	"{]":                           {"body"},
	`{"`:                           {"body"},
	`{"key"`:                       {"key"},
	`{"key":`:                      {"key"},
	`{"key":"`:                     {"key"},
	`{"key" "k"}`:                  {"key"},
	`{"key":"k",}`:                 {"body"},
	`{"key":"k"`:                   {"body"},
	`{"key":'k'}`:                  {"key"},
	`{key:"k"}`:                    {"body"},
	`{"key":k}`:                    {"key"},
	`{"key":01}`:                   {"body", "key"},
	`{"key":"k"}{}`:                {"body"},
	`{"key":"k"} x`:                {"body"},
	`{} []`:                        {"body"},
	"\xef\xbb\xbf{}":               {"body"},
	"{}\x00":                       {"body"},
	`{"key":"a` + "\x00" + `"}`:    {"key"},
	`{"key":"a` + "\n" + `"}`:      {"key"},
	`{"key":"\x41"}`:               {"key"},
	`{"key":"\u12"}`:               {"key"},
	`{"key":"` + "\xff" + `"}`:     {"key"},
	`{"` + "\xff" + `":1}`:         {`["�"]`, `["�"]`},
	`{"key":"\ud800"}`:             {"key"},
	`{"key":"\ud800x"}`:            {"key"},
	`{"key":"\udc00"}`:             {"key"},
	`{"key":"\ud800\ud800"}`:       {"key"},
	`{"key":"\ud83d\ude00\udc00"}`: {"key"},
	`{"key":null}`:                 {"key"},
	`{"key":1}`:                    {"key"},
	`{"key":true}`:                 {"key"},
	`{"key":[]}`:                   {"key"},
	`{"key":{}}`:                   {"key"},
	`{"KEY":"k"}`:                  {"KEY"},
	`{"Questions":[]}`:             {"Questions"},
	`{"question":"?"}`:             {"question"},
	`{"":1}`:                       {`[""]`},
	`{"a b":1}`:                    {`["a b"]`},
	`{"key":"a","key":"a"}`:        {"key"},
	`{"key":"a","key":1}`:          {"key", "key"},
	`{"session":1,"route":2,"x":3}`: {
		"session", "route", "x",
	},
	`{"agent":1}`:                    {"agent"},
	`{"instance":[1]}`:               {"instance"},
	`{"deadline":30}`:                {"deadline"},
	`{"deadline":""}`:                {"deadline"},
	`{"deadline":"30"}`:              {"deadline"},
	`{"deadline":"1d"}`:              {"deadline"},
	`{"deadline":"tomorrow"}`:        {"deadline"},
	`{"deadline":"2026-12-01"}`:      {"deadline"},
	`{"deadline":{}}`:                {"deadline"},
	`{"default":[]}`:                 {"default"},
	`{"default":{"q":"Yes"}}`:        {`default["q"]`},
	`{"default":{"q":{"x":1}}}`:      {`default["q"].x`},
	`{"default":{"q":null}}`:         {`default["q"]`},
	`{"default":{"q":{},"q":{}}}`:    {"default.q"},
	`{"questions":null}`:             {"questions"},
	`{"questions":{}}`:               {"questions"},
	`{"questions":"?"}`:              {"questions"},
	`{"questions":[1]}`:              {"questions[0]"},
	`{"questions":[null]}`:           {"questions[0]"},
	`{"questions":["?"]}`:            {"questions[0]"},
	`{"questions":[[]]}`:             {"questions[0]"},
	`{"questions":[{},]}`:            {"questions[1]"},
	`{"questions":[,{}]}`:            {"questions[0]"},
	`{"questions":[{}`:               {"questions"},
	`{"questions":[{} {}]}`:          {"questions[1]"},
	`{"questions":[{"id":}]}`:        {"questions[0].id"},
	`{"questions":[{"multi":true}]}`: {"questions[0].multi"},
	`{"questions":[{"multiSelect":true}]}`: {
		"questions[0].multiSelect",
	},
	`{"questions":[{"options":["Yes"]}]}`: {"questions[0].options[0]"},
	`{"questions":[{"options":[{"label":"a","label":"b"}]}]}`: {
		"questions[0].options[0].label",
	},
	`{"questions":[{"options":[{"label":1},{"label":"x","value":2}]},{"id":[]}]}`: {
		"questions[0].options[0].label", "questions[0].options[1].value", "questions[1].id",
	},
	`{"questions":[{"intent":{"approve":1}}]}`: {"questions[0].intent.approve"},
	`{"questions":[{"intent":{"mode":"x"}}]}`:  {"questions[0].intent.mode"},
}

func TestMalformed(t *testing.T) {
	bodies := malformed
	for _, name := range []string{"id", "question", "header", "detail", "options", "multi_select", "intent"} {
		for _, wrong := range []string{"1", "null", "-0.5e3", "[{}]", `{"a":1}`} {
			if name == "options" && wrong == "[{}]" || name == "intent" && strings.HasPrefix(wrong, "{") {
				continue
			}
			bodies[fmt.Sprintf(`{"questions":[{"id":"a"},{%q:%s}]}`, name, wrong)] = []string{"questions[1]." + name}
		}
	}
	bodies[strings.Repeat("[", 100_000)] = nil
	bodies[`{"key":`+strings.Repeat(`{"a":`, 1000)] = nil
	if len(bodies) < 100 {
		t.Fatal(len(bodies))
	}
	for body, paths := range bodies {
		_, err := tool.DecodeAsk([]byte(body))
		e, _ := seam.AsError(err)
		if !errors.Is(err, seam.ErrMalformed) || len(e.Faults) == 0 {
			t.Errorf("%.80q: %v", body, err)
			continue
		}
		var got []string
		for _, f := range e.Faults {
			got = append(got, f.Path)
			if f.Path == "" || f.Problem == "" {
				t.Errorf("%.80q: says not where or what: %+v", body, f)
			}
		}
		if paths != nil && strings.Join(got, " ") != strings.Join(paths, " ") {
			t.Errorf("%.80q: faults at %q, want %q", body, got, paths)
		}
	}
}

// Whatever comes in: no panic, and nothing but MALFORMED with its places. What the strict door takes, the lenient one
// reads alike.
func FuzzDecode(f *testing.F) {
	for body := range malformed {
		f.Add([]byte(body))
	}
	f.Add([]byte(deploy))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := tool.DecodeAsk(body)
		if err != nil {
			e, ok := seam.AsError(err)
			if !ok || e.Code != seam.ErrMalformed || len(e.Faults) == 0 || e.Faults[0].Path == "" {
				t.Fatalf("%v", err)
			}
			return
		}
		again, err := tool.DecodeAsk(tool.EncodeAsk(r))
		if err != nil {
			t.Fatalf("%s: %v", tool.EncodeAsk(r), err)
		}
		if len(r.Questions) > 0 && seam.HashQuestions(r.Questions) != seam.HashQuestions(again.Questions) {
			t.Fatalf("%+v came back as %+v", r, again)
		}
	})
}

func TestDecodeQuestionsIsLenient(t *testing.T) {
	got, err := tool.DecodeQuestions([]byte(`{"title":"x","questions":[
		{"question":"A?","options":["x",{"label":"y","value":1}],"multiSelect":true,"header":null},
		{"id":"q1","question":"B?","multiple":true},{"question":"C?","multi_select":true}]}`))
	want := []seam.Question{
		{ID: "q2", Text: "A?", Options: []seam.Option{{Label: "x"}, {Label: "y"}}, MultiSelect: true},
		{ID: "q1", Text: "B?", MultiSelect: true},
		{ID: "q3", Text: "C?", MultiSelect: true},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	for _, body := range []string{``, `[]`, `{"questions":"?"}`, `{"questions":[{"question":1}]}`, `{"questions":[{"options":[1]}]}`} {
		if _, err := tool.DecodeQuestions([]byte(body)); !errors.Is(err, seam.ErrMalformed) {
			t.Errorf("%s: %v", body, err)
		}
	}
}
