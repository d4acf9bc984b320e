package archtest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHouse runs every rule over the repository.
func TestHouse(t *testing.T) {
	found, err := check(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f)
	}
}

// TestTable holds what the design says of the table besides its lines.
func TestTable(t *testing.T) {
	for dir, line := range table {
		for _, other := range line.ours {
			if _, known := table[other]; !known {
				t.Errorf("%s may import %s, which has no line", dir, other)
			}
			if other == configRoom && dir != cmdRoom {
				t.Errorf("%s may import config: only cmd does, no room reads the environment", dir)
			}
			if isTestRoom(other) {
				t.Errorf("%s may import %s: a fake is no part of the product", dir, other)
			}
		}
		if dir != seamRoom && dir != houseRoom && !reaches(dir, seamRoom) {
			t.Errorf("no arrow leads from %s to the seam", dir)
		}
		if reaches(dir, dir) {
			t.Errorf("the arrows of %s lead in a circle", dir)
		}
	}
	for _, never := range [][2]string{{slackRoom, discordRoom}, {discordRoom, slackRoom}, {toolRoom, deskRoom}, {storeRoom, deskRoom}} {
		if reaches(never[0], never[1]) {
			t.Errorf("arrows lead from %s to %s", never[0], never[1])
		}
	}
}

// reaches reports whether arrows lead from one room to another.
func reaches(from, to string) bool {
	return slices.ContainsFunc(table[from].ours, func(next string) bool { return next == to || reaches(next, to) })
}

// clean is a repository that follows every rule, close to the edge of each.
var clean = map[string]string{
	"go.mod": "module example.org/bridge\n\ngo 1.26\n",
	"internal/seam/seam.go": `// Package seam is the contract.
package seam

import "time"

var codes = []string{"A"}

// Six methods, and what it embeds.
type Store interface { wide; A(); B(); C(); D(); E(); F() }

type wide interface { G(); H() }

func Pause(codes []string) { codes[0] = "a parameter of that name"; time.Sleep(1) }

func (wide2) init() {}

type wide2 struct{}
`,
	"internal/seam/seam_test.go": `package seam_test

import (
	"time"

	"example.org/bridge/internal/seam"
	"example.org/bridge/store"
	"example.org/bridge/store/storetest"
	"github.com/google/go-cmp/cmp"
)

var _ = time.Second

func TestPause() {}
`,
	"store/store.go":            "// Package store keeps records.\npackage store\n\nimport _ \"go.etcd.io/bbolt\"\n",
	"store/settle.lua":          "-- KEYS[1] the record\n-- ARGV[1] the vote\n-- Returns the record.\nreturn 1\n",
	"store/storetest/memory.go": "// Package storetest is a store in memory.\npackage storetest\n\nimport _ \"example.org/bridge/store\"\n",
	"cmd/bridge/main.go": `// Command bridge is the process.
package main

import "github.com/spf13/cobra"

var _ = cobra.Command{Use: "ask [flags]"}
`,
	"testdata/bad.go": "this is no Go file",
	"README.md":       "[the store](store/store.go#L1) [web](https://example.org) `store/settle.lua` `seam.Store` `TestPause` `seam.go`\n\n    bridge nothing, in prose\n\n`bridge ask --json -`\n\n```\n$ bridge ask\n```\n",
	"CHANGELOG.md":    "`bridge gone` has gone\n",
}

// plant writes the clean repository, with the given files in place of its own, and judges it.
func plant(t *testing.T, files map[string]string) []fault {
	t.Helper()
	root := t.TempDir()
	all := maps.Clone(clean)
	maps.Copy(all, files)
	for name, text := range all {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := check(root)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestCleanHouse(t *testing.T) {
	for _, f := range plant(t, nil) {
		t.Error(f)
	}
}

// TestRulesBite plants one mistake at a time and wants that one found, and nothing else.
func TestRulesBite(t *testing.T) {
	const webHead = "// Package web is the inbox.\npackage web\n"
	bitten := map[string]bool{}
	for name, tt := range map[string]struct{ rule, file, text, want string }{
		"a door imports the desk": {
			"imports", "internal/tool/tool.go",
			"// Package tool is the doors.\npackage tool\n\nimport _ \"example.org/bridge/answerer\"\n",
			"internal/tool/tool.go:4: internal/tool may not import example.org/bridge/answerer",
		},
		"a room imports the environment": {
			"imports", "answerer/web/web.go", webHead + "\nimport _ \"example.org/bridge/config\"\n",
			"answerer/web may not import example.org/bridge/config",
		},
		"a module of others": {
			"imports", "answerer/web/web.go", webHead + "\nimport _ \"github.com/spf13/cobra\"\n",
			"answerer/web may not import github.com/spf13/cobra",
		},
		"a module whose name begins alike": {
			"imports", "answerer/web/web.go", webHead + "\nimport _ \"github.com/yuin/goldmark-highlighting\"\n",
			"answerer/web may not import github.com/yuin/goldmark-highlighting",
		},
		"a library of tests in the product": {
			"imports", "answerer/web/web.go", webHead + "\nimport _ \"github.com/google/go-cmp/cmp\"\n",
			"answerer/web may not import github.com/google/go-cmp/cmp",
		},
		"a fake in the product": {
			"imports", "answerer/web/web.go", webHead + "\nimport _ \"example.org/bridge/store/storetest\"\n",
			"answerer/web may not import example.org/bridge/store/storetest",
		},
		"behind a build tag": {
			"imports", "answerer/web/web.go", "//go:build plan9\n\n" + webHead + "\nimport _ \"example.org/bridge/store\"\n",
			"answerer/web may not import example.org/bridge/store",
		},
		"in a test": {
			"imports", "internal/seam/more_test.go", "package seam\n\nimport _ \"example.org/bridge/answerer/slack\"\n",
			"internal/seam/more_test.go:3: internal/seam may not import example.org/bridge/answerer/slack",
		},
		"cgo": {
			"imports", "answerer/web/web.go", webHead + "\nimport \"C\"\n", "answerer/web may not import C",
		},
		"a room without a line": {
			"rooms", "internal/util/util.go", "// Package util is everything.\npackage util\n",
			"internal/util: the import table has no line",
		},
		"a room that does not introduce itself": {
			"package comment", "config/config.go", "package config\n", "config: package config has no comment",
		},
		"a long file": {
			"file length", "store/long.go", "package store\n" + strings.Repeat("\n", 500), "store/long.go: has 501 lines",
		},
		"a wide interface": {
			"interface size", "store/wide.go", "package store\n\ntype wide interface{ A(); B(); C(); D(); E(); F(); G() }\n",
			"store/wide.go:3: an interface of 7 methods",
		},
		"a sleep": {
			"no sleep", "store/a_test.go", "package store\n\nimport \"time\"\n\nfunc wait() { time.Sleep(time.Second) }\n",
			"store/a_test.go:5: a test sleeps",
		},
		"a sleep by another name": {
			"no sleep", "store/a_test.go", "package store\n\nimport nap \"time\"\n\nvar wait = nap.Sleep\n",
			"store/a_test.go:5: a test sleeps",
		},
		"a sleep in a fake": {
			"no sleep", "store/storetest/slow.go", "package storetest\n\nimport . \"time\"\n\nfunc wait() { Sleep(Second) }\n",
			"store/storetest/slow.go:5: a test sleeps",
		},
		"an init": {
			"no init", "store/a.go", "package store\n\nfunc init() {}\n", "store/a.go:3: an init function",
		},
		"a lock of the package": {
			"no state", "store/a.go", "package store\n\nimport \"sync\"\n\nvar mu sync.Mutex\n", "store/a.go:5: mu is shared state",
		},
		"a counter of the package": {
			"no state", "store/a.go", "package store\n\nimport \"sync/atomic\"\n\nvar n = new(atomic.Int64)\n", "store/a.go:5: n is shared state",
		},
		"a channel of the package": {
			"no state", "store/a.go", "package store\n\nvar c = make(chan int)\n", "store/a.go:3: c is shared state",
		},
		"a variable of another file, written": {
			"no state", "internal/seam/a.go", "package seam\n\nfunc set() { codes[0] = \"B\" }\n",
			"internal/seam/a.go:3: set writes to the package's codes",
		},
		"a map, emptied": {
			"no state", "store/a.go", "package store\n\nvar seen = map[int]int{}\n\nfunc forget() { delete(seen, 1) }\n",
			"store/a.go:5: forget writes to the package's seen",
		},
		"a count": {
			"no state", "store/a.go", "package store\n\nvar seen int\n\nfunc see() { seen++ }\n",
			"store/a.go:5: see writes to the package's seen",
		},
		"a script without a head": {
			"lua head", "store/settle.lua", "-- KEYS[1] the record; returns it\nreturn ARGV[1]\n",
			"store/settle.lua: its head does not tell its ARGV",
		},
		"a link to nowhere": {
			"links", "docs/a.md", "\nsee [that](../store/gone.go)\n", "docs/a.md:2: links to ../store/gone.go",
		},
		"a file that has gone": {
			"names", "docs/a.md", "`store/gone.go`\n", "docs/a.md:1: names the file store/gone.go",
		},
		"a file that has gone, without its folder": {
			"names", "docs/a.md", "`gone.go`\n", "docs/a.md:1: names the file gone.go",
		},
		"a test that never was": {
			"names", "docs/a.md", "held by `TestNothing`\n", "docs/a.md:1: names the test TestNothing",
		},
		"a name that never was": {
			"names", "docs/a.md", "`seam.Nothing.At(x)`\n", "docs/a.md:1: names seam.Nothing.At(x)",
		},
		"a command that never was": {
			"commands", "docs/a.md", "run `bridge dance` now\n", `docs/a.md:1: names the command "bridge dance"`,
		},
		"a command that never was, from the sources": {
			"commands", "docs/a.md", "```sh\ngo run ./cmd/bridge dance --fast\n```\n", `docs/a.md:2: names the command "bridge dance"`,
		},
		"a command that never was, on a line of its own": {
			"commands", "docs/a.md", "```sh\n$ bridge dance\n```\n", `docs/a.md:2: names the command "bridge dance"`,
		},
	} {
		bitten[tt.rule] = true
		t.Run(name, func(t *testing.T) {
			found := plant(t, map[string]string{tt.file: tt.text})
			if len(found) != 1 || found[0].rule != tt.rule || !strings.HasPrefix(found[0].String(), tt.want) &&
				!strings.Contains(found[0].what, tt.want) {
				t.Errorf("want one fault of %q, %q; got %v", tt.rule, tt.want, found)
			}
		})
	}
	for _, r := range rules {
		if !bitten[r.name] {
			t.Errorf("nothing shows that the rule %q bites", r.name)
		}
	}
}
