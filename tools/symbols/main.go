// Command symbols writes what strategies may use, from the one table of plugins/policy: the
// declarations that they are type-checked against, and the symbols that the interpreter knows.
//
//	go run ./tools/symbols           rewrite them
//	go run ./tools/symbols -check    report those that are not what they would be rewritten to
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// folder is where the files lie, below the top of the module.
const folder = "plugins/symbols"

func main() {
	check := flag.Bool("check", false, "compare, do not write")
	flag.Parse()
	stale, err := run(".", *check)
	if err != nil {
		fmt.Fprintln(os.Stderr, "symbols:", err)
		os.Exit(2)
	}
	if len(stale) > 0 && *check {
		fmt.Printf("not current: %s; go run ./tools/symbols rewrites them\n",
			strings.Join(stale, ", "))
		os.Exit(1)
	}
}

// run brings the files below a folder up to date, or only compares them, and returns those
// that were not.
func run(top string, check bool) (stale []string, err error) {
	files, err := generate(top)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		path := filepath.Join(top, folder, f.name)
		old, err := os.ReadFile(path)
		if err == nil && string(old) == f.text {
			continue
		}
		stale = append(stale, folder+"/"+f.name)
		if check {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(f.text), 0o666); err != nil {
			return nil, err
		}
	}
	return stale, nil
}

// A file is one that is written: its name below the folder, and its text.
type file struct{ name, text string }

// generate returns all files, sorted by package.
func generate(top string) ([]file, error) {
	m, err := load(top)
	if err != nil {
		return nil, err
	}
	var files []file
	for _, path := range m.paths {
		stem := strings.ReplaceAll(strings.TrimPrefix(path, module), "/", "_")
		declared, err := m.declare(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		table, err := m.table(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		files = append(files,
			file{"declared/" + stem + ".txt", declared}, file{stem + ".go", table})
	}
	index, err := m.index()
	return append(files, file{"index.go", index}), err
}

// module is the beginning of the import paths of the framework.
const module = "github.com/hansa-fl/hansa/framework/"
