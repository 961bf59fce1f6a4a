package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A console runs the commands of a README in an empty folder that has the experiments and the
// strategies that these name.
type console struct {
	top  string // of the repository
	bin  string // the folder of hansa; "": the first command builds it
	own  bool   // bin is the console's, which removes it
	work string // with experiments, plugins and, once something ran, runs
}

// newConsole returns a console in a new folder, with the program in the folder bin; "": the console
// builds it for its first command.
func newConsole(top, bin string) (*console, error) {
	work, err := os.MkdirTemp("", "hansa-docs")
	if err != nil {
		return nil, err
	}
	c := &console{top: top, bin: bin, work: work}
	return c, c.begin(top)
}

// build builds hansa in a new folder, which it returns.
func build(top string) (bin string, err error) {
	if bin, err = os.MkdirTemp("", "hansa-docs"); err != nil {
		return "", err
	}
	path := filepath.Join(bin, "hansa")
	if built := os.Getenv("HANSA_PROGRAM"); built != "" { // by tools/check
		return bin, os.Symlink(built, path)
	}
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, "./tools/hansa")
	cmd.Dir = top
	if out, err := cmd.CombinedOutput(); err != nil {
		os.RemoveAll(bin)
		return "", fmt.Errorf("building hansa: %w\n%s", err, out)
	}
	return bin, nil
}

// begin empties the folder for the next README.
func (c *console) begin(top string) error {
	top, err := filepath.Abs(top)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(c.work); err != nil {
		return err
	}
	if err := os.Mkdir(c.work, 0o777); err != nil {
		return err
	}
	for _, name := range []string{"experiments", "plugins"} {
		if err := os.Symlink(filepath.Join(top, name), filepath.Join(c.work, name)); err != nil {
			return err
		}
	}
	return nil
}

// close removes the folders of the console.
func (c *console) close() {
	os.RemoveAll(c.work)
	if c.own {
		os.RemoveAll(c.bin)
	}
}

const (
	fence  = "```console\n"
	prompt = "$ "
)

// replaceOutputs runs every hansa command in the console blocks of a text and puts what
// it prints behind it. Commands of other programs keep what stands there.
func (c *console) replaceOutputs(text string) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, fence)
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		block, after, closed := strings.Cut(rest, "```\n")
		if !closed {
			return "", fmt.Errorf("a console block has no end")
		}
		body, err := c.replay(block)
		if err != nil {
			return "", err
		}
		out.WriteString(fence + body + "```\n")
		text = after
	}
}

// replay returns a console block with the outputs that its commands have now.
func (c *console) replay(block string) (string, error) {
	var out strings.Builder
	ours := false
	for line := range strings.Lines(block) {
		command, is := strings.CutPrefix(strings.TrimSuffix(line, "\n"), prompt)
		if !is {
			if !ours {
				out.WriteString(line)
			}
			continue
		}
		out.WriteString(line)
		command = strings.Replace(command, "go run ./tools/hansa", "hansa", 1)
		var args string
		args, ours = strings.CutPrefix(command, "hansa ")
		if ours {
			printed, err := c.run(args)
			if err != nil {
				return "", fmt.Errorf("%s: %w", command, err)
			}
			out.WriteString(printed)
		}
	}
	return out.String(), nil
}

// run runs one hansa command by a shell and returns what it prints to standard output. It
// may fail: that is what some examples show.
func (c *console) run(args string) (string, error) {
	if c.bin == "" {
		bin, err := build(c.top)
		if err != nil {
			return "", err
		}
		c.bin, c.own = bin, true
	}
	cmd := exec.Command("sh", "-c", "hansa "+args)
	cmd.Dir = c.work
	path := c.bin + string(os.PathListSeparator) + os.Getenv("PATH")
	cmd.Env = append(os.Environ(), "PATH="+path, "NO_COLOR=1",
		"HANSA_STRATEGIES=interpreted") // what is printed does not depend on how long it takes
	printed, err := cmd.Output()
	if _, failed := err.(*exec.ExitError); failed {
		err = nil
	}
	return string(printed), err
}
