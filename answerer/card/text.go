package card

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/askbridge/bridge/internal/seam"
)

const ellipsis = "…"

// cut shortens s to what measures at most limit, visibly, and never inside of what a person sees as one character.
func cut(s string, limit int, measure func(string) int) string {
	if measure == nil {
		measure = utf8.RuneCountInString
	}
	if limit <= 0 || measure(s) <= limit {
		return s
	}
	end := 0
	for rest := s; rest != ""; {
		n := cluster(rest)
		if measure(strings.TrimRight(s[:end+n], " ")+ellipsis) > limit {
			break
		}
		end, rest = end+n, rest[n:]
	}
	return strings.TrimRight(s[:end], " ") + ellipsis
}

const (
	zwj              = '\u200d'
	keycap           = '\u20e3'
	firstRegional    = '\U0001F1E6'
	lastRegional     = '\U0001F1FF'
	firstSkin        = '\U0001F3FB'
	lastSkin         = '\U0001F3FF'
	firstTag, lasTag = '\U000E0020', '\U000E007F'
)

// cluster is the length of the first user-perceived character of s, as far as the standard library tells: a rune with
// its marks, joined emoji, flags, Hangul syllables in parts, and CR LF.
func cluster(s string) int {
	first, n := utf8.DecodeRuneInString(s)
	last, flags := first, 1
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		flag := regional(last) && regional(r) && flags == 1
		if !extends(r) && last != zwj && !flag && !(last == '\r' && r == '\n') && !(jamo(last) && jamoTail(r)) {
			break
		}
		if flag {
			flags++
		}
		last, n = r, n+size
	}
	return n
}

func extends(r rune) bool {
	return r == zwj || r == keycap || unicode.Is(unicode.M, r) || r >= firstSkin && r <= lastSkin || r >= firstTag && r <= lasTag
}

func regional(r rune) bool { return r >= firstRegional && r <= lastRegional }

// Conjoining Hangul: leading consonants, vowels and trailing consonants stand one after another in U+1100..11FF.
func jamo(r rune) bool { return r >= 0x1100 && r <= 0x11FF || r >= 0xAC00 && r <= 0xD7A3 }

func jamoTail(r rune) bool { return r >= 0x1160 && r <= 0x11FF }

// oneLine is s without line breaks: for places that have one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// visible reports whether a person sees anything of s.
func visible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.M, r)
	})
}

// contain closes what s opens of Unicode's directional embeddings, overrides and isolates, so that text of an agent or
// of a person never turns around the words that stand after it. It takes nothing away.
func contain(s string) string {
	var open []rune // the closers that are due
	for _, r := range s {
		switch r {
		case '\u202a', '\u202b', '\u202d', '\u202e':
			open = append(open, '\u202c')
		case '\u2066', '\u2067', '\u2068':
			open = append(open, '\u2069')
		case '\u202c', '\u2069':
			if n := len(open); n > 0 && open[n-1] == r {
				open = open[:n-1]
			}
		}
	}
	for i := len(open) - 1; i >= 0; i-- {
		s += string(open[i])
	}
	return s
}

// nameLimit keeps people's display names from filling a card.
const nameLimit = 80

func name(p seam.Person) string {
	s := oneLine(p.Name)
	if !visible(s) {
		s = p.ID
	}
	return contain(cut(s, nameLimit, nil))
}
