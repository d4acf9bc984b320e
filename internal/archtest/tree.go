package archtest

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// tree is what the rules look at: the sources and documents of a repository.
type tree struct {
	root   string
	module string
	fset   *token.FileSet
	code   []source
	texts  map[string]string // documents and scripts, by path
}

// source is a Go file.
type source struct {
	file string // relative to the root, with slashes
	dir  string
	test bool // a _test.go file
	ast  *ast.File
	size int // in lines
}

func read(root string) (*tree, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	head, _, _ := strings.Cut(string(mod), "\n")
	module, ok := strings.CutPrefix(strings.TrimSpace(head), "module ")
	if !ok {
		return nil, errors.New("go.mod does not begin with its module")
	}
	t := &tree{root: root, module: module, fset: token.NewFileSet(), texts: map[string]string{}}
	return t, filepath.WalkDir(root, t.visit)
}

func (t *tree) visit(name string, d fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	if d.IsDir() {
		return t.enter(name)
	}
	file := t.relative(name)
	switch path.Ext(name) {
	case ".go":
		return t.parse(name, file)
	case ".md", ".lua":
		text, err := os.ReadFile(name)
		t.texts[file] = string(text)
		return err
	}
	return nil
}

// enter leaves out what the go command leaves out.
func (t *tree) enter(name string) error {
	base := filepath.Base(name)
	hidden := strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
	if name != t.root && (hidden || base == "testdata" || base == "vendor" || base == "node_modules") {
		return fs.SkipDir
	}
	return nil
}

func (t *tree) relative(name string) string {
	rel, err := filepath.Rel(t.root, name)
	if err != nil {
		return name
	}
	return filepath.ToSlash(rel)
}

func (t *tree) parse(name, file string) error {
	f, err := parser.ParseFile(t.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	t.code = append(t.code, source{
		file: file, dir: path.Dir(file), test: strings.HasSuffix(file, "_test.go"),
		ast: f, size: t.fset.File(f.FileStart).LineCount(),
	})
	return nil
}

func (t *tree) line(n ast.Node) int { return t.fset.Position(n.Pos()).Line }

// exists reports whether there is such a file or folder below the root.
func (t *tree) exists(name string) bool {
	_, err := os.Stat(filepath.Join(t.root, filepath.FromSlash(name)))
	return err == nil
}

// product calls f with every file that is no test.
func (t *tree) product(f func(source)) {
	for _, s := range t.code {
		if !s.test {
			f(s)
		}
	}
}

// imported is the name by which the file calls a package, or "".
func (s source) imported(pkg string) string {
	for _, i := range s.ast.Imports {
		if strings.Trim(i.Path.Value, `"`) != pkg {
			continue
		}
		if i.Name != nil {
			return i.Name.Name
		}
		return path.Base(pkg)
	}
	return ""
}
