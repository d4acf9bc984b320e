package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/askbridge/bridge/internal/seam"
)

// encoding/json hides what this door has to name: the second of two equal keys wins in silence, bytes that are no UTF-8
// and halves of surrogate pairs turn into U+FFFD, keys match without regard to case, and only the first fault is told.
// So a body is first read into values, each fault with its path, and then matched against the fields that are known.

// maxDepth is how deep a body may nest; the deepest legal one needs five levels.
const maxDepth = 32

// root is the path of a fault that is in no field.
const root = "body"

// kind is what a JSON value is, as a fault calls it.
type kind string

const (
	object  kind = "an object"
	array   kind = "a list"
	text    kind = "a string"
	number  kind = "a number"
	boolean kind = "true or false"
	null    kind = "null"
)

type value struct {
	kind   kind
	text   string
	yes    bool
	list   []value
	fields []field
}

type field struct {
	name string
	value
}

// parser reads one JSON value and collects what is wrong with it.
type parser struct {
	raw    []byte
	dec    *json.Decoder
	faults []seam.Fault
}

// errStop ends the reading of a body that cannot be read on.
var errStop = errors.New("no JSON")

// parse reads a body that holds exactly one JSON value.
func parse(raw []byte) (value, []seam.Fault) {
	p := &parser{raw: raw, dec: json.NewDecoder(bytes.NewReader(raw))}
	p.dec.UseNumber()
	if len(bytes.TrimSpace(raw)) == 0 {
		p.add(root, "is missing")
		return value{}, p.faults
	}
	v, err := p.value("", 0)
	if err == nil {
		if _, err := p.dec.Token(); !errors.Is(err, io.EOF) {
			p.add(root, "goes on after the JSON value at byte %d", p.dec.InputOffset())
		}
	}
	return v, p.faults
}

func (p *parser) add(at, format string, args ...any) {
	if at == "" {
		at = root
	}
	p.faults = append(p.faults, seam.Fault{Path: at, Problem: fmt.Sprintf(format, args...)})
}

// token reads the next token, and for a string what it looked like.
func (p *parser) token(at string) (json.Token, []byte, error) {
	from := p.dec.InputOffset()
	t, err := p.dec.Token()
	if err == nil {
		return t, p.raw[from:p.dec.InputOffset()], nil
	}
	var bad *json.SyntaxError
	switch {
	case errors.As(err, &bad):
		p.add(at, "is no JSON at byte %d: %s", bad.Offset, bad.Error())
	default:
		p.add(at, "is no JSON at byte %d: it ends too early", len(p.raw))
	}
	return nil, nil, errStop
}

func (p *parser) value(at string, depth int) (value, error) {
	t, raw, err := p.token(at)
	if err != nil {
		return value{}, err
	}
	switch t := t.(type) {
	case string:
		p.checkText(at, raw)
		return value{kind: text, text: t}, nil
	case bool:
		return value{kind: boolean, yes: t}, nil
	case json.Number:
		return value{kind: number}, nil
	case json.Delim:
		if depth == maxDepth {
			p.add(at, "nests too deep, more than %d levels", maxDepth)
			return value{}, errStop
		}
		if t == '{' {
			return p.object(at, depth)
		}
		return p.array(at, depth)
	}
	return value{kind: null}, nil
}

func (p *parser) object(at string, depth int) (value, error) {
	v := value{kind: object}
	seen := map[string]bool{}
	for p.dec.More() {
		t, raw, err := p.token(at)
		if err != nil {
			return v, err
		}
		name, _ := t.(string)
		sub := member(at, name)
		p.checkText(sub, raw)
		if seen[name] {
			p.add(sub, "is given twice")
		}
		seen[name] = true
		x, err := p.value(sub, depth+1)
		if err != nil {
			return v, err
		}
		v.fields = append(v.fields, field{name, x})
	}
	_, _, err := p.token(at)
	return v, err
}

func (p *parser) array(at string, depth int) (value, error) {
	v := value{kind: array}
	for i := 0; p.dec.More(); i++ {
		x, err := p.value(index(at, i), depth+1)
		if err != nil {
			return v, err
		}
		v.list = append(v.list, x)
	}
	_, _, err := p.token(at)
	return v, err
}

// checkText looks at a string as it was sent. A label that is not what it looks like could not be returned to the letter.
func (p *parser) checkText(at string, raw []byte) {
	switch {
	case !utf8.Valid(raw):
		p.add(at, "is not valid UTF-8")
	case halfSurrogate(raw):
		p.add(at, "has half of a surrogate pair")
	}
}

// halfSurrogate reports whether a \u escape stands for half a code point.
func halfSurrogate(raw []byte) bool {
	var high bool
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			if high {
				return true
			}
			continue
		}
		i++
		var u uint64
		if raw[i] == 'u' && i+4 < len(raw) {
			u, _ = strconv.ParseUint(string(raw[i+1:i+5]), 16, 32)
			i += 4
		}
		low := u >= 0xdc00 && u < 0xe000
		if low != high {
			return true
		}
		high = utf16.IsSurrogate(rune(u)) && !low
	}
	return high
}

// longest name of an unknown field that a fault repeats
const maxName = 60

func member(at, name string) string {
	if !plain(name) {
		return at + "[" + strconv.Quote(cut(name, maxName)) + "]"
	}
	if at == "" {
		return name
	}
	return at + "." + name
}

func index(at string, i int) string { return at + "[" + strconv.Itoa(i) + "]" }

// plain reports whether a field name needs no quotes in a path.
func plain(name string) bool {
	for _, c := range []byte(name) {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return name != "" && len(name) <= maxName
}

func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
