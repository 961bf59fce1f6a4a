package plugins

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/plugins/asked"
)

// older is how many programs of the grammar there are for one of numbers or of values: these are
// long, and mix what the cells of the grammar hold one by one.
const older = 8

// Random programs of the dialect do the same compiled and interpreted, bit for bit. None of
// them is refused: they are written in the dialect.
//
//	go test ./plugins -run RandomPrograms -fuzz-programs 160000 -fuzz-seed 7 -timeout 1h
func TestRandomPrograms(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Fatal("random programs are compiled, which needs the go command")
	}
	collectLess(t)
	const batch = 500
	fuzzed, seed := *asked.Programs/older, *asked.Seed
	for from := 0; from < fuzzed; from += batch {
		var programs []program
		for i := from; i < min(from+batch, fuzzed); i++ {
			programs = append(programs, randomProgram(seed, i))
		}
		different := 0
		for i, want := range compile(t, programs, perPackage) {
			name := fmt.Sprintf("program %d of seed %d", from+i, seed)
			got, refused := interpret(t.Context(), name, programs[i])
			if refused != "" {
				t.Errorf("%s is refused: %s\n%s", name, refused, numbered(programs[i].text))
			} else if got != want {
				different++
				t.Errorf("%s: %s\n%s", name, firstDifference(got, want), numbered(programs[i].text))
			}
			if different > 3 {
				t.Fatal("and so on")
			}
		}
	}
}

// randomProgram returns the i-th program of a seed: even ones compute with numbers, odd ones
// move values about.
func randomProgram(seed uint64, i int) program {
	g := &generator{rng: rand.New(rand.NewPCG(seed, uint64(i)))}
	text := g.numbers()
	if i%2 == 1 {
		text = g.values()
	}
	// Programs that share a package have names of their own.
	return program{strings.ReplaceAll(text, "§", strconv.Itoa(i)), "Run" + strconv.Itoa(i)}
}

func numbered(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "%4d  %s\n", i+1, line)
	}
	return b.String()
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d: %s interpreted, %s compiled", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines interpreted, %d compiled", len(g), len(w))
}

// A generator writes random programs. An expression is made from what is in scope, less deep
// the deeper it lies; a statement may declare something that comes into scope.
type generator struct {
	rng   *rand.Rand
	names int
	out   []string
}

// A scope is what the program may name at some place.
type scope struct {
	floats  []string // that may be read
	targets []string // floats that may be assigned to
	ints    []string
	counts  []string // ints that may be assigned to
	loops   []string // variables of loops
	structs []string // of type P, the first of which is never assigned to
}

// inner returns a scope that can grow without the outer one.
func (s scope) inner() scope {
	clip := func(list []string) []string { return list[:len(list):len(list)] }
	return scope{clip(s.floats), clip(s.targets), clip(s.ints), clip(s.counts), clip(s.loops),
		clip(s.structs)}
}

// name returns a new name.
func (g *generator) name(prefix string) string {
	g.names++
	return prefix + strconv.Itoa(g.names)
}

// one returns one of the words.
func (g *generator) one(words ...string) string { return words[g.rng.IntN(len(words))] }

// say returns a text in which each @ is replaced by the next part.
func (g *generator) say(layout string, parts ...string) string {
	for _, p := range parts {
		layout = strings.Replace(layout, "@", p, 1)
	}
	return layout
}

// line adds a line to the program.
func (g *generator) line(layout string, parts ...string) {
	g.out = append(g.out, g.say(layout, parts...))
}

// pick calls one of the makers, each as often as its weight says.
func (g *generator) pick(makers ...weighted) string {
	total := 0
	for _, m := range makers {
		total += m.weight
	}
	k := g.rng.IntN(total)
	for _, m := range makers {
		if k -= m.weight; k < 0 {
			return m.make()
		}
	}
	return ""
}

// A weighted maker is one of the things that can be made.
type weighted struct {
	weight int
	make   func() string
}

// some keeps makers that need something only where there is some of it.
func some(needed []string, weight int) int {
	if len(needed) == 0 {
		return 0
	}
	return weight
}
