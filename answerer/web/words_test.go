package web

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestEverySentenceIsThereInEveryLanguage(t *testing.T) {
	names := regexp.MustCompile(`\{[a-z]+\}`)
	for key, said := range table {
		for column, s := range said {
			if strings.TrimSpace(s) == "" {
				t.Errorf("%s says nothing in column %d", key, column)
			}
		}
		en, zh := names.FindAllString(said[english], -1), names.FindAllString(said[chinese], -1)
		slices.Sort(en)
		slices.Sort(zh)
		if !slices.Equal(en, zh) {
			t.Errorf("%s names %v in one language and %v in the other", key, en, zh)
		}
	}
}

func TestEverySentenceIsSaid(t *testing.T) {
	var source strings.Builder
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == "words.go" || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "static") {
			return err
		}
		raw, err := os.ReadFile(name)
		source.Write(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for key := range table {
		said := strings.TrimSuffix(strings.TrimSuffix(key, ".one"), ".text")
		if failure, is := strings.CutPrefix(said, "fail."); is && strings.Contains(source.String(), `"`+failure+`"`) {
			continue
		}
		if !strings.Contains(source.String(), `"`+said+`"`) {
			t.Errorf("nobody says %q", key)
		}
	}
}
