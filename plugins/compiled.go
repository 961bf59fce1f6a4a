package plugins

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// Compiled is what the compiler made of a strategy: the variables that describe its components, by
// name, each as a pointer to an fl.Entry.
type Compiled map[string]any

// CompiledFolder is where the packages of compiled strategies lie in the module, each in a folder
// called after its code, with files that are numbered.
const CompiledFolder = "plugins/compiled"

// CompiledName is what the folder of a compiled strategy is called.
func (s Source) CompiledName() string { return "x" + s.Hash[:16] }

// LoadCompiled is Load for a strategy that is compiled into this program. It is vetted as well.
func LoadCompiled(
	ctx context.Context, source Source, budget time.Duration, c Compiled,
) (*Strategy, error) {
	return loadBy(ctx, source, budget, compiler{c, source.CompiledName(), methodsOf(source.Files)})
}

// A compiler has a package run by the processor. It is the interpreter of packages that are part
// of this program.
type compiler struct {
	entries Compiled
	folder  string         // of the package
	methods map[string]int // where those begin of whose name there is one
}

// evaluate implements interpreter: there is nothing left to do.
func (c compiler) evaluate(context.Context, *vet.Package) (evaluation, error) {
	return &compiledEvaluation{compiler: c}, nil
}

// A compiledEvaluation is a package that is part of this program. Nothing can stop it but the end
// of the process, and it does not say where it runs: that is read off the stacks.
type compiledEvaluation struct {
	compiler
	line int // the position variable: where a method begins, or where it panicked

	seen  atomic.Int64 // the position at the latest look
	looks looks
}

// value implements evaluation.
func (e *compiledEvaluation) value(name string) reflect.Value {
	if name == vet.PositionVariable {
		return reflect.ValueOf(&e.line).Elem()
	}
	return reflect.ValueOf(e.entries[name]).Elem()
}

// stopAt implements evaluation: it cannot.
func (e *compiledEvaluation) stopAt(context.Context) error { return nil }

// stoppable implements evaluation.
func (e *compiledEvaluation) stoppable() bool { return false }

// listen implements evaluation. An error that a method returns says nothing of its line.
func (e *compiledEvaluation) listen(method string) {
	e.line = e.methods[method]
	e.seen.Store(int64(e.line))
	e.looks.begin()
}

// blame implements evaluation: the position variable has it.
func (e *compiledEvaluation) blame() (int, bool) { return 0, false }

// words implements evaluation.
func (e *compiledEvaluation) words(p any) string {
	return strings.TrimPrefix(fmt.Sprint(p), "runtime error: ")
}

// raised implements evaluation: the frames of what panicked are still on the stack.
func (e *compiledEvaluation) raised() {
	const deepest = 1 << 12
	pcs := make([]uintptr, deepest)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		f, more := frames.Next()
		if at, ok := e.place(fmt.Sprintf("%s:%d", f.File, f.Line)); ok {
			e.line = at
			return
		}
		if !more {
			return
		}
	}
}

// peek implements evaluation.
func (e *compiledEvaluation) peek() int {
	e.looks.take(e.look)
	return int(e.seen.Load())
}

// look looks at the stacks, which stops all goroutines for a moment.
func (e *compiledEvaluation) look() {
	const largest = 1 << 20
	stacks := make([]byte, largest)
	stacks = stacks[:runtime.Stack(stacks, true)]
	if at, ok := e.place(string(innermost(stacks, e.folder))); ok {
		e.seen.Store(int64(at))
	}
}

// innermost returns the stack of the goroutine that runs code of a package, or else one that has
// called from there.
func innermost(stacks []byte, folder string) []byte {
	var found []byte
	for stack := range bytes.SplitSeq(stacks, []byte("\n\n")) {
		if !bytes.Contains(stack, []byte("/"+folder+"/")) {
			continue
		}
		head, _, _ := bytes.Cut(stack, []byte("\n"))
		if bytes.Contains(head, []byte("[runn")) { // running or runnable
			return stack
		}
		if found == nil {
			found = stack
		}
	}
	return found
}

// place returns the position of the first line of the package that a text names.
func (e *compiledEvaluation) place(text string) (int, bool) {
	for _, p := range CompiledPlaces(text) {
		if p.Folder == e.folder {
			return vet.Position(p.File, p.Line), true
		}
	}
	return 0, false
}

// A CompiledPlace is a line of a compiled strategy, as the Go toolchain and stacks name it.
type CompiledPlace struct {
	Folder     string // see Source.CompiledName
	File, Line int    // index of the file, and line from 1
	To         int    // where the text has named it
}

// inCompiled finds such places.
var inCompiled = regexp.MustCompile(`[^\s:]*` + CompiledFolder +
	`[/\\](x[0-9a-f]{16})[/\\](\d+)\.go:(\d+)(?::\d+)?`)

// CompiledPlaces returns the lines of compiled strategies that a text names.
func CompiledPlaces(text string) (list []CompiledPlace) {
	for _, m := range inCompiled.FindAllStringSubmatchIndex(text, -1) {
		file, _ := strconv.Atoi(text[m[4]:m[5]]) // digits
		line, _ := strconv.Atoi(text[m[6]:m[7]])
		list = append(list, CompiledPlace{Folder: text[m[2]:m[3]], File: file, Line: line,
			To: m[1]})
	}
	return list
}

// CompiledFile returns the name that the i-th file of the strategy has where it is compiled.
func (s Source) CompiledFile(i int) string {
	return path.Join(CompiledFolder, s.CompiledName(), strconv.Itoa(i)+".go")
}

// Compiled returns the first line of the strategy that a text names as it is compiled, and what the
// text says of it.
func (s *Strategy) Compiled(text string) (at study.Pos, message string, ok bool) {
	for _, p := range CompiledPlaces(text) {
		if p.Folder == s.CompiledName() && p.File < len(s.Files) {
			return s.pkg.At(vet.Position(p.File, p.Line)), strings.TrimLeft(text[p.To:], ": "), true
		}
	}
	return at, "", false
}
