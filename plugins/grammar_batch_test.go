package plugins

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"

	"github.com/hansa-fl/hansa/plugins/asked"
	"github.com/hansa-fl/hansa/plugins/grammar"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// A packaged is programs that are vetted and interpreted as the files of one package.
type packaged struct {
	list  []grammar.Program
	texts []grammar.Text
	pkg   *vet.Package
}

// A difference is a use that does not do the same interpreted.
type difference struct {
	program   string // that has it
	use       grammar.Use
	source    string
	got, want string
}

// A proof is what is known of the grammar.
type proof struct {
	g      *grammar.Grammar
	matrix *grammar.Matrix

	different []difference
	known     int    // differences in cells of which they are known
	cache     string // of the go command, if it has one for this run
}

// packages vets programs, as many to a package as one machine interprets, and leaves out what is
// refused.
func (p *proof) packages(programs []grammar.Program) ([]*packaged, error) {
	var list []*packaged
	for chunk := range slices.Chunk(programs, perMachine) {
		list = append(list, &packaged{list: slices.Clone(chunk)})
	}
	wrong := make([]error, len(list))
	inParallel(len(list), func(i int) { wrong[i] = p.accept(list[i]) })
	for _, err := range wrong {
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// accept writes and vets a package until nothing in it is refused.
func (p *proof) accept(in *packaged) error {
	for i := range in.list {
		in.list[i].Uses = p.promising(in.list[i].Uses)
	}
	for {
		in.texts = nil
		for _, program := range in.list {
			text, err := p.g.Write(program)
			if err != nil {
				return err
			}
			in.texts = append(in.texts, text)
		}
		pkg, wrong := vetPrograms(in.texts)
		if len(wrong) == 0 {
			in.pkg = pkg
			return nil
		}
		for i := range in.list {
			uses := in.list[i].Uses
			in.list[i].Uses = nil
			for j, u := range uses {
				message, refused := wrong[[2]int{i, j}]
				switch {
				case !refused:
					in.list[i].Uses = append(in.list[i].Uses, u)
				case len(u.Cells()) > 1:
					in.list[i].Uses = append(in.list[i].Uses, u.Alone()...)
				default:
					p.matrix.Refused(u.Cell, message)
				}
			}
		}
		if message, ok := wrong[[2]int{-1, 0}]; ok {
			return fmt.Errorf("a package is refused, but none of its programs: %s", message)
		}
	}
}

// promising leaves out cells that have been given up.
func (p *proof) promising(uses []grammar.Use) (list []grammar.Use) {
	for _, u := range uses {
		if !slices.ContainsFunc(u.Cells(), p.matrix.GivenUp) {
			list = append(list, u)
			continue
		}
		for _, alone := range u.Alone() {
			if !p.matrix.GivenUp(alone.Cell) {
				list = append(list, alone)
			}
		}
	}
	return list
}

// prove compiles and interprets programs and records what comes of it.
func (p *proof) prove(t *testing.T, programs []grammar.Program) {
	var again []grammar.Program
	pairs := map[string]difference{} // by the function of one of the two
	for _, d := range p.differences(t, programs) {
		if alone := d.use.Alone(); len(alone) > 1 {
			name := "a" + alone[0].Run() + ".go"
			again = append(again, grammar.Program{Name: name, Uses: alone})
			pairs[name] = d
		} else {
			p.record(d)
		}
	}
	if len(again) == 0 {
		return
	}
	for _, d := range p.differences(t, again) {
		delete(pairs, d.program)
		p.record(d)
	}
	for _, d := range pairs { // they differ only beside each other
		p.record(d)
	}
}

// record notes a difference.
func (p *proof) record(d difference) {
	if p.matrix.Differs(d.use) {
		p.known++
		return
	}
	p.different = append(p.different, d)
}

// differences returns what differs of programs. What does not is noted.
func (p *proof) differences(t *testing.T, programs []grammar.Program) (list []difference) {
	t.Helper()
	packages, err := p.packages(programs)
	if err != nil {
		t.Fatal(err)
	}
	wants := p.compiled(t, packages)
	found := make([][]difference, len(packages))
	inParallel(len(packages), func(i int) { found[i] = p.compare(t, packages[i], wants[i]) })
	return slices.Concat(found...)
}

// compiled returns what packages say compiled. There they share larger packages.
func (p *proof) compiled(t *testing.T, packages []*packaged) [][][]string {
	t.Helper()
	var together [][]grammar.Text
	for some := range slices.Chunk(packages, perPackage/perMachine) {
		var texts []grammar.Text
		for _, in := range some {
			texts = append(texts, in.texts...)
		}
		together = append(together, texts)
	}
	said := slices.Concat(compilePrograms(t, together)...) // by program
	list := make([][][]string, len(packages))
	for i, in := range packages {
		list[i], said = said[:len(in.texts)], said[len(in.texts):]
	}
	return list
}

// compare interprets a package and compares what its uses say with what they say compiled.
func (p *proof) compare(t *testing.T, in *packaged, want [][]string) (list []difference) {
	got, err := interpretPrograms(t.Context(), in.pkg, in.texts)
	if err != nil {
		return p.halve(t, in, want, err)
	}
	for i, text := range in.texts {
		for j, u := range text.Uses {
			if got[i][j] == want[i][j] {
				p.matrix.Equal(u)
			} else {
				list = append(list, p.difference(t, in.list[i].Name, u, got[i][j], want[i][j]))
			}
		}
	}
	return list
}

// halve finds the uses for which the interpreter fails on a package that was accepted.
func (p *proof) halve(t *testing.T, in *packaged, want [][]string, err error) (list []difference) {
	type place struct{ program, use int }
	var all []place
	for i, text := range in.texts {
		for j := range text.Uses {
			all = append(all, place{i, j})
		}
	}
	if len(all) == 1 {
		at := all[0]
		u := in.texts[at.program].Uses[at.use]
		name := in.list[at.program].Name
		return []difference{p.difference(t, name, u, err.Error(), want[at.program][at.use])}
	}
	for _, half := range [][]place{all[:len(all)/2], all[len(all)/2:]} {
		part, wants := &packaged{}, [][]string(nil)
		for n, at := range half {
			text := in.texts[at.program]
			one := grammar.Program{Name: in.list[at.program].Name, Uses: text.Uses[at.use : at.use+1]}
			part.list = append(part.list, one)
			one.Name = fmt.Sprintf("u%d.go", n)
			part.texts = append(part.texts, p.write(t, one))
			wants = append(wants, []string{want[at.program][at.use]})
		}
		if part.pkg, _ = vetPrograms(part.texts); part.pkg == nil {
			t.Errorf("half of what was accepted is refused: %s", part.texts[0].Source)
			continue
		}
		list = append(list, p.compare(t, part, wants)...)
	}
	return list
}

// difference describes one.
func (p *proof) difference(
	t *testing.T, program string, u grammar.Use, got, want string,
) difference {
	text := p.write(t, grammar.Program{Name: "p.go", Uses: []grammar.Use{u}})
	return difference{program, u, text.Source, got, want}
}

// write writes a program.
func (p *proof) write(t *testing.T, program grammar.Program) grammar.Text {
	text, err := p.g.Write(program)
	if err != nil {
		t.Error(err)
	}
	return text
}

// stored returns a report as the README has it.
func (p *proof) stored(report string) string {
	return fmt.Sprintf("%d programs of seed %d: %d differences, %d of them in cells that are known to "+
		"differ.\n\n%s", *asked.Programs, *asked.Seed, len(p.different)+p.known, p.known, report)
}

// collectLess lets the heap grow to five times what lives, until the test ends: collecting at twice
// takes a seventh of the time of a campaign.
func collectLess(t *testing.T) {
	before := debug.SetGCPercent(400)
	t.Cleanup(func() { debug.SetGCPercent(before) })
}

// inParallel calls f for 0, …, n−1 on all processors.
func inParallel(n int, f func(i int)) {
	var all sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
}
