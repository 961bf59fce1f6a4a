// Command docs writes the generated parts of the READMEs: what stands between
// <!-- generated: NAME --> and <!-- end -->, and what follows a command in a console block; and the
// list of what tests show of components.
//
//	go run ./tools/docs           rewrite them
//	go run ./tools/docs -check    report those that are not what they would be rewritten to
//	go run ./tools/docs -claims RUN…
//	                              judge the claims of runs first, and keep the verdicts: those
//	                              of a part of an experiment beside those of all of it; -fewer
//	                              before them lets a run of fewer seeds replace what is kept
//	go run ./tools/docs -page experiments/CLAIMS.md
//	                              this page only; may be repeated, and stand beside the others
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// readmes are the files with generated parts.
var readmes = []string{"README.md", "experiments/README.md", claimPage, components, results,
	"framework/launch/README.md", guide,
	contradictionPage}

// guide is the README for authors of strategies.
const guide = "plugins/README.md"

// Further READMEs, by what they are about.
const (
	components = "registry/README.md"
	results    = "reports/README.md"
)

func main() {
	check := flag.Bool("check", false, "compare, do not write")
	claims := flag.Bool("claims", false, "keep the verdicts on the claims of the runs that are "+
		"named, for "+claimPage)
	fewer := flag.Bool("fewer", false, "with -claims, replace verdicts of more seeds, too")
	pages := readmes
	flag.Func("page", "the `PAGE` to write or to compare, instead of all", func(name string) error {
		if len(pages) == len(readmes) {
			pages = nil
		}
		pages = append(pages, name)
		return known(name)
	})
	flag.Parse()
	if *claims {
		if err := judgeRuns(".", flag.Args(), *fewer); err != nil {
			fmt.Fprintln(os.Stderr, "docs:", err)
			os.Exit(2)
		}
	}
	stale, err := run(".", *check, pages)
	if err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(2)
	}
	if len(stale) > 0 && *check {
		fmt.Printf("not current: %s; go run ./tools/docs rewrites them\n",
			strings.Join(stale, ", "))
		os.Exit(1)
	}
}

// known reports a page that is none of those that have generated parts.
func known(page string) error {
	if slices.Contains(readmes, page) {
		return nil
	}
	return fmt.Errorf("there is no such page; known: %s", strings.Join(readmes, ", "))
}

// run brings pages below a folder up to date, and first the list of evidence, which commands print;
// or it only compares them. It returns those that were not up to date.
func run(top string, check bool, pages []string) (stale []string, err error) {
	if old, err := writeEvidence(top, check); err != nil {
		return nil, err
	} else if old {
		stale = append(stale, evidenceFile)
	}
	c, err := newConsole(top, "")
	if err != nil {
		return nil, err
	}
	defer c.close()
	for _, name := range pages {
		path := filepath.Join(top, name)
		old, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if err := c.begin(top); err != nil {
			return nil, err
		}
		text, err := rewrite(string(old), top, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if text == string(old) {
			continue
		}
		stale = append(stale, name)
		if !check {
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				return nil, err
			}
		}
	}
	return stale, nil
}

// rewrite returns a README with its generated parts made anew.
func rewrite(text, top string, c *console) (string, error) {
	text, err := replaceBlocks(text, top)
	if err != nil {
		return "", err
	}
	return c.replaceOutputs(text)
}
