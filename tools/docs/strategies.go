package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/plugins/policy"
	"github.com/hansa-fl/hansa/plugins/vet"
	"github.com/hansa-fl/hansa/registry"
)

// samples lists the sample strategies and their papers.
func samples(top string) (string, error) {
	files, err := filepath.Glob(filepath.Join(top, "plugins", "samples", "*", "*.toml"))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| strategy | kind | what it is | after |\n|---|---|---|---|\n")
	for _, file := range files {
		dir := filepath.Dir(file)
		own, err := registered(dir)
		if err != nil {
			return "", err
		}
		folder := path.Join("samples", filepath.Base(dir))
		for _, k := range own.Kinds() {
			for _, e := range k.Entries {
				fmt.Fprintf(&b, "| [`%s`](%s) | %s | %s | %s |\n",
					e.Name, folder, k.Name, escape(e.Summary), escape(e.Paper))
			}
		}
	}
	return b.String(), nil
}

// strategyKinds lists the kinds that a strategy can be of, and what it implements.
func strategyKinds(string) (string, error) {
	var b strings.Builder
	b.WriteString("| kind | entry | implements | decides |\n|---|---|---|---|\n")
	for _, k := range plugins.Kinds() {
		fmt.Fprintf(&b, "| `%s` | `fl.%sEntry` | %s | %s |\n", k.Name, k.Type, named(k.Methods),
			escape(k.Meaning))
	}
	return b.String(), nil
}

// registered returns what a strategy describes.
func registered(dir string) (*registry.Registry, error) {
	source, err := plugins.Read(dir)
	if err != nil {
		return nil, err
	}
	s, err := plugins.Load(context.Background(), source, 0)
	if err != nil {
		return nil, err
	}
	own := new(registry.Registry)
	return own, s.Register(own)
}

// fullRun is what the tests of the grammar stored of their last full run.
const fullRun = "plugins/testdata/grammar-full.md"

// grammar returns the results of all programs of the grammar.
func grammar(top string) (string, error) {
	text, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(fullRun)))
	return string(text), err
}

// imports lists what strategies may import.
func imports(string) (string, error) {
	var b strings.Builder
	b.WriteString("| package | what of it |\n|---|---|\n")
	for _, p := range policy.Packages() {
		what := "all of it"
		switch {
		case p.Only != nil:
			what = named(p.Only)
		case strings.HasSuffix(p.Path, "/fl"):
			what = "all but what the engine does, and random streams of one's own"
		case path.Base(p.Path) == "v2":
			what = "types and their methods, which draw from the generator that one is handed"
		case p.Denied != nil:
			what = "all but " + named(slices.Sorted(maps.Keys(p.Denied)))
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", p.Path, what)
	}
	return b.String(), nil
}

// limits lists how much of what a strategy may have.
func limits(string) (string, error) {
	var b strings.Builder
	b.WriteString("| a strategy may have at most | where it has more |\n|---|---|\n")
	for _, l := range vet.Limits() {
		fmt.Fprintf(&b, "| %s | %s |\n", l, escape(l.Cure))
	}
	return b.String(), nil
}

// named lists names as code.
func named(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }
