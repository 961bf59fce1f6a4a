package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/exam"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/tools/hansa/console"
)

// examFlags say how strategies are examined, and how much is said of that.
type examFlags struct{ quiet, parity bool }

// examine says what was found of a strategy.
func (c *command) examine(ctx context.Context, path string, f examFlags) (string, error) {
	s, found, err := session.Examine(ctx, path)
	if err != nil {
		return "", err
	}
	text := c.findings(s, found, f.quiet)
	if f.parity {
		compared, err := session.Parity(ctx, path)
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf("%s%s, interpreted and compiled: the same bits\n", console.Margin,
			phrase.Count(compared, "result", "results"))
	}
	return text, nil
}

// findings says what was found of a strategy that meets the requirements of its kind.
func (c *command) findings(s *plugins.Strategy, found *exam.Examined, quiet bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", s.Path, phrase.Count(len(s.Entries), "component", "components"))
	if quiet {
		return b.String()
	}
	for _, e := range s.Entries {
		fmt.Fprintf(&b, "%s%s %s meets %s\n", console.Margin, e.Kind, c.Paint(c.Out, console.Bold,
			e.Name),
			phrase.Count(found.Requirements[e.Kind], "requirement", "requirements"))
		for _, speed := range found.Speeds {
			if speed.Kind != e.Kind || speed.Name != e.Name {
				continue
			}
			fmt.Fprintf(&b, "%s%s%s\n", console.Margin, console.Margin, &speed)
			if speed.Slow != "" {
				fmt.Fprintf(&b, "%s%swarning: %s\n", console.Margin, console.Margin, speed.Slow)
			}
		}
	}
	if len(found.Unreached) > 0 {
		fmt.Fprintf(&b, "%snot reached by any check: %s\n", console.Margin,
			strings.Join(found.Unreached, ", "))
	}
	return b.String()
}
