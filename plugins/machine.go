package plugins

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"github.com/traefik/yaegi/interp"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/symbols"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// Import paths within the interpreter.
const (
	ownPath  = "strategy"
	stopPath = "hansa/stop"
)

// A machine is one evaluation of a strategy, in an interpreter of its own.
type machine struct {
	pkg    *vet.Package
	values map[string]reflect.Value // the exported names of the strategy
	line   reflect.Value            // the position variable
	place  *int                     // the same, for peek
	said   *firstLine               // what the interpreter says of a panic
	ctx    context.Context          // done: the interpreter is stopped for good
	stop   context.CancelFunc
	budget time.Duration // of a call; 0: there is none

	mu    sync.Mutex // held during a call
	calls *calls     // that have not returned, of all machines of a strategy
}

// newMachine evaluates a strategy that was vetted. It lives until ctx is done or nobody has it.
func newMachine(ctx context.Context, pkg *vet.Package, budget time.Duration) (*machine, error) {
	return build(ctx, pkg, budget, symbols.Table())
}

func build(
	ctx context.Context, pkg *vet.Package, budget time.Duration, table interp.Exports,
) (*machine, error) {
	files := fstest.MapFS{}
	for i, f := range pkg.Lowered {
		files[filepath.Join("src", ownPath, fileName(i))] = &fstest.MapFile{Data: []byte(f.Text)}
	}
	m := &machine{pkg: pkg, said: new(firstLine), budget: budget, calls: new(calls)}
	in := interp.New(interp.Options{SourcecodeFilesystem: files, Stdout: m.said, Stderr: m.said})
	if err := in.Use(table); err != nil {
		return nil, err
	}
	if err := m.evaluate(ctx, in); err != nil {
		return nil, err
	}
	m.values = in.Symbols(ownPath)[ownPath]
	m.line = m.values[vet.PositionVariable]
	m.place = m.line.Addr().Interface().(*int)
	m.ctx, m.stop = context.WithCancel(ctx)
	if err := readyStop(m.ctx, in); err != nil {
		return nil, err
	}
	runtime.AddCleanup(m, func(stop context.CancelFunc) { stop() }, m.stop)
	return m, nil
}

// fileName returns how the i-th file of a strategy is called within the interpreter.
func fileName(i int) string { return fmt.Sprintf("%05d.go", i) }

// evaluate runs the declarations of the strategy.
func (m *machine) evaluate(ctx context.Context, in *interp.Interpreter) error {
	if m.budget > 0 {
		within, cancel := context.WithTimeout(ctx, m.budget)
		defer cancel()
		ctx = within
	}
	_, err := in.EvalWithContext(ctx, fmt.Sprintf("import %q", ownPath))
	if err == nil {
		return nil
	}
	var p interp.Panic
	if errors.As(err, &p) {
		err = fmt.Errorf("%v", p.Value)
	}
	at, message := m.pkg.At(0), err.Error()
	if place := saidPlace.FindStringSubmatch(message); place != nil {
		at, message = m.pkg.At(position(place)), place[4]
	}
	return study.Problems{{Pos: at, Message: "the interpreter cannot run this: " + message,
		Hint: "it is valid Go; write it more simply, or build it in"}}
}

// readyStop prepares to stop everything that runs in the interpreter once ctx is done. The
// interpreter offers that only to whoever evaluates something under ctx, so something is
// evaluated that does nothing but wait.
func readyStop(ctx context.Context, in *interp.Interpreter) error {
	started, over := make(chan struct{}), make(chan struct{})
	wait := func() { close(started); <-over }
	table := interp.Exports{stopPath + "//stop": {"Wait": reflect.ValueOf(wait)}}
	if err := in.Use(table); err != nil {
		return err
	}
	if _, err := in.Eval(fmt.Sprintf("import %q", stopPath)); err != nil {
		return err
	}
	go func() {
		// It ends with ctx's error, and with it the wait.
		_, _ = in.EvalWithContext(ctx, "stop.Wait()")
		close(over)
	}()
	<-started
	return nil
}

// call runs f, which calls a method of the component called name, and returns what went wrong.
func (m *machine) call(name, method string, f func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	fault := &Fault{Name: name, Call: method}
	if m.ctx.Err() != nil {
		fault.Pos, fault.Message, fault.Timeout = m.pkg.At(0), "was stopped before", true
		return fault
	}
	m.said.reset()
	m.line.SetInt(0)
	now := m.calls.begin(m, name, method)
	defer m.calls.end(now)
	expired := m.watch(now)
	wrong, at := m.protected(f)
	if wrong != nil {
		fault.Message = wrongText(wrong)
	}
	switch {
	case expired():
		fault.Message, fault.Timeout = fmt.Sprintf("took longer than %v", m.budget), true
	case m.ctx.Err() != nil:
		fault.Message, fault.Timeout = "was stopped", true
	case fault.Message == "":
		return nil
	}
	fault.Pos = m.pkg.At(at)
	if place := saidPlace.FindStringSubmatch(m.said.line); place != nil && !fault.Timeout {
		inner := position(place)
		fault.Pos, fault.Hint = m.pkg.Blame(at, inner)
	}
	return fault
}

// watch stops the interpreter when the budget of a call is used up. What it returns ends the
// watch and says whether it was.
func (m *machine) watch(c *call) func() bool {
	if m.budget == 0 {
		return func() bool { return false }
	}
	c.timer = time.AfterFunc(m.budget, m.stop)
	return func() bool {
		inTime := c.timer.Stop()
		if !inTime {
			m.stop() // the timer may not have come to it
		}
		return !inTime
	}
}

// protected runs f and returns its error or what it panicked with, if anything, and the
// position at its end.
func (m *machine) protected(f func() error) (wrong any, at int) {
	defer func() {
		if p := recover(); p != nil {
			wrong = panicked{p}
		}
		at = int(m.line.Int())
	}()
	if err := f(); err != nil {
		wrong = err
	}
	return wrong, at
}

// panicked is what a strategy panicked with.
type panicked struct{ value any }

// wrongText returns what an error or a panic says. That may be code of the strategy, too,
// which may panic.
func wrongText(wrong any) (text string) {
	text = "an error that cannot say what it is"
	defer func() { _ = recover() }()
	if p, ok := wrong.(panicked); ok {
		return panicText(p.value)
	}
	if said := wrong.(error).Error(); said != "" {
		text = said
	}
	return text
}

// panicText returns what a panic says, in the words of Go where the interpreter has others.
func panicText(p any) string {
	if v, ok := p.(reflect.Value); ok && v.IsValid() && v.CanInterface() {
		p = v.Interface() // of panic(err)
	}
	text := fmt.Sprint(p)
	for _, prefix := range []string{"runtime error: ", "reflect: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	switch {
	case strings.HasPrefix(text, "slice index out of range"),
		strings.HasPrefix(text, "array index out of range"):
		text = "index out of range"
	case strings.HasPrefix(text, "call of reflect.Value.") && strings.HasSuffix(text, "zero Value"):
		text = "invalid memory address or nil pointer dereference"
	}
	return "panic: " + text
}

// saidPlace finds a place of a strategy in the words of the interpreter: the file's index, the
// line, the column and what is said.
var saidPlace = regexp.MustCompile(`^(?:\S*?(\d{5})\.go:)?(\d+):(\d+): (.*)`)

// position returns the position of a place that was said.
func position(place []string) int {
	file, _ := strconv.Atoi(place[1]) // nothing is the first
	line, _ := strconv.Atoi(place[2])
	return vet.Position(file, line)
}

// firstLine keeps the first line that is written to it: the interpreter says the innermost
// function of a panic first.
type firstLine struct {
	line string
	full bool
}

func (f *firstLine) reset() { *f = firstLine{} }

// Write implements io.Writer.
func (f *firstLine) Write(p []byte) (int, error) {
	if !f.full {
		line, _, ended := strings.Cut(string(p), "\n")
		f.line += line
		f.full = ended
	}
	return len(p), nil
}
