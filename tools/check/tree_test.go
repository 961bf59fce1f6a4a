package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	longestMain = 4_500 // lines of a package main, without tests
	mostUpward  = 12    // pairs of files of tools/hansa in which the lower one refers to the upper one
)

// A package main reads flags, makes a few calls and prints: a longer one hides a library.
func TestMainsAreShort(t *testing.T) {
	t.Chdir("../..")
	sources, err := readSources(".")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]int{}
	for _, s := range sources {
		if s.file.Name.Name == "main" && !s.test() && !ast.IsGenerated(s.file) {
			lines[filepath.Dir(s.path)] += len(s.lines) - 1 // the last one ends with a line break
		}
	}
	for dir, n := range lines {
		if n > longestMain {
			t.Errorf("package main of %s has %d lines, at most %d", dir, n, longestMain)
		}
	}
	if len(lines) < 5 {
		t.Errorf("packages main are %v only", lines)
	}
}

// Files of tools/hansa can be put in an order in which few pairs refer to a file above.
func TestFilesReferDownwards(t *testing.T) {
	refers := references(t, "../hansa")
	if len(refers) < 50 {
		t.Fatalf("%d pairs of files only", len(refers))
	}
	if order, up := bestOrder(refers); len(up) > mostUpward {
		t.Errorf("%d pairs of files refer upwards, at most %d: %v in the order %v", len(up),
			mostUpward, up, order)
	}
}

// The order that is found is as good as the best of all orders, of five files that refer to each
// other at random.
func TestBestOrder(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		refers := map[[2]string]bool{}
		for len(refers) < 1+rng.IntN(14) {
			if i, j := rng.IntN(5), rng.IntN(5); i != j {
				refers[[2]string{names[i], names[j]}] = true
			}
		}
		fewest := len(refers)
		permute(slices.Clone(names), 0, func(order []string) {
			fewest = min(fewest, len(upward(order, refers)))
		})
		if order, up := bestOrder(refers); len(up) != fewest {
			t.Errorf("%v: %v refer upwards in the order %v, at best %d do", refers, up, order, fewest)
		}
	}
	chain := map[[2]string]bool{{"c", "b"}: true, {"b", "a"}: true, {"c", "a"}: true}
	if order, up := bestOrder(chain); len(up) > 0 || !slices.Equal(order, []string{"c", "b", "a"}) {
		t.Errorf("a chain has the order %v, in which %v refer upwards", order, up)
	}
}

// permute calls a function with every order of the names from k on.
func permute(names []string, k int, call func([]string)) {
	if k == len(names) {
		call(names)
	}
	for i := k; i < len(names); i++ {
		names[k], names[i] = names[i], names[k]
		permute(names, k+1, call)
		names[k], names[i] = names[i], names[k]
	}
}

// references returns the pairs of files of a package of which the first one refers to what the
// second one declares.
func references(t *testing.T, dir string) map[[2]string]bool {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(set, filepath.Base(name), text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: emptyPackages{}, Error: func(error) {}}
	pkg, _ := config.Check("main", set, files, info) // its errors are about other packages
	refers := map[[2]string]bool{}
	for id, object := range info.Uses {
		from, to := set.Position(id.Pos()).Filename, set.Position(object.Pos()).Filename
		if object.Pkg() == pkg && from != to {
			refers[[2]string{from, to}] = true
		}
	}
	return refers
}

// emptyPackages imports packages that declare nothing: no other package refers to a main.
type emptyPackages struct{}

func (emptyPackages) Import(name string) (*types.Package, error) {
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}

// bestOrder returns an order of files, the uppermost first, in which few pairs refer upwards, and
// these pairs. It moves single files until no move is better, from several orders at random.
func bestOrder(refers map[[2]string]bool) (best []string, up [][2]string) {
	var names []string
	for pair := range refers {
		names = append(names, pair[0], pair[1])
	}
	slices.Sort(names)
	names = slices.Compact(names)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		order := slices.Clone(names)
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for improve(order, refers) {
		}
		if found := upward(order, refers); best == nil || len(found) < len(up) {
			best, up = order, found
		}
	}
	return best, up
}

// upward returns the pairs that refer upwards in an order.
func upward(order []string, refers map[[2]string]bool) (found [][2]string) {
	for i, upper := range order {
		for _, lower := range order[i+1:] {
			if pair := [2]string{lower, upper}; refers[pair] {
				found = append(found, pair)
			}
		}
	}
	return found
}

// improve moves one file to where it saves most, and reports whether it saves anything.
func improve(order []string, refers map[[2]string]bool) bool {
	from, to, most := 0, 0, 0
	for i, name := range order {
		for _, step := range []int{-1, 1} {
			saved := 0
			for j := i + step; j >= 0 && j < len(order); j += step {
				down, above := refers[[2]string{name, order[j]}], refers[[2]string{order[j], name}]
				if step < 0 { // order[j] comes to lie below
					down, above = above, down
				}
				if above {
					saved++
				}
				if down {
					saved--
				}
				if saved > most {
					from, to, most = i, j, saved
				}
			}
		}
	}
	name := order[from]
	copy(order, slices.Insert(slices.Delete(slices.Clone(order), from, from+1), to, name))
	return most > 0
}
