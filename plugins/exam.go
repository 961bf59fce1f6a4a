package plugins

import (
	"context"
	"fmt"
	"go/scanner"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/traefik/yaegi/interp"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/plugins/symbols"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// An Exam watches the statements of a strategy while it is examined. Every statement says that it
// begins, which takes longer than many of them do: only an examination has the time.
type Exam struct {
	// Place is where the statement that runs is noted, for another process to read; nil: nowhere.
	Place *int64
	// Blame says to look after every statement whether it wrote to what may only be read.
	Blame bool

	begun      atomic.Int64
	mu         sync.Mutex
	statements map[int]*atomic.Bool // by position: whether it has run
}

// Begun returns how many statements have begun so far, one that ran twice counted twice.
func (e *Exam) Begun() int64 { return e.begun.Load() }

// LoadExam is Load for an examination, which watches all that is built of the strategy.
func LoadExam(
	ctx context.Context, source Source, budget time.Duration, exam *Exam,
) (*Strategy, error) {
	return loadBy(ctx, source, budget, tracing{exam})
}

// At returns the line of a statement, as an Exam notes its place; of 0, none.
func (s *Strategy) At(place int64) study.Pos {
	if place == 0 {
		return study.Pos{}
	}
	return s.pkg.At(int(place))
}

// A Gap is statements that stand one after another and have not run.
type Gap struct {
	File     string
	From, To int // lines
}

// Unreached returns the statements of a strategy that have not run, in the order of files and
// lines.
func (s *Strategy) Unreached(e *Exam) (gaps []Gap) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []int
	for at := range e.statements {
		all = append(all, at)
	}
	slices.Sort(all)
	open := false
	for _, at := range all {
		if e.statements[at].Load() {
			open = false
			continue
		}
		pos := s.pkg.At(at)
		last := len(gaps) - 1
		if open && gaps[last].File == pos.File {
			gaps[last].To = pos.Line
		} else {
			gaps = append(gaps, Gap{pos.File, pos.Line, pos.Line})
		}
		open = true
	}
	return gaps
}

// String returns the lines as an editor finds them.
func (g Gap) String() string {
	if g.From == g.To {
		return fmt.Sprintf("%s:%d", g.File, g.From)
	}
	return fmt.Sprintf("%s:%d-%d", g.File, g.From, g.To)
}

// A tracer is told by every statement of one evaluation that it begins.
type tracer struct {
	exam    *Exam
	loan    *loan // of the machine; nil while declarations are evaluated
	last    int   // the statement before
	culprit int   // the one that wrote to what may only be read; 0: none is known
}

// tracePath is the import path of the function that statements call.
const tracePath = "hansa/trace"

// at is called by a statement before it runs.
func (t *tracer) at(position int) int {
	t.exam.begun.Add(1)
	if done := t.exam.statements[position]; done != nil && !done.Load() {
		done.Store(true)
	}
	if t.exam.Place != nil {
		atomic.StoreInt64(t.exam.Place, int64(position))
	}
	if t.exam.Blame && t.loan != nil && t.culprit == 0 && t.loan.changed() != nil {
		t.culprit = t.last
	}
	t.last = position
	return position
}

// begin is called before a call into the strategy.
func (t *tracer) begin() {
	if t != nil {
		t.last, t.culprit = 0, 0
	}
}

// A tracing runs packages whose statements tell a tracer that they begin.
type tracing struct{ exam *Exam }

// tracedEvaluation is an evaluation whose statements do.
type tracedEvaluation struct {
	evaluation
	tracer *tracer
}

// evaluate implements interpreter.
func (i tracing) evaluate(ctx context.Context, pkg *vet.Package) (evaluation, error) {
	t := &tracer{exam: i.exam}
	text, positions := callsTracer(pkg.Core)
	i.exam.know(positions)
	other := *pkg
	other.Core = text
	table := interp.Exports{}
	for path, names := range symbols.Table() {
		table[path] = names
	}
	table[tracePath+"//trace"] = map[string]reflect.Value{"At": reflect.ValueOf(t.at)}
	e, err := yaegi{table}.evaluate(ctx, &other)
	return tracedEvaluation{e, t}, err
}

// know notes which statements there are, when that is not known.
func (e *Exam) know(positions []int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.statements != nil {
		return
	}
	e.statements = map[int]*atomic.Bool{}
	for _, at := range positions {
		e.statements[at] = new(atomic.Bool)
	}
}

// callsTracer has every assignment of a position in a core call the tracer, and returns
// the positions.
func callsTracer(text string) (string, []int) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(text))
	s.Init(file, []byte(text), nil, 0)
	var b strings.Builder
	var positions []int
	done, state := 0, 0 // of name, sign and number
	for {
		pos, tok, literal := s.Scan()
		at := file.Offset(pos)
		switch {
		case tok == token.EOF:
			b.WriteString(text[done:])
			return b.String(), positions
		case tok == token.PACKAGE:
			state = -1
		case state == -1: // the name of the package
			at += len(literal)
			fmt.Fprintf(&b, "%s; import trace_ %q", text[done:at], tracePath)
			done, state = at, 0
		case tok == token.IDENT && literal == vet.PositionVariable:
			state = 1
		case state == 1 && tok == token.ASSIGN:
			state = 2
		case state == 2 && tok == token.INT:
			fmt.Fprintf(&b, "%strace_.At(%s)", text[done:at], literal)
			done, state = at+len(literal), 0
			position, err := strconv.Atoi(literal)
			if err == nil {
				positions = append(positions, position)
			}
		default:
			state = 0
		}
	}
}
