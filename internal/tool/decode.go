package tool

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/askbridge/bridge/internal/seam"
)

// decoder matches values against the fields that a body has. Strict, it refuses what it does not know and null in place
// of a value. Lenient, as a model is met, it passes over both.
type decoder struct {
	faults  []seam.Fault
	lenient bool
}

// fields are the known fields of an object, and what each does with its value.
type fields map[string]func(at string, v value)

func (d *decoder) add(at, format string, args ...any) {
	if at == "" {
		at = root
	}
	d.faults = append(d.faults, seam.Fault{Path: at, Problem: fmt.Sprintf(format, args...)})
}

func (d *decoder) err() error {
	if len(d.faults) == 0 {
		return nil
	}
	return &seam.Error{Code: seam.ErrMalformed, Faults: d.faults}
}

// body parses raw and matches it.
func (d *decoder) body(raw []byte, known fields) {
	v, bad := parse(raw)
	d.faults = append(d.faults, bad...)
	if v.kind != "" {
		d.object("", v, known)
	}
}

func (d *decoder) is(at string, v value, want kind) bool {
	if v.kind == want {
		return true
	}
	if v.kind != "" { // "": the body ended before it, which is a fault already
		d.add(at, "must be %s, not %s", want, v.kind)
	}
	return false
}

func (d *decoder) object(at string, v value, known fields) {
	if !d.is(at, v, object) {
		return
	}
	for _, f := range v.fields {
		read, ok := known[f.name]
		switch {
		case ok && d.lenient && f.kind == null:
		case ok:
			read(member(at, f.name), f.value)
		case !d.lenient:
			d.add(member(at, f.name), "is unknown (known here: %s)", strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		}
	}
}

func (d *decoder) text(dst *string) func(string, value) {
	return func(at string, v value) {
		if d.is(at, v, text) {
			*dst = v.text
		}
	}
}

func (d *decoder) flag(dst *bool) func(string, value) {
	return func(at string, v value) {
		if d.is(at, v, boolean) {
			*dst = v.yes
		}
	}
}

// list reads a list whose items are read by each.
func list[T any](d *decoder, dst *[]T, each func(dst *T) func(string, value)) func(string, value) {
	return func(at string, v value) {
		if !d.is(at, v, array) {
			return
		}
		*dst = make([]T, len(v.list))
		for i, x := range v.list {
			each(&(*dst)[i])(index(at, i), x)
		}
	}
}

func (d *decoder) question(q *seam.Question) func(string, value) {
	return func(at string, v value) {
		known := fields{
			"id": d.text(&q.ID), "question": d.text(&q.Text), "header": d.text(&q.Header), "detail": d.text(&q.Detail),
			"options": list(d, &q.Options, d.option), "multi_select": d.flag(&q.MultiSelect), "intent": d.intent(&q.Intent),
		}
		if d.lenient {
			known["multiSelect"], known["multiple"] = known["multi_select"], known["multi_select"]
		}
		d.object(at, v, known)
	}
}

func (d *decoder) option(o *seam.Option) func(string, value) {
	return func(at string, v value) {
		if d.lenient && v.kind == text {
			o.Label = v.text
			return
		}
		d.object(at, v, fields{"label": d.text(&o.Label), "description": d.text(&o.Description)})
	}
}

func (d *decoder) intent(dst **seam.Intent) func(string, value) {
	return func(at string, v value) {
		*dst = &seam.Intent{}
		d.object(at, v, fields{"kind": d.text(&(*dst).Kind), "approve": d.text(&(*dst).Approve)})
	}
}

// defaults reads the caller's default: answers by question id.
func (d *decoder) defaults(dst *map[string]seam.DefaultOf) func(string, value) {
	return func(at string, v value) {
		if !d.is(at, v, object) {
			return
		}
		*dst = map[string]seam.DefaultOf{}
		for _, f := range v.fields {
			var a seam.DefaultOf
			d.object(fmt.Sprintf("%s[%q]", at, cut(f.name, maxName)), f.value, fields{
				"selected": list(d, &a.Selected, d.text), "custom": d.text(&a.Custom),
			})
			(*dst)[f.name] = a
		}
	}
}

// deadline reads a time, or a duration from now on. One that is over is the business of the check of the request, where
// it is told together with the other faults.
func (d *decoder) deadline(r *seam.Request) func(string, value) {
	return func(at string, v value) {
		if !d.is(at, v, text) {
			return
		}
		if t, err := time.Parse(time.RFC3339, v.text); err == nil {
			if r.Deadline = t; t.IsZero() {
				r.Within = over
			}
			return
		}
		within, err := time.ParseDuration(v.text)
		if err != nil {
			d.add(at, `must be a time ("2026-12-01T10:00:00Z") or a duration ("30m", "24h")`)
			return
		}
		if r.Within = within; within <= 0 {
			r.Within = over
		}
	}
}

// over is a deadline that has passed, where zero means none.
const over time.Duration = -1

// DecodeAsk reads the body of an ask. Strict: ErrMalformed names every fault with its path.
func DecodeAsk(raw []byte) (seam.Request, error) {
	d, r := &decoder{}, seam.Request{}
	d.body(raw, fields{
		"questions": list(d, &r.Questions, d.question), "key": d.text(&r.Key), "session": d.text(&r.Caller.Session),
		"agent": d.text(&r.Caller.Agent), "instance": d.text(&r.Caller.Instance), "deadline": d.deadline(&r),
		"default": d.defaults(&r.Default), "route": d.text(&r.Route),
	})
	return r, d.err()
}

// DecodeQuestions reads what a model sends as arguments of the tool. Lenient: unknown fields are ignored, null is
// absent, aliases and plain strings as options are taken, missing ids are filled in.
func DecodeQuestions(raw []byte) ([]seam.Question, error) {
	d, qs := &decoder{lenient: true}, []seam.Question(nil)
	d.body(raw, fields{"questions": list(d, &qs, d.question)})
	taken := map[string]bool{}
	for _, q := range qs {
		taken[q.ID] = true
	}
	for i := range qs {
		for n := i + 1; qs[i].ID == ""; n++ {
			if id := fmt.Sprintf("q%d", n); !taken[id] {
				qs[i].ID, taken[id] = id, true
			}
		}
	}
	return qs, d.err()
}

// decodeAnswers reads the body of the answers API. Strict.
func decodeAnswers(raw []byte) (seam.Submission, error) {
	d, s := &decoder{}, seam.Submission{}
	d.body(raw, fields{
		"answers": list(d, &s.Answers, func(a *seam.Submitted) func(string, value) {
			return func(at string, v value) {
				d.object(at, v, fields{
					"id": d.text(&a.ID), "selected": list(d, &a.Selected, d.text), "custom": d.text(&a.Custom), "skip": d.flag(&a.Skip),
				})
			}
		}),
		"cancel": d.flag(&s.Cancel),
	})
	return s, d.err()
}
