package archtest

import (
	"go/ast"
	"regexp"
	"strings"
)

// The budgets of the house.
const (
	maxLines   = 500
	maxMethods = 6
)

func fileLength(t *tree, report report) {
	t.product(func(s source) {
		if s.size > maxLines {
			report(s.file, 0, "has %d lines, at most %d are allowed", s.size, maxLines)
		}
	})
}

// interfaceSize counts the methods that an interface names itself: one that joins two small ports is no larger a port.
func interfaceSize(t *tree, report report) {
	for _, s := range t.code {
		ast.Inspect(s.ast, func(n ast.Node) bool {
			i, ok := n.(*ast.InterfaceType)
			if !ok {
				return true
			}
			methods := 0
			for _, m := range i.Methods.List {
				methods += len(m.Names)
			}
			if methods > maxMethods {
				report(s.file, t.line(i), "an interface of %d methods, at most %d are allowed", methods, maxMethods)
			}
			return true
		})
	}
}

func noSleep(t *tree, report report) {
	for _, s := range t.code {
		name := s.imported("time")
		if name == "" || !s.test && !isTestRoom(s.dir) {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == name && n.Sel.Name == "Sleep" {
					report(s.file, t.line(n), "a test sleeps")
				}
			case *ast.Ident:
				if name == "." && n.Name == "Sleep" {
					report(s.file, t.line(n), "a test sleeps")
				}
			}
			return true
		})
	}
}

func noInit(t *tree, report report) {
	for _, s := range t.code {
		for _, d := range s.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				report(s.file, t.line(f), "an init function")
			}
		}
	}
}

// luaWords must be in the comment at the head of a script.
var luaWords = []string{"KEYS", "ARGV", "returns"}

var luaComment = regexp.MustCompile(`^(--[^\n]*\n)+`)

func luaHead(t *tree, report report) {
	for file, text := range t.texts {
		if !strings.HasSuffix(file, ".lua") {
			continue
		}
		head := strings.ToLower(luaComment.FindString(text))
		for _, word := range luaWords {
			if !strings.Contains(head, strings.ToLower(word)) {
				report(file, 0, "its head does not tell its %s", word)
			}
		}
	}
}
