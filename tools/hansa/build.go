package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/plugins/symbols"
)

func (c *command) buildCommand() *cobra.Command {
	var with []string
	var out, source string
	cmd := &cobra.Command{
		Use:     "build --with PATH…",
		GroupID: "plan",
		Short:   "Build a hansa with strategies compiled in",
		Long: "Build a program that is hansa with strategies compiled in: where an experiment " +
			"names a file or folder with exactly that code, it runs at the speed of what is " +
			"built in, and gives the same bits. A changed file is interpreted as before. This " +
			"takes a Go toolchain and the source of hansa; nothing is written into either.",
		Example: "  hansa build --with mine -o hansa-mine\n  ./hansa-mine run mine/mine.toml",
		Args:    want(0, 0, "nothing but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(with) == 0 {
				return errors.New("--with PATH: name a strategy to compile")
			}
			if err := c.build(cmd.Context(), with, out, source); err != nil {
				return err
			}
			c.say("%s has %s compiled in", out, strings.Join(with, ", "))
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&with, "with", nil,
		"compile the strategy at `PATH`, a Go file or a folder")
	cmd.Flags().StringVarP(&out, "output", "o", "hansa-with", "write the program to `FILE`")
	cmd.Flags().StringVar(&source, "source", "",
		"`FOLDER` with the source of hansa (default where the module of this folder has it)")
	return cmd
}

// build builds a program with strategies compiled in.
func (c *command) build(ctx context.Context, with []string, out, source string) error {
	top, err := sourceOf(ctx, source)
	if err != nil {
		return err
	}
	list, err := interpretAll(with) // what cannot be interpreted is not built
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "hansa-build-")
	if err != nil {
		return faulty(err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left of it does no harm
	overlay, err := overlayOf(top, dir, list)
	if err != nil {
		return faulty(err)
	}
	if out, err = filepath.Abs(out); err != nil {
		return faulty(err)
	}
	if runtime.GOOS == "windows" && filepath.Ext(out) == "" {
		out += ".exe"
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", out, "./tools/hansa")
	cmd.Dir = top
	if said, err := cmd.CombinedOutput(); err != nil {
		return faulty(fmt.Errorf("go build: %w\n%s", err, bytes.TrimSpace(said)))
	}
	return nil
}

// sourceOf returns the folder with the source of hansa.
func sourceOf(ctx context.Context, flag string) (string, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return "", faulty(errors.New("this needs a Go toolchain: there is no go in the path"))
	}
	if flag != "" {
		if !isSource(flag) {
			return "", fmt.Errorf("--source %s: that is not the source of hansa", flag)
		}
		return filepath.Abs(flag)
	}
	list := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", symbols.Path)
	said, err := list.Output()
	dir := strings.TrimSpace(string(said))
	if err != nil || !isSource(dir) {
		return "", errors.New("the source of hansa is not here: " +
			"go into a checkout, or name one with --source FOLDER")
	}
	return dir, nil
}

// isSource reports whether a folder has the source of hansa.
func isSource(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "tools", "hansa", "compiled.go"))
	return err == nil
}

// overlayOf writes what go build is to see over the source of hansa, and returns the file that
// says so: each strategy as a package of its own, and a list of them.
func overlayOf(top, dir string, list strategies) (string, error) {
	replace := map[string]string{}
	put := func(place, text string) error {
		file := filepath.Join(dir, fmt.Sprintf("%d.go", len(replace)))
		replace[filepath.Join(top, filepath.FromSlash(place))] = file
		return os.WriteFile(file, []byte(text), 0o666)
	}
	for k, s := range list {
		for i, f := range s.Files {
			if err := put(fmt.Sprintf("plugins/compiled/s%d/%d.go", k, i), f.Text); err != nil {
				return "", err
			}
		}
	}
	text, err := listOf(list)
	if err != nil {
		return "", err
	}
	if err := put("tools/hansa/compiled.go", text); err != nil {
		return "", err
	}
	content, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, content, 0o666)
}

// listOf returns the file that lists compiled strategies.
func listOf(list strategies) (string, error) {
	var imports, entries strings.Builder
	for k, s := range list {
		fmt.Fprintf(&imports, "s%d \"%s/plugins/compiled/s%[1]d\"\n", k, symbols.Path)
		fmt.Fprintf(&entries, "{digest: %q, add: func(r *registry.Registry) error {\n"+
			"const d = %[1]q\nreturn errors.Join(\n", s.Digest())
		for _, e := range s.Entries {
			fmt.Fprintf(&entries, "r.%s.Add(sourced(s%d.%s, d)),\n", tableOf(e), k, e.Variable)
		}
		entries.WriteString(")\n}},\n")
	}
	text := fmt.Sprintf(`// Code generated by hansa build. DO NOT EDIT.

package main

import (
	"errors"

	"%[1]s/framework/fl"
	"%[1]s/registry"
	%[2]s)

type compiledStrategy struct {
	digest string
	add    func(r *registry.Registry) error
}

func compiledStrategies() []compiledStrategy {
	return []compiledStrategy{
%[3]s	}
}

func sourced[T any](e fl.Entry[T], digest string) fl.Entry[T] {
	e.Source = digest
	return e
}
`, symbols.Path, imports.String(), entries.String())
	formatted, err := format.Source([]byte(text))
	return string(formatted), err
}

// tableOf returns the table of a registry that an entry belongs to.
func tableOf(e plugins.Entry) string {
	return map[string]string{"aggregator": "Aggregators", "local": "LocalRules",
		"importance": "Importances", "enrollment": "Enrollments", "availability": "Availability",
		"selection": "Selections", "partition": "Partitioners", "preprocess": "Preprocessors",
		"metrics": "Metrics"}[e.Kind]
}
