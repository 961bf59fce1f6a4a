package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/registry/contract"
)

// isStrategy reports whether a path is a Go file, or a folder of them.
func isStrategy(path string) bool {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return true
	}
	return filepath.Ext(path) == ".go"
}

// examFlags say how strategies are examined, and how much is said of that.
type examFlags struct{ quiet, parity bool }

// examine vets a strategy, asks of its components what the contract asks of every one, and
// measures how fast they are. What is wrong is returned as problems.
func (c *command) examine(ctx context.Context, path string, f examFlags) (string, error) {
	list, err := interpretAll([]string{path})
	if err != nil {
		return "", err
	}
	s := strategy{list[0]}
	found, err := examination(ctx, s, true)
	if err != nil {
		return "", err
	}
	if problems := s.problems(found.Violations); len(problems) > 0 {
		return "", problems
	}
	text := c.findings(s, found, f.quiet)
	if f.parity {
		compared, err := c.parity(ctx, path)
		if err != nil {
			return "", err
		}
		text += compared
	}
	return text, nil
}

// strategy is one of the user's.
type strategy struct{ *plugins.Strategy }

// problems returns violations of the contract as problems at the author's lines.
func (s strategy) problems(list []contract.Violation) study.Problems {
	var problems study.Problems
	for _, v := range list {
		at, message := s.Locate(v.Found)
		if at == (study.Pos{}) {
			i := slices.IndexFunc(s.Entries, func(e plugins.Entry) bool {
				return e.Name == v.Component && e.Kind == v.Kind
			})
			if i >= 0 {
				at = s.Entries[i].Pos
			}
		}
		problems = append(problems, study.Problem{Pos: at, Hint: "the contract: " + v.Terms(),
			Message: fmt.Sprintf("%s %s: %s: %s", v.Kind, v.Component, v.Check, message)})
	}
	return problems
}

// findings says what was found of a strategy that keeps its promises.
func (c *command) findings(s strategy, found *examined, quiet bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", s.Path, count(len(s.Entries), "component", "components"))
	if quiet {
		return b.String()
	}
	for _, e := range s.Entries {
		fmt.Fprintf(&b, "%s%s %s keeps %s\n", margin, e.Kind, c.paint(c.out, bold, e.Name),
			count(found.Promises[e.Kind], "promise", "promises"))
		for _, speed := range found.Speeds {
			if speed.Kind != e.Kind || speed.Name != e.Name {
				continue
			}
			fmt.Fprintf(&b, "%s%s%s\n", margin, margin, &speed)
			if speed.Slow != "" {
				fmt.Fprintf(&b, "%s%swarning: %s\n", margin, margin, speed.Slow)
			}
		}
	}
	if len(found.Unreached) > 0 {
		fmt.Fprintf(&b, "%snot reached by any question: %s\n", margin,
			strings.Join(found.Unreached, ", "))
	}
	return b.String()
}
