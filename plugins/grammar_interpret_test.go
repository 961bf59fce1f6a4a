package plugins

import (
	"bytes"
	"context"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/traefik/yaegi/interp"

	"github.com/hansa-fl/hansa/plugins/grammar"
	"github.com/hansa-fl/hansa/plugins/symbols"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// seeDeclared is the package by which programs of the grammar show what they compute.
const seeDeclared = `package see

func Int(x int64)
func Uint(x uint64)
func Float(x float64)
func Text(x string)
func Bool(x bool)
func Hold()
func Held() string
`

// A seer is that package for interpreted programs.
type seer struct{ out []*bytes.Buffer }

func (s *seer) line(text string) {
	s.out[len(s.out)-1].WriteString(text)
	s.out[len(s.out)-1].WriteByte('\n')
}

// table returns the package, for the interpreter.
func (s *seer) table() map[string]reflect.Value {
	return map[string]reflect.Value{
		"Int":  reflect.ValueOf(func(x int64) { s.line("i" + strconv.FormatInt(x, 10)) }),
		"Uint": reflect.ValueOf(func(x uint64) { s.line("u" + strconv.FormatUint(x, 10)) }),
		"Float": reflect.ValueOf(func(x float64) {
			if x != x {
				s.line("fNaN")
				return
			}
			s.line("f" + strconv.FormatUint(math.Float64bits(x), 16))
		}),
		"Text": reflect.ValueOf(func(x string) { s.line("t" + strconv.Quote(x)) }),
		"Bool": reflect.ValueOf(func(x bool) { s.line("b" + strconv.FormatBool(x)) }),
		"Hold": reflect.ValueOf(func() { s.out = append(s.out, new(bytes.Buffer)) }),
		"Held": reflect.ValueOf(func() string {
			last := s.out[len(s.out)-1]
			s.out = s.out[:len(s.out)-1]
			return last.String()
		}),
	}
}

// patience is how long one use may take, on a machine that is busy.
const patience = 10 * time.Second

// vetPrograms vets programs as the files of one package. It returns what is wrong, by the index
// of the file and of the use.
func vetPrograms(texts []grammar.Text) (*vet.Package, map[[2]int]string) {
	files := make([]vet.File, len(texts))
	for i, t := range texts {
		files[i] = vet.File{Name: t.Name, Text: t.Source}
	}
	pkg, problems := vet.CheckProgram(files, map[string]string{"see": seeDeclared})
	wrong := map[[2]int]string{}
	for _, p := range problems {
		i := slices.IndexFunc(texts, func(t grammar.Text) bool { return t.Name == p.Pos.File })
		at := [2]int{i, texts[max(0, i)].At(p.Pos.Line)}
		if wrong[at] == "" {
			wrong[at] = p.Message
		}
	}
	return pkg, wrong
}

// interpretPrograms runs all cells of programs that were vetted, and returns what each says.
func interpretPrograms(ctx context.Context, pkg *vet.Package, texts []grammar.Text) ([][]string, error) {
	s := &seer{out: []*bytes.Buffer{new(bytes.Buffer)}}
	table := maps.Clone(symbols.Table())
	table["see/see"] = s.table()
	m, err := newMachine(ctx, pkg, patience, yaegi{interp.Exports(table)})
	if err != nil {
		return nil, err
	}
	defer m.stop()
	said := make([][]string, len(texts))
	for i, t := range texts {
		for _, u := range t.Uses {
			s.out = []*bytes.Buffer{new(bytes.Buffer)}
			f := m.value(u.Run())
			err := m.call("program", u.Run(), func() error { f.Call(nil); return nil })
			out := s.out[0].String()
			if err != nil {
				fault := err.(*Fault)
				if fault.Timeout { // the machine cannot be used any more
					return nil, fault
				}
				out += panicClass(fault.Message) + "\n"
			}
			said[i] = append(said[i], out)
		}
	}
	return said, nil
}

// panicClass returns what kind of a panic a message tells of: its words. Of an index and of bounds
// that are out of range the interpreter does not say the numbers.
func panicClass(message string) string {
	message = strings.TrimPrefix(message, "panic: ")
	message = strings.TrimPrefix(message, "runtime error: ")
	return "panic: " + numbers.ReplaceAllString(message, "")
}
