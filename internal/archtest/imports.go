package archtest

import (
	"path"
	"strings"
)

func imports(t *tree, report report) {
	for _, s := range t.code {
		if _, known := table[s.dir]; !known {
			continue // the next rule says so
		}
		for _, i := range s.ast.Imports {
			pkg := strings.Trim(i.Path.Value, `"`)
			if !t.allows(s, pkg) {
				report(s.file, t.line(i), "%s may not import %s", s.dir, pkg)
			}
		}
	}
}

func (t *tree) allows(s source, pkg string) bool {
	if other, ours := strings.CutPrefix(pkg, t.module+"/"); ours {
		return mayImport(s.dir, other, s.test)
	}
	host, _, _ := strings.Cut(pkg, "/")
	if !strings.Contains(host, ".") && pkg != "C" {
		return true // the standard library; cgo would cost the static binary
	}
	return mayUse(s.dir, pkg, s.test)
}

func unknownRooms(t *tree, report report) {
	told := map[string]bool{}
	for _, s := range t.code {
		if _, known := table[s.dir]; !known && !told[s.dir] {
			told[s.dir] = true
			report(s.dir, 0, "the import table has no line for %s", s.dir)
		}
	}
}

func packageComments(t *tree, report report) {
	rooms, said := map[string]string{}, map[string]bool{}
	t.product(func(s source) {
		if rooms[s.dir] == "" {
			rooms[s.dir] = s.ast.Name.Name
		}
		start := "Package " + s.ast.Name.Name + " "
		if s.ast.Name.Name == "main" {
			start = "Command " + path.Base(s.dir) + " "
		}
		if s.ast.Doc != nil && strings.HasPrefix(s.ast.Doc.Text(), start) {
			said[s.dir] = true
		}
	})
	for dir, name := range rooms {
		if !said[dir] {
			report(dir, 0, "package %s has no comment that begins with what it is", name)
		}
	}
}
