package archtest

import (
	"go/ast"
	"go/token"
)

// noState finds package variables that are more than a table: those that hold a lock, a counter or a channel, and those
// that a function writes to.
func noState(t *tree, report report) {
	vars := map[string]map[string]bool{} // by folder, then name
	t.product(func(s source) {
		if vars[s.dir] == nil {
			vars[s.dir] = map[string]bool{}
		}
		for _, v := range packageVars(s.ast) {
			for _, name := range v.Names {
				vars[s.dir][name.Name] = true
			}
			if s.shares(v) {
				report(s.file, t.line(v), "%s is shared state", v.Names[0].Name)
			}
		}
	})
	t.product(func(s source) {
		for _, d := range s.ast.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			local := declared(f)
			for _, id := range written(f) {
				if vars[s.dir][id.Name] && !local[id.Name] {
					report(s.file, t.line(id), "%s writes to the package's %s", f.Name.Name, id.Name)
				}
			}
		}
	})
}

func packageVars(f *ast.File) (out []*ast.ValueSpec) {
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, spec := range g.Specs {
				out = append(out, spec.(*ast.ValueSpec))
			}
		}
	}
	return out
}

// shares reports whether a variable is made to be changed: of sync, of sync/atomic, or a channel.
func (s source) shares(v *ast.ValueSpec) bool {
	types := []ast.Expr{v.Type}
	for _, value := range v.Values {
		switch x := value.(type) {
		case *ast.CompositeLit:
			types = append(types, x.Type)
		case *ast.UnaryExpr:
			if lit, ok := x.X.(*ast.CompositeLit); ok {
				types = append(types, lit.Type)
			}
		case *ast.CallExpr: // new(T), make(T)
			if f, ok := x.Fun.(*ast.Ident); ok && (f.Name == "new" || f.Name == "make") {
				types = append(types, x.Args[0])
			}
		}
	}
	for _, x := range types {
		switch x := x.(type) {
		case *ast.ChanType:
			return true
		case *ast.SelectorExpr:
			pkg, ok := x.X.(*ast.Ident)
			if ok && (pkg.Name == s.imported("sync") || pkg.Name == s.imported("sync/atomic")) {
				return true
			}
		}
	}
	return false
}

// declared lists the names that a function declares anywhere inside, its parameters included.
func declared(f *ast.FuncDecl) map[string]bool {
	out := map[string]bool{}
	add := func(x ast.Expr) {
		if id, ok := x.(*ast.Ident); ok {
			out[id.Name] = true
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			for _, name := range n.Names {
				add(name)
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				add(name)
			}
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if n.Tok == token.DEFINE {
					add(x)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key)
				add(n.Value)
			}
		}
		return true
	})
	return out
}

// written lists what a function assigns to, or to a part of.
func written(f *ast.FuncDecl) (out []*ast.Ident) {
	add := func(targets ...ast.Expr) {
		for _, x := range targets {
			if id := base(x); id != nil {
				out = append(out, id)
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				add(n.Lhs...)
			}
		case *ast.IncDecStmt:
			add(n.X)
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				add(n.Key, n.Value)
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "delete" || id.Name == "clear") && len(n.Args) > 0 {
				add(n.Args[0])
			}
		}
		return true
	})
	return out
}

// base is the variable that an expression is a part of, or nil.
func base(x ast.Expr) *ast.Ident {
	for {
		switch e := x.(type) {
		case *ast.Ident:
			return e
		case *ast.IndexExpr:
			x = e.X
		case *ast.SelectorExpr:
			x = e.X
		case *ast.StarExpr:
			x = e.X
		case *ast.ParenExpr:
			x = e.X
		default:
			return nil
		}
	}
}
