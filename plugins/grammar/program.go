package grammar

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Grammar is all productions and contexts.
type Grammar struct {
	Productions []*Production
	Contexts    []Context
	kinds       []*kind
	open        map[Cell]string // that are known to differ, and why
	forms       map[string]bool // productions of which cells are open
}

// New returns the grammar.
func New() (*Grammar, error) {
	g := &Grammar{kinds: kinds()}
	var err error
	if g.Contexts, err = readContexts(); err != nil {
		return nil, err
	}
	if g.Productions, err = readProductions(g.kinds); err != nil {
		return nil, err
	}
	g.open, err = g.readOpen()
	g.forms = g.openForms()
	return g, err
}

// A Cell is a production in a context, by their indices.
type Cell struct{ Production, Context int }

// none is the production of a use that has only one.
const none = -1

// A Use is a cell in a program, or two cells of one context that stand beside each other.
type Use struct {
	Cell   Cell
	Beside int // the other production, or none

	id         string // of the names that it declares
	seed, salt uint64
}

// Run returns the name of the function that runs it.
func (u *Use) Run() string { return "Run" + u.id }

// Cells returns the cells of the use.
func (u *Use) Cells() []Cell {
	if u.Beside == none {
		return []Cell{u.Cell}
	}
	return []Cell{u.Cell, {u.Beside, u.Cell.Context}}
}

// Alone returns a use for each cell.
func (u *Use) Alone() []Use {
	first, second := *u, *u
	first.Beside = none
	if u.Beside == none {
		return []Use{first}
	}
	second.Cell.Production, second.Beside = u.Beside, none
	second.id += "x"
	second.seed, second.salt = u.salt, u.seed
	return []Use{first, second}
}

// A Program is some cells, each of which is run by a function of its own.
type Program struct {
	Name string
	Uses []Use
}

// perProgram is how many uses a program has.
const perProgram = 5

// PerPass returns how many programs it takes to use every cell once.
func (g *Grammar) PerPass() int {
	uses := 0
	for _, c := range g.Contexts {
		allowed := 0
		for _, p := range g.Productions {
			if p.not[c.Name] == "" {
				allowed++
			}
		}
		uses += (allowed + 1) / 2
	}
	return (uses + perProgram - 1) / perProgram
}

// pass returns uses of all cells, in a random order.
func (g *Grammar) pass(seed uint64, n int) (uses []Use) {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	for j, c := range g.Contexts {
		var list []int
		for i, p := range g.Productions {
			if p.not[c.Name] == "" {
				list = append(list, i)
			}
		}
		rng.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
		for pair := range slices.Chunk(list, 2) {
			u := Use{Cell: Cell{pair[0], j}, Beside: none, seed: rng.Uint64(), salt: rng.Uint64()}
			if len(pair) == 2 {
				u.Beside = pair[1]
			}
			uses = append(uses, u)
		}
	}
	rng.Shuffle(len(uses), func(a, b int) { uses[a], uses[b] = uses[b], uses[a] })
	return uses
}

// Programs returns the programs of a seed with the indices from ≤ i < to.
func (g *Grammar) Programs(seed uint64, from, to int) (list []Program) {
	at, uses, perPass := none, []Use(nil), g.PerPass()
	for i := from; i < to; i++ {
		if now := i / perPass; now != at {
			at, uses = now, g.pass(seed, now)
		}
		first := i % perPass * perProgram
		p := Program{Name: fmt.Sprintf("p%d.go", i)}
		for n, u := range uses[first:min(first+perProgram, len(uses))] {
			u.id = fmt.Sprintf("%d_%d", i, n)
			p.Uses = append(p.Uses, u)
		}
		list = append(list, p)
	}
	return list
}

// A Text is a program as it is written, and where its uses are.
type Text struct {
	Name, Source string
	Uses         []Use
	ends         []int // the last lines of the uses
}

// At returns which use of the program has a line.
func (t *Text) At(line int) int {
	i := slices.IndexFunc(t.ends, func(end int) bool { return line <= end })
	return max(0, i)
}

// Write writes a program.
func (g *Grammar) Write(p Program) (Text, error) {
	t := Text{Name: p.Name, Uses: p.Uses}
	var b strings.Builder
	for _, u := range p.Uses {
		text, err := g.use(u)
		if err != nil {
			return t, err
		}
		b.WriteString(text)
		t.ends = append(t.ends, strings.Count(b.String(), "\n"))
	}
	head := header(b.String())
	for i := range t.ends {
		t.ends[i] += strings.Count(head, "\n")
	}
	t.Source = head + b.String()
	return t, nil
}

// header returns the beginning of a program, with the packages that it needs.
func header(body string) string {
	head := "package programs\n\nimport (\n"
	for _, name := range []string{"errors", "fmt", "math", "see", "strconv", "strings"} {
		if strings.Contains(body, name+".") {
			head += "\t\"" + name + "\"\n"
		}
	}
	return head + ")\n\n"
}

// use writes one use.
func (g *Grammar) use(u Use) (string, error) {
	first, err := g.instantiate(u.Cell.Production,
		rand.New(rand.NewPCG(u.seed, u.salt)), u.id+"a")
	if err != nil {
		return "", err
	}
	body, tops, vars := first.body, first.tops, first.vars
	if u.Beside != none {
		second, err := g.instantiate(u.Beside,
			rand.New(rand.NewPCG(u.salt, u.seed)), u.id+"b")
		if err != nil {
			return "", err
		}
		body += "{\n" + second.body + "}\n"
		tops, vars = append(tops, second.tops...), append(vars, second.vars...)
	}
	var b strings.Builder
	for _, top := range tops {
		if top != "" {
			b.WriteString(top + "\n\n")
		}
	}
	b.WriteString(strings.NewReplacer("$run", u.Run(), "$vars", strings.Join(vars, "\n"),
		"$body", body, "$after", first.after, "§", u.id).Replace(g.Contexts[u.Cell.Context].text))
	return b.String() + "\n", nil
}
