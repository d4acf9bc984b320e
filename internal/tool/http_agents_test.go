package tool_test

import (
	"strings"
	"testing"
	"time"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

func TestLiveRegistry(t *testing.T) {
	h := open(t)
	register := func(status int, body string) (a tool.Registered) {
		t.Helper()
		h.call("POST", "/v1/agents", ci, body).is(status).into(&a)
		return a
	}
	ask := func(a tool.Registered) reply {
		return h.call("POST", "/v1/ask?wait=0s", ci, `{"agent":"`+a.Agent+`","instance":"`+a.Instance+`",`+deploy[1:])
	}
	root := register(201, `{"name":"root"}`)
	if !seam.IsAgentID(root.Agent) || root.Instance == "" || root.TTL < 10 || root.TTL > 3600 {
		t.Errorf("%+v", root)
	}
	ask(root).is(202)
	child := register(201, `{"name":"child","owner":"`+root.Agent+`"}`)
	ask(child).is(403).problem(seam.ErrDelegatedCaller)
	again := register(200, `{"name":"root","agent":"`+root.Agent+`"}`)
	if again.Agent != root.Agent || again.Instance == root.Instance {
		t.Errorf("%+v", again)
	}
	ask(root).is(403).problem(seam.ErrCallerNotLive)
	beat := func(a tool.Registered) reply {
		return h.call("PUT", "/v1/agents/"+a.Agent, ci, `{"instance":"`+a.Instance+`"}`)
	}
	beat(root).is(403).problem(seam.ErrCallerNotLive)
	beat(again).is(204)
	h.call("DELETE", "/v1/agents/"+root.Agent, ci, "").is(204)
	ask(again).is(403).problem(seam.ErrCallerNotLive)
	ask(child).is(202) // its owner is gone
	h.call("DELETE", "/v1/agents/a_aaaaaaaaaaaaaaaaaaaaaaaaaa", ci, "").is(404)
}

func TestAgentBodies(t *testing.T) {
	h := open(t)
	self := "a_aaaaaaaaaaaaaaaaaaaaaaaaaa"
	for body, at := range map[string]string{
		`{}`: "name", `{"name":1}`: "name", `{"name":"` + strings.Repeat("x", 201) + `"}`: "name", `{"name":"x","agent":"x"}`: "agent",
		`{"name":"x","owner":"r_x"}`: "owner", `{"name":"x","agent":"` + self + `","owner":"` + self + `"}`: "owner", `{"name":"x","ttl":1}`: "ttl",
	} {
		p := h.call("POST", "/v1/agents", ci, body).is(400).problem(seam.ErrMalformed)
		if len(p.Faults) != 1 || p.Faults[0].Path != at {
			t.Errorf("%s: %+v", body, p.Faults)
		}
	}
	h.call("POST", "/v1/agents", ci, `{"name":"x","agent":"`+self+`"}`).is(404).problem(seam.ErrNotFound)
	var mine tool.Registered
	h.call("POST", "/v1/agents", ci, `{"name":"`+strings.Repeat("x", 200)+`"}`).is(201).into(&mine)
	h.call("POST", "/v1/agents", cd, `{"name":"x","owner":"`+mine.Agent+`"}`).is(404)
	h.call("PUT", "/v1/agents/"+mine.Agent, ci, `{}`).is(400).problem(seam.ErrMalformed)
}

func TestSignIn(t *testing.T) {
	clock := time.Now()
	h := open(t, func(c *tool.Config, _ *tool.Ports) { c.Now = func() time.Time { return clock } })
	link := func() (l tool.Login) {
		t.Helper()
		h.call("POST", "/v1/logins", ops, `{"person":"bob"}`).is(201).into(&l)
		return l
	}
	l := link()
	if l.URL != "https://bridge.example.org/login?code="+l.Code || l.Expires.Sub(clock) != 10*time.Minute || len(l.Code) < 20 {
		t.Errorf("%+v", l)
	}
	h.call("GET", "/v1/requests", l.Code, "").is(401) // a code is no token
	var s tool.Session
	h.call("POST", "/v1/logins/redeem", "", `{"code":"`+l.Code+`"}`).is(200).into(&s)
	if s.Person != "bob" || s.Expires.Sub(clock) != 30*24*time.Hour {
		t.Errorf("%+v", s)
	}
	h.call("POST", "/v1/logins/redeem", "", `{"code":"`+l.Code+`"}`).is(401).problem(seam.ErrUnauthenticated)

	h.call("POST", "/v1/ask?wait=0s", ci, deploy).is(202)
	id := h.asked(1)
	h.call("POST", "/v1/ask", s.Token, deploy).is(403)
	var got tool.Request
	h.call("POST", "/v1/requests/"+id+"/answers", s.Token, sayYes).is(200).into(&got)
	if by := got.Questions[0].AnsweredBy; len(by) != 1 || by[0].Person != "bob" || by[0].Answerer != "api" {
		t.Errorf("%+v", by)
	}
	h.call("DELETE", "/v1/logins", s.Token, "").is(204)
	h.call("GET", "/v1/requests", s.Token, "").is(401)

	clock = clock.Add(-11 * time.Minute)
	h.call("POST", "/v1/logins/redeem", "", `{"code":"`+link().Code+`"}`).is(401) // over
	for body, at := range map[string]string{`{}`: "person", `{"person":""}`: "person", `{"person":"a\nb"}`: "person", `{"code":"x"}`: "code"} {
		p := h.call("POST", "/v1/logins", ops, body).is(400).problem(seam.ErrMalformed)
		if p.Faults[0].Path != at {
			t.Errorf("%s: %+v", body, p.Faults)
		}
	}
}

// A token of the file without person= is a person named as the token.
func TestAPersonNamedAsTheToken(t *testing.T) {
	h := open(t)
	if err := h.tokens.Replace(parseTokens(t, line("ci", "ask", ci, "")+line("kim", "answer", "secret-kim", ""))); err != nil {
		t.Fatal(err)
	}
	h.call("POST", "/v1/ask?wait=0s", ci, deploy).is(202)
	var got tool.Request
	h.call("POST", "/v1/requests/"+h.asked(1)+"/answers", "secret-kim", sayYes).is(200).into(&got)
	if by := got.Questions[0].AnsweredBy; by[0].Person != "kim" {
		t.Errorf("%+v", by)
	}
}
