package toolbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/compile"
)

// newKit returns what strategies are compiled with.
func newKit(offline bool) (*compile.Kit, error) {
	tree, err := compile.Carried()
	if err != nil {
		return nil, err
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	return &compile.Kit{Source: tree, Cache: filepath.Join(dir, "hansa", "compiled"),
		Now: time.Now(), Offline: offline}, nil
}

// Names says which strategies there are.
func (s Strategies) Names() string {
	var names []string
	for _, one := range s {
		names = append(names, one.Path)
	}
	return strings.Join(names, ", ")
}

// Program returns a program with strategies compiled in that is there: this one, or one that was
// made before; else "".
func (s Strategies) Program() (string, error) {
	own := Compiled()
	lacking := 0
	for _, one := range s {
		if _, ok := own[one.Digest()]; !ok {
			lacking++
		}
	}
	if lacking == 0 {
		return os.Executable()
	}
	kit, err := newKit(true)
	if err != nil {
		return "", nil // there is no cache, and so nothing in it
	}
	path, _ := kit.Made(s)
	return path, nil
}

// Compile returns a program with strategies compiled in. An error that is no mistake in a strategy
// is a fault.
func (s Strategies) Compile(ctx context.Context, offline bool) (string, error) {
	kit, err := newKit(offline)
	if err != nil {
		return "", fault.Of(fmt.Errorf("--strategies compiled: %w", err))
	}
	path, err := kit.Program(ctx, s)
	switch {
	case errors.Is(err, ctx.Err()) && ctx.Err() != nil:
		return "", fault.ErrInterrupted
	case err == nil || errors.As(err, new(study.Problems)):
		return path, err
	case errors.Is(err, compile.ErrNoToolchain):
		err = fmt.Errorf("%w; --strategies interpreted needs none", err)
	}
	return "", fault.Of(fmt.Errorf("--strategies compiled: %w", err))
}

// Blame returns where a process died, from where it was last seen and what it wrote: the line of a
// strategy that a stack has first, and what was called. A process that died at once was seen
// nowhere; then the stack has the name of the function.
func (s Strategies) Blame(at, written string) string {
	above := ""
	for line := range strings.Lines(written) {
		for _, one := range s {
			if pos, _, ok := one.Compiled(line); ok {
				_, called, _ := strings.Cut(at, ": ")
				if at == "" {
					called = inStack.ReplaceAllString(above, "$1")
				}
				return strings.TrimSuffix(pos.String()+": "+called, ": ")
			}
		}
		above = strings.TrimSuffix(line, "\n")
	}
	return at
}

// inStack finds the name of a function or a method in a line of a stack.
var inStack = regexp.MustCompile(`^.*\.(\w+)(?:\[\.\.\.\])?\(.*\)$|^.*$`)
