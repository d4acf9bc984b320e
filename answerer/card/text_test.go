package card

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"fits", 4, "fits"},
		{"fits", 0, "fits"},
		{"too long", 4, "too…"},
		{"too long", 5, "too…"}, // no space before the dots
		{"e\u0301e\u0301e\u0301", 4, "e\u0301…"},
		{"👩‍👩‍👧 and", 5, "…"},
		{"👩‍👩‍👧 and", 6, "👩‍👩‍👧…"},
		{"👍🏽👍🏽👍🏽", 5, "👍🏽👍🏽…"},
		{"🇩🇪🇫🇷🇮🇹", 4, "🇩🇪…"},
		{"1️⃣2️⃣", 4, "1️⃣…"},
		{strings.Repeat("\u1100\u1161\u11a8", 3), 4, "\u1100\u1161\u11a8…"},
		{"日本語日本語", 3, "日本…"},
		{"a\xffb", 2, "a…"},
	} {
		if got := cut(c.in, c.limit, nil); got != c.want {
			t.Errorf("cut(%q, %d) = %q, want %q", c.in, c.limit, got, c.want)
		}
	}
	if got := cut("a&b&c", 6, func(s string) int { return len(s) + 4*strings.Count(s, "&") }); got != "a…" {
		t.Errorf("measured after escaping: %q", got)
	}
}

func TestCutKeepsItsLimitAndSplitsNoRune(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, limit := rapid.String().Draw(t, "s"), rapid.IntRange(1, 40).Draw(t, "limit")
		got := cut(s, limit, nil)
		if n := utf8.RuneCountInString(got); n > limit {
			t.Fatalf("%q has %d of %d", got, n, limit)
		}
		if rest, shortened := strings.CutSuffix(got, ellipsis); got != s && (!shortened || !strings.HasPrefix(s, rest) || !utf8.ValidString(rest)) {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

func TestContainClosesWhatIsOpen(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                     "plain",
		"a\u202eb":                  "a\u202eb\u202c",
		"a\u202eb\u202c":            "a\u202eb\u202c",
		"\u2067x\u202dy":            "\u2067x\u202dy\u202c\u2069",
		"\u202c\u2069":              "\u202c\u2069",
		"\u202a\u2068\u202c":        "\u202a\u2068\u202c\u2069\u202c",
		"\u05e9\u05dc\u05d5\u05dd.": "\u05e9\u05dc\u05d5\u05dd.",
	} {
		if got := contain(in); got != want {
			t.Errorf("contain(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]bool{"": false, " \n": false, "\u200b\ufeff": false, "\u0301": false, "a": true, "\u200b👍": true, "!": true} {
		if got := visible(in); got != want {
			t.Errorf("visible(%q) = %v", in, got)
		}
	}
}

func TestBareNumber(t *testing.T) {
	for in, want := range map[string]bool{"1": true, " 20 ": true, "1.5": true, "-3": true, "1e3": true, "v1": false, "": false, "one": false} {
		if got := bareNumber(in); got != want {
			t.Errorf("bareNumber(%q) = %v", in, got)
		}
	}
}
