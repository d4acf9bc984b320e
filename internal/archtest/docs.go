package archtest

import (
	"go/ast"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// documents calls f with every line of every document.
func (t *tree) documents(f func(file string, line int, text string)) {
	for file, text := range t.texts {
		if path.Ext(file) != ".md" {
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			f(file, i+1, line)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// links finds relative links to nowhere.
func links(t *tree, report report) {
	t.documents(func(file string, line int, text string) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, ":") {
				continue
			}
			if !t.exists(path.Join(path.Dir(file), target)) {
				report(file, line, "links to %s, which is not there", target)
			}
		}
	})
}

var (
	codeSpan = regexp.MustCompile("`([^`]+)`")
	pathSpan = regexp.MustCompile(`^\.?[\w-]+(/[\w.-]+)*/?$|^[\w-]+\.go$`)
	testSpan = regexp.MustCompile(`^(Test|Fuzz|Benchmark|Example)[A-Z]\w*$`)
	nameSpan = regexp.MustCompile(`^(\w+)\.([A-Z]\w*)(\.\w+)*(\(.*\))?$`)
)

// names finds code spans that name a file, a test, or an exported name of ours that is not there.
func names(t *tree, report report) {
	tests, exported := t.declarations()
	files := map[string]bool{}
	for _, s := range t.code {
		files[path.Base(s.file)] = true
	}
	t.documents(func(file string, line int, text string) {
		for _, m := range codeSpan.FindAllStringSubmatch(text, -1) {
			span := m[1]
			switch name := nameSpan.FindStringSubmatch(span); {
			case testSpan.MatchString(span) && !tests[span]:
				report(file, line, "names the test %s, which is not there", span)
			case name != nil && exported[name[1]] != nil && !exported[name[1]][name[2]]:
				report(file, line, "names %s, which is not there", span)
			case pathSpan.MatchString(span) && t.ours(span) && !t.exists(span) && !files[span]:
				report(file, line, "names the file %s, which is not there", span)
			}
		}
	})
}

// ours reports whether a path is meant to be one of this repository: a Go file, or something below a folder of ours.
func (t *tree) ours(span string) bool {
	top, rest, nested := strings.Cut(span, "/")
	return !nested && path.Ext(span) == ".go" || nested && rest != "" && t.exists(top)
}

// declarations lists the tests by name and, by package, what it exports.
func (t *tree) declarations() (tests map[string]bool, exported map[string]map[string]bool) {
	tests, exported = map[string]bool{}, map[string]map[string]bool{}
	for _, s := range t.code {
		into := tests
		if !s.test {
			pkg := s.ast.Name.Name
			if exported[pkg] == nil {
				exported[pkg] = map[string]bool{}
			}
			into = exported[pkg]
		}
		for _, d := range s.ast.Decls {
			for _, name := range declares(d) {
				into[name] = true
			}
		}
	}
	return tests, exported
}

// declares lists the names that a declaration brings, methods left out.
func declares(d ast.Decl) (out []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			out = append(out, d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				out = append(out, spec.Name.Name)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					out = append(out, name.Name)
				}
			}
		}
	}
	return out
}

// invocation is a command line in a document: a code span, or a line that begins with it.
var invocation = regexp.MustCompile("(?:^\\s*(?:\\$ )?|`)(?:\\./|go run \\./cmd/)?bridge ([a-z]+)")

// commands finds commands of the program that documents name and the program does not have. The changelog speaks of the
// past.
func commands(t *tree, report report) {
	known := t.uses()
	if len(known) == 0 {
		return
	}
	fenced, in := false, ""
	t.documents(func(file string, line int, text string) {
		if in != file {
			fenced, in = false, file
		}
		if strings.HasPrefix(strings.TrimSpace(text), "```") {
			fenced = !fenced
			return
		}
		for _, m := range invocation.FindAllStringSubmatch(text, -1) {
			if (fenced || strings.HasPrefix(m[0], "`")) && !known[m[1]] && file != "CHANGELOG.md" {
				report(file, line, "names the command %q, which is not there", "bridge "+m[1])
			}
		}
	})
}

// uses lists the first word of every Use in the commands of cmd/bridge.
func (t *tree) uses() map[string]bool {
	known := map[string]bool{"help": true, "completion": true} // the command library's own
	found := false
	t.product(func(s source) {
		if s.dir != cmdRoom {
			return
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			kv, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			key, named := kv.Key.(*ast.Ident)
			value, literal := kv.Value.(*ast.BasicLit)
			if !named || !literal || key.Name != "Use" {
				return true
			}
			if use, err := strconv.Unquote(value.Value); err == nil {
				word, _, _ := strings.Cut(use, " ")
				known[word], found = true, true
			}
			return true
		})
	})
	if !found {
		return nil
	}
	return known
}
