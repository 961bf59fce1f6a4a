package plugins

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/framework/fl"
)

// lentTypes are what the calls of all kinds are lent.
func lentTypes() map[string]any {
	return map[string]any{
		"r": new(fl.Round), "t": new(fl.Task), "pop": new(fl.Roster), "in": new(fl.EnrollmentInput),
		"reach": new(fl.AvailabilityInput), "d": new(fl.SelectionInput), "data": new(fl.Dataset), "s": new(fl.Snapshot),
		"sum": new(fl.SummaryInput), "c": new(fl.CombineInput), "m": new(fl.TransformInput), "set": new(fl.Setting),
		"a": new(fl.Attack), "p": new(fl.Poisoning), "g": new(fl.Guarding), "k": new(fl.Coding),
		"f": new(fl.Finishing),
	}
}

// Of all that a call can reach from its inputs, in every kind, each number, text, entry, pointer
// and slice is seen when it is written, by its name; and what may be written is not.
func TestEveryWriteToAnInputIsSeen(t *testing.T) {
	for name, lent := range lentTypes() {
		fill(reflect.ValueOf(lent).Elem(), nil)
		w := &writer{t: t, loan: new(loan), in: input{name, lent}, free: map[string]bool{}}
		w.visit(reflect.ValueOf(lent).Elem(), name, false)
		if w.writes < 4 {
			t.Errorf("%s: only %d writes", name, w.writes)
		}
	}
}

// fill gives everything that a value leads to something to be overwritten. A struct lies within
// another of its type once at most: laws have laws of phases.
func fill(v reflect.Value, within []reflect.Type) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() && !slices.Contains(opaque, v.Type().Elem()) {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), within)
		}
	case reflect.Struct:
		within = append(slices.Clip(within), v.Type())
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), within)
			}
		}
	case reflect.Slice:
		held := v.Type().Elem()
		if i := slices.Index(within, held); i >= 0 && slices.Contains(within[i+1:], held) {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), within)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		entry := reflect.New(v.Type().Elem()).Elem()
		fill(entry, within)
		v.SetMapIndex(reflect.ValueOf("x"), entry)
	}
}

// A writer overwrites one thing after another and sees whether the loan sees that.
type writer struct {
	t      *testing.T
	loan   *loan
	in     input
	free   map[string]bool
	writes int
}

// visit writes to a value and to all that it leads to, which is free or may only be read.
func (w *writer) visit(v reflect.Value, name string, free bool) {
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() {
				w.visit(v.Field(i), name+"."+f.Name, free || slices.Contains(writable[v.Type()], f.Name))
			}
		}
		return
	}
	if v.Kind() == reflect.Array {
		w.visit(v.Index(1), name+"[1]", free)
		return
	}
	if v.Kind() != reflect.Interface && v.Kind() != reflect.Func { // nothing else fits them here
		w.write(v, name, free)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			w.visit(v.Elem(), name, free)
		}
	case reflect.Slice:
		if v.Len() > 0 {
			w.visit(v.Index(1), name+"[1]", free)
		}
	case reflect.Map:
		entry := v.MapIndex(reflect.ValueOf("x"))
		data := entry.FieldByName("Data")
		w.visit(data.Index(0), name+`["x"].Data[0]`, free)
	}
}

// write overwrites one thing and puts it back.
func (w *writer) write(v reflect.Value, name string, free bool) {
	if !v.CanSet() {
		w.t.Fatalf("%s cannot be written", name)
	}
	was := reflect.New(v.Type()).Elem()
	was.Set(v)
	w.loan.lend(w.in)
	if err := w.loan.changed(); err != nil {
		w.t.Fatalf("%s: %v, but nothing was written", name, err)
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint8:
		v.SetUint(v.Uint() ^ 1)
	case reflect.Float32, reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Slice:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		} else {
			v.Set(v.Slice(0, 1))
		}
	case reflect.Pointer, reflect.Map:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		} else {
			v.SetZero()
		}
	default:
		w.t.Fatalf("%s is a %v: not looked at", name, v.Kind())
	}
	err := w.loan.changed()
	stem, _, _ := strings.Cut(name, `.Data[0]`)
	stem = strings.TrimSuffix(stem, "[1]")
	switch {
	case free && err != nil:
		w.t.Errorf("%s may be written: %v", name, err)
	case !free && (err == nil || !strings.Contains(err.Error(), "changed "+stem)):
		w.t.Errorf("%s was written: %v", name, err)
	}
	v.Set(was)
	w.writes++
}

// Of long slices the first calls are looked at entirely, and one element that every call writes
// is found out later too.
func TestLongInputsAreSeenInTheEnd(t *testing.T) {
	l, v := new(loan), make(fl.Vector, 50*short)
	const last = 50*short - 7
	for call := range entire {
		l.lend(input{"v", &v})
		v[last]++
		if l.changed() == nil {
			t.Errorf("call %d: not seen", call)
		}
	}
	seen := 0
	for range 2 * len(v) / samples {
		l.lend(input{"v", &v})
		if len(l.was) > 8 {
			t.Fatalf("%d marks", len(l.was))
		}
		v[last]++
		if l.changed() != nil {
			seen++
		}
	}
	if seen == 0 {
		t.Error("an element that is written in every call is never seen")
	}
}

// Looking at an input allocates nothing beside the first time.
func BenchmarkLoan(b *testing.B) {
	r := &fl.Round{Global: make(fl.Vector, 100_000), Roster: &fl.Roster{N: 10}}
	for range 10 {
		r.Updates = append(r.Updates, fl.Update{Params: make(fl.Vector, 100_000)})
	}
	l := new(loan)
	for b.Loop() {
		l.lend(input{"r", r})
		if err := l.changed(); err != nil {
			b.Fatal(err)
		}
	}
}
