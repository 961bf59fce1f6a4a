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
	"testing/fstest"

	"github.com/traefik/yaegi/interp"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/normal"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// Import paths within the interpreter.
const (
	ownPath  = "strategy"
	stopPath = "hansa/stop"
)

// yaegi is the interpreter of that name, with the symbols that packages may use.
type yaegi struct{ symbols interp.Exports }

// evaluate implements interpreter.
func (y yaegi) evaluate(ctx context.Context, pkg *vet.Package) (evaluation, error) {
	files := fstest.MapFS{
		filepath.Join("src", ownPath, normal.File): &fstest.MapFile{Data: []byte(pkg.Core)}}
	e := &yaegiEvaluation{said: new(firstLine)}
	e.in = interp.New(interp.Options{SourcecodeFilesystem: files, Stdout: e.said, Stderr: e.said})
	if err := e.in.Use(y.symbols); err != nil {
		return nil, err
	}
	if _, err := e.in.EvalWithContext(ctx, fmt.Sprintf("import %q", ownPath)); err != nil {
		return nil, refused(pkg, err)
	}
	e.values = e.in.Symbols(ownPath)[ownPath]
	e.place = e.value(vet.PositionVariable).Addr().Interface().(*int)
	return e, nil
}

// refused explains why the interpreter cannot run a package that was vetted.
func refused(pkg *vet.Package, err error) study.Problems {
	var p interp.Panic
	if errors.As(err, &p) {
		err = fmt.Errorf("%v", p.Value)
	}
	at, message := pkg.At(0), err.Error()
	if place := saidPlace.FindStringSubmatch(message); place != nil {
		at, message = pkg.At(position(place)), place[3]
	}
	return study.Problems{{Pos: at, Message: "the interpreter cannot run this: " + message,
		Hint: "it is valid Go; write it more simply, or build it in"}}
}

// A yaegiEvaluation is a package in an interpreter of its own.
type yaegiEvaluation struct {
	in     *interp.Interpreter
	values map[string]reflect.Value // the exported names of the package
	said   *firstLine               // what the interpreter says of a panic
	place  *int                     // the position variable
}

// value implements evaluation.
func (e *yaegiEvaluation) value(name string) reflect.Value { return e.values[name] }

// stopAt implements evaluation. The interpreter offers that only to the caller that evaluates
// something under ctx, so something is evaluated that does nothing but wait.
func (e *yaegiEvaluation) stopAt(ctx context.Context) error {
	started, over := make(chan struct{}), make(chan struct{})
	wait := func() {
		close(started)
		<-over
		runtime.Goexit() // it would look at variables that the strategy may still write
	}
	table := interp.Exports{stopPath + "//stop": {"Wait": reflect.ValueOf(wait)}}
	if err := e.in.Use(table); err != nil {
		return err
	}
	if _, err := e.in.Eval(fmt.Sprintf("import %q", stopPath)); err != nil {
		return err
	}
	in := e.in
	go func() {
		// It ends with ctx's error, and with it the wait.
		_, _ = in.EvalWithContext(ctx, "stop.Wait()")
		close(over)
	}()
	<-started
	return nil
}

// stoppable implements evaluation.
func (e *yaegiEvaluation) stoppable() bool { return true }

// raised implements evaluation: the interpreter says where on its own.
func (e *yaegiEvaluation) raised() {}

// peek implements evaluation: what it reads may be a moment old.
//
//go:norace
func (e *yaegiEvaluation) peek() int { return *e.place }

// listen implements evaluation.
func (e *yaegiEvaluation) listen(string) { e.said.reset() }

// blame implements evaluation.
func (e *yaegiEvaluation) blame() (int, bool) {
	place := saidPlace.FindStringSubmatch(e.said.line)
	if place == nil {
		return 0, false
	}
	return position(place), true
}

// words implements evaluation: where yaegi works by reflection, its panics say so.
func (e *yaegiEvaluation) words(p any) string {
	if v, ok := p.(reflect.Value); ok && v.IsValid() && v.CanInterface() {
		p = v.Interface() // of panic(err)
	}
	text := strings.TrimPrefix(fmt.Sprint(p), "runtime error: ")
	for _, of := range reflected {
		if of.said.MatchString(text) {
			return of.said.ReplaceAllString(text, of.words)
		}
	}
	return text
}

// reflected are the panics of reflection, and what Go says instead. Of an index and of bounds that
// are out of range reflection does not say the numbers.
var reflected = []struct {
	said  *regexp.Regexp
	words string
}{
	{regexp.MustCompile(`^reflect: (slice|array|string) index out of range$`),
		"index out of range"},
	{regexp.MustCompile(`^reflect\.Value\.Slice3?: .*index out of bounds$`),
		"slice bounds out of range"},
	{regexp.MustCompile(`^(reflect: )?call of reflect\.Value\..*zero Value$`), nilPointer},
	{regexp.MustCompile(`^reflect\.Value\.Call: call of nil function$`), nilPointer},
	{regexp.MustCompile(`^reflect\.MakeSlice: negative len$`), "makeslice: len out of range"},
	{regexp.MustCompile(`^reflect\.MakeSlice: (negative cap|len > cap)$`),
		"makeslice: cap out of range"},
	{regexp.MustCompile(`^reflect: (cannot convert slice with length \d+ to )(?:pointer to )?` +
		`array( with length \d+)$`), "${1}array or pointer to array${2}"},
	{regexp.MustCompile(`^reflect: (.*)$`), "$1"},
}

// nilPointer is what Go says where a pointer or a function is nil.
const nilPointer = "invalid memory address or nil pointer dereference"

// saidPlace finds a place of a strategy in the words of the interpreter: its position as a line,
// a column and what is said.
var saidPlace = regexp.MustCompile(`^(?:\S*?\.go:)?(\d+):(\d+): (.*)`)

// position returns the position of a place that was said.
func position(place []string) int {
	at, _ := strconv.Atoi(place[1]) // the expression has seen that it can be
	return at
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
