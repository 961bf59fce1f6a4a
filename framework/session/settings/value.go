// Package settings lists the values that decide the numbers of an experiment: of one cell, of all
// methods and points of the sweep, and where two runs differ.
package settings

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
)

// A Value is one line of a resolved cell.
type Value struct {
	rank   int    // where a reader meets what it belongs to, among all that a cell has
	Path   string // "aggregator.kappa"
	Text   string // as in an experiment; a component by its name alone
	Origin string // "line 12", "--set", "default", "the file"
}

// ofMethod reports whether the value belongs to an aggregator.
func (v Value) ofMethod() bool { return strings.HasPrefix(v.Path, "aggregator") }

// A reader lists the values of a cell.
type reader struct {
	cell study.Cell
	rank int // of the next value
	all  []Value
}

// Of returns everything that decides the numbers of the cells of an arm, which differ
// in their seeds.
func Of(cell study.Cell, seeds []uint64) []Value {
	r := &reader{cell: cell}
	dataSeed, law := "that of the run", "unknown"
	if cell.SameData {
		dataSeed = fmt.Sprint(cell.DataSeed)
	}
	if cell.Law {
		law = "known"
	}
	r.next().add("clients", fmt.Sprint(cell.Clients))
	r.next().add("rounds", fmt.Sprint(cell.Rounds))
	r.next().add("measure_every", fmt.Sprint(cell.Every))
	r.next().add("seed", SeedList(seeds))
	r.next().add("data_seed", dataSeed)
	r.next().add("law", law)
	r.next().add("disclosure", cell.Disclose)
	r.next().add("oracle", fmt.Sprint(cell.Oracle))
	r.next().pick("initial", "initial", study.Pick{Name: cell.Initial, Params: cell.InitialFile})
	r.next().add("validation", fmt.Sprint(cell.Held))
	if cell.TestByClient {
		r.next().add("test", `"client"`)
	}
	if cell.HeldOut > 0 {
		r.next().add("held_out", fmt.Sprint(cell.HeldOut))
	}
	if cell.Validated > 0 {
		r.next().add("tune.validation", fmt.Sprint(cell.Validated))
	}
	if cell.Stop > 0 {
		r.next().add("stop", fmt.Sprint(cell.Stop))
	}
	for _, slot := range study.Slots() {
		r.next()
		if p, ok := cell.Picks[slot]; ok || slot != "public" && slot != "adversary" &&
			slot != "guard" && slot != "compressor" && slot != "download" && slot != "completion" {
			r.pick(slot, slot, p)
		}
	}
	r.next() // all of a row at once: what follows has its place whatever its length
	for i, p := range cell.Preprocess {
		path := fmt.Sprintf("preprocess[%d]", i)
		r.pick(path, path, p)
	}
	for i, m := range cell.Measures {
		path := fmt.Sprintf("metrics[%d]", i)
		r.next().pick(path, path, m.Pick)
		if m.Key != m.Name {
			r.add(path+".label", Literal(m.Key))
		}
		switch {
		case m.Average:
			r.add(path+".iterate", Literal("average"))
		case m.Best:
			r.add(path+".iterate", Literal("best"))
		}
	}
	return r.all
}

// next goes on to what a cell has next.
func (r *reader) next() *reader {
	r.rank++
	return r
}

// pick adds a component: its name, and its parameters, among which there may be others. A path is
// that by which a parameter is set; at is where the cell has it: guard.0.radius is at
// guard.of[0].radius.
func (r *reader) pick(path, at string, p study.Pick) {
	r.add(path, p.Name, at, at+".name")
	for _, k := range slices.Sorted(maps.Keys(p.Params)) {
		if k == study.SourceKey { // the code of a strategy
			r.add(path+" code", fmt.Sprint(p.Params[k]))
			r.all[len(r.all)-1].Origin = "the file"
			continue
		}
		v := p.Params[k]
		if inner, ok := study.Within(v); ok {
			r.pick(path+"."+k, at+"."+k, inner)
			continue
		}
		members := study.Members(v)
		if members == nil {
			r.add(path+"."+k, Literal(v), at+"."+k)
		}
		for i, one := range members {
			member := study.MemberPath(path, p, k, strconv.Itoa(i))
			r.pick(member, fmt.Sprintf("%s.%s[%d]", at, k, i), one)
		}
	}
}

// add adds a value with where it was set: at the last of these paths at which something was.
func (r *reader) add(path, text string, at ...string) {
	origin := "default"
	for _, a := range append([]string{path}, at...) {
		if span, ok := r.cell.Origins[a]; ok {
			origin = lineOf(span)
		}
	}
	r.all = append(r.all, Value{r.rank, path, text, origin})
}

// lineOf says where a value stands.
func lineOf(span study.Span) string {
	if span.Value.Line > 0 {
		return fmt.Sprintf("line %d", span.Value.Line)
	}
	return span.Value.File
}

// SeedList lists seeds, those that follow upon each other by the first and the last.
func SeedList(seeds []uint64) string {
	n := len(seeds)
	if n > 2 && seeds[n-1]-seeds[0] == uint64(n-1) && slices.IsSorted(seeds) {
		return fmt.Sprintf("%d … %d", seeds[0], seeds[n-1])
	}
	return strings.Trim(fmt.Sprint(seeds), "[]")
}
