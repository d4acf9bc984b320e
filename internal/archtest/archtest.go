// Package archtest holds the house rules as code: who may import whom, how large a file and an interface may be, what
// tests do not do, and that the documents speak of what is there. Its test runs them over the repository.
//
// It judges structure, never behaviour, and reads sources only: files behind a build tag and rooms that do not compile
// today are judged like all others.
package archtest

import (
	"cmp"
	"fmt"
	"slices"
)

// fault is one place where a rule is broken.
type fault struct {
	rule string
	file string // relative to the root
	line int    // 0 = the file as a whole
	what string
	why  string // the reason of the rule, so that whoever breaks it can argue with it
}

func (f fault) String() string {
	at := f.file
	if f.line > 0 {
		at = fmt.Sprintf("%s:%d", f.file, f.line)
	}
	return fmt.Sprintf("%s: %s [%s: %s]", at, f.what, f.rule, f.why)
}

// rule is one house rule. find reports where it is broken through the given function.
type rule struct {
	name string
	why  string
	find func(t *tree, report report)
}

type report func(file string, line int, format string, args ...any)

var rules = []rule{
	{"imports", "a room that reaches past its line of the table cannot be changed, or replaced, alone", imports},
	{"rooms", "a room that the table does not know has no place in the picture: give it a line, with its reason", unknownRooms},
	{"package comment", "the next hand reads what a room is, and what it is not, before it reads the code", packageComments},
	{"file length", "a file that does not fit in the head holds more than one thing", fileLength},
	{"interface size", "a port that is small enough can be faked by hand, and needs no mocking library", interfaceSize},
	{"no sleep", "a test that waits for a duration is slow on a good day and red on a bad one: wait for the event", noSleep},
	{"no init", "what runs before main can be neither ordered, nor configured, nor tested", noInit},
	{"no state", "a variable of the package is shared by every instance and every test in the process", noState},
	{"lua head", "whoever reviews a script sees what goes in and what comes out without leaving the screen", luaHead},
	{"links", "a document that points to nothing is worse than none", links},
	{"names", "a document that names what has gone, or never was, sends the reader astray", names},
	{"commands", "the first thing that a new user types is what a document says", commands},
}

// check runs every rule over the tree below root, in the order of the rules, then of the places.
func check(root string) ([]fault, error) {
	t, err := read(root)
	if err != nil {
		return nil, err
	}
	var found []fault
	for _, r := range rules {
		start := len(found)
		r.find(t, func(file string, line int, format string, args ...any) {
			found = append(found, fault{r.name, file, line, fmt.Sprintf(format, args...), r.why})
		})
		slices.SortFunc(found[start:], func(a, b fault) int {
			return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.what, b.what))
		})
	}
	return found, nil
}
