package tool_test

import (
	"strings"
	"testing"

	"github.com/askbridge/bridge/internal/seam"
	"github.com/askbridge/bridge/internal/tool"
)

func TestTokensFileNamesEveryFault(t *testing.T) {
	hash := tool.HashSecret("s")
	_, err := tool.ParseTokens(strings.NewReader("# the team\n\n" +
		"a ask " + hash + "   # fine\n" +
		"a\task " + tool.HashSecret("t") + "\n" + // 4
		"b ask " + hash + "\n" + // 5
		"b ask\n" + // 6, two
		"d vote " + tool.HashSecret("d") + "\n" + // 7
		"e ask,answer " + tool.HashSecret("e") + "\n" + // 8
		"f ask hunter2-in-the-clear\n" + // 9
		"g ask " + tool.HashSecret("g") + " person= team=x\n" + // 10, two
		"h ask " + tool.HashSecret("h") + " routes=a,,b\n" + // 11
		"i ask,ask " + tool.HashSecret("i") + "\n" + // 12
		"j admin " + tool.HashSecret("j") + " routes=a person=p routes=b\n")) // 13
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		"line 4: the name is that of line 3", "line 5: the hash is that of line 3", "line 6: a token has", "line 6: the name is that of line 5", "line 7: ", "line 8: ", "line 9: ", "line 10: person= is empty",
		"line 10: word 5", "line 11: ", "line 12: ", "line 13: routes= is given twice",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("lacks %q:\n%v", want, err)
		}
	}
	if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "line 3:") || len(strings.Split(err.Error(), "\n")) != 12 {
		t.Error(err)
	}
}

func TestNewToken(t *testing.T) {
	secret, hash := tool.NewToken()
	again, _ := tool.NewToken()
	if tool.HashSecret(secret) != hash || secret == again || len(secret) < 40 {
		t.Error(secret, hash)
	}
	h := open(t)
	if err := h.tokens.Add(tool.Token{Name: "local", Scopes: []tool.Scope{tool.ScopeAsk}, Hash: hash}); err != nil {
		t.Fatal(err)
	}
	h.call("POST", "/v1/ask?wait=0s", secret, deploy).is(202)
	if err := h.tokens.Add(tool.Token{Name: "local", Hash: tool.HashSecret("x")}); err == nil {
		t.Error("two tokens of one name")
	}
	if err := h.tokens.Replace(parseTokens(t, tokensFile())); err != nil {
		t.Fatal(err)
	}
	h.call("GET", "/v1/requests", secret, "").is(200)
	if err := h.tokens.Replace(parseTokens(t, line("local", "ask", "y", ""))); err == nil {
		t.Error("a file took the name of a token that is in no file")
	}
	h.call("GET", "/v1/requests", ci, "").is(200)
}

// Removal revokes at once, also what is blocked: the call ends with UNAUTHENTICATED, the request stays.
func TestRevoked(t *testing.T) {
	h := open(t)
	blocked := h.start("POST", "/v1/ask", ci, deploy)
	id := h.asked(1)
	other := h.start("POST", "/v1/ask", cd, deploy)
	kept := h.asked(2)
	reads := h.start("GET", "/v1/requests/"+kept+"?wait=10m", ops, "")
	if err := h.tokens.Replace(parseTokens(t, line("cd", "ask", cd, "person=ann")+line("ann-token", "answer", ann, "person=ann"))); err != nil {
		t.Fatal(err)
	}
	(<-blocked).is(401).problem(seam.ErrUnauthenticated)
	(<-reads).is(401).problem(seam.ErrUnauthenticated)
	h.call("GET", "/v1/requests", ci, "").is(401).problem(seam.ErrUnauthenticated)
	if rec, err := h.store.Get(t.Context(), id); err != nil || rec.State != seam.Pending {
		t.Error(rec.State, err)
	}
	h.call("POST", "/v1/requests/"+kept+"/answers", ann, sayYes).is(200)
	(<-other).is(200)
}
