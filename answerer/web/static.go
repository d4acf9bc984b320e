package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
)

//go:embed static
var staticFiles embed.FS

// assets are the style, the script and the picture of the pages. Their paths hold a hash of all of them, so that browsers
// may keep them for ever and a new version is never mixed with an old one.
type assets struct {
	version string
	files   map[string][]byte
}

var mediaTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

func loadAssets() assets {
	a := assets{files: map[string][]byte{}}
	sum := sha256.New()
	entries, err := staticFiles.ReadDir("static")
	if err != nil {
		panic("web: embedded files are there: " + err.Error())
	}
	for _, e := range entries {
		raw, err := staticFiles.ReadFile(path.Join("static", e.Name()))
		if err != nil {
			panic("web: embedded files can be read: " + err.Error())
		}
		a.files[e.Name()] = raw
		sum.Write(raw)
	}
	a.version = hex.EncodeToString(sum.Sum(nil)[:8])
	return a
}

// path is the address of an asset.
func (a assets) path(name string) string { return "/static/" + a.version + "/" + name }

func (a assets) serve(w http.ResponseWriter, r *http.Request) {
	raw, ok := a.files[r.PathValue("file")]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if r.PathValue("version") == a.version {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	w.Header().Set("Content-Type", mediaTypes[path.Ext(r.PathValue("file"))])
	_, _ = w.Write(raw) // a browser that has gone needs no file
}
