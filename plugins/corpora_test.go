package plugins

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/plugins/asked"
	"github.com/hansa-fl/hansa/plugins/corpora"
)

var which = asked.Corpora

// Of programs that were written to test Go and the interpreter, those that are accepted do the
// same compiled and interpreted. A sample is tried, and all that ever differed; all are counted
// that are accepted: not fewer than when all were tried.
//
//	go test ./plugins/... -run Corpora -corpora all      try all
//	go test ./plugins -run Corpora -corpora all -update  and keep the summary
func TestCorpora(t *testing.T) {
	stored, err := corpora.Stored()
	if err != nil {
		t.Fatal(err)
	}
	ever, slow := everDiffered(t), slowOnes(stored)
	now := corpora.Summary{Toolchain: goCommand(t, "env", "GOVERSION")}
	for _, c := range sources(t) {
		programs, err := c.Programs()
		if err != nil {
			t.Fatal(err)
		}
		if len(programs) == 0 {
			missing(t, c)
			continue
		}
		r := &reading{count: corpora.Count{Corpus: c.Name, Files: len(programs),
			Left: map[string]int{}, Refused: map[string]corpora.Refusal{}}}
		r.vet(t, programs)
		r.try(t, func(name string) bool { return chosen(name, ever) && !slow[name] })
		now.Corpora = append(now.Corpora, r.count)
		for _, was := range stored.Corpora {
			if was.Corpus == c.Name && *which == "sample" && stored.Toolchain == now.Toolchain {
				r.compare(t, was)
			}
		}
		if !*update {
			r.judge(t, ever)
		}
	}
	tried := 0
	for _, c := range now.Corpora {
		tried += c.Accepted()
	}
	if tried == 0 {
		t.Errorf("no program is accepted of -corpora %s", *which)
	}
	if *which == "all" {
		keep(t, now, stored)
	}
}

// sources are the corpora, where they lie on this machine.
func sources(t *testing.T) []corpora.Corpus {
	t.Helper()
	return []corpora.Corpus{
		corpora.Go(goCommand(t, "env", "GOROOT")),
		corpora.Yaegi(goCommand(t, "list", "-m", "-f", "{{.Dir}}", "github.com/traefik/yaegi")),
	}
}

func goCommand(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// missing says that a corpus is not there: a toolchain that was downloaded as a module has no
// tests. The module of the interpreter always has its own.
func missing(t *testing.T, c corpora.Corpus) {
	t.Helper()
	if c.Name == "go" && *which != "all" {
		t.Logf("there are no tests in %s: the toolchain came without them", c.Dir)
		return
	}
	t.Errorf("there are no programs in %s", c.Dir)
}

// chosen reports whether a program is one to try: in a sample every twelfth by the digest of its
// name, and what ever differed.
func chosen(name string, ever map[string]bool) bool {
	switch *which {
	case "all":
		return true
	case "sample":
		h := fnv.New32a()
		fmt.Fprint(h, name)
		_, known := ever[name]
		return known || h.Sum32()%12 == 0
	}
	return strings.Contains(name, *which)
}

// slowOnes returns the programs that a sample leaves out: within what a test may take they
// cannot be distinguished from ones that never end.
func slowOnes(stored corpora.Summary) map[string]bool {
	slow := map[string]bool{}
	for _, c := range stored.Corpora {
		for _, name := range c.Slow {
			slow[name] = *which == "sample"
		}
	}
	return slow
}

// A reading is what becomes of the programs of one corpus.
type reading struct {
	count    corpora.Count
	accepted []corpora.Program // that vet lets pass
	agree    []string          // the names of programs that do interpreted what they do compiled
}

// vet sorts out what is left out and what is refused.
func (r *reading) vet(t *testing.T, programs []corpora.Program) {
	for _, p := range programs {
		if p.Left != "" {
			r.count.Left[p.Left]++
			continue
		}
		if _, refused := vetted(p.Name, p.Text); refused != nil {
			r.count.Refuse(refused)
			if strings.HasPrefix(refused[0], vetPanics) {
				t.Errorf("%s: %s", p.Name, refused[0])
			}
			continue
		}
		r.accepted = append(r.accepted, p)
	}
}

// limit is how long a program may take.
const limit = 20 * time.Second

// try compiles and interprets the programs that are chosen of those that are accepted.
func (r *reading) try(t *testing.T, chosen func(name string) bool) {
	var programs []corpora.Program
	for _, p := range r.accepted {
		if chosen(p.Name) {
			programs = append(programs, p)
		}
	}
	if len(programs) == 0 {
		return
	}
	binaries := compileCorpora(t, programs)
	w := new(worker)
	defer w.stop()
	for i, p := range programs {
		want := binaries[i].run(t.Context(), limit)
		got := w.interpret(t, task{p.Name, p.Text, limit})
		switch {
		case got.Refused != nil:
			r.count.Refuse(got.Refused)
		case want.Slow:
			t.Errorf("%s does not end within %v when it is compiled", p.Name, limit)
		case got.Slow:
			r.count.Slow = append(r.count.Slow, p.Name)
		case got.same(want):
			r.agree = append(r.agree, p.Name)
		default:
			r.count.Differ = append(r.count.Differ, p.Name)
			t.Logf("%s: %s", p.Name, firstDifference(got.Said, want.Said))
		}
	}
	r.count.Agree = len(r.agree)
}

// compare holds what vet accepts against what was accepted when all was tried.
func (r *reading) compare(t *testing.T, was corpora.Count) {
	if len(r.accepted) < was.Accepted() {
		t.Errorf("%s: %d programs are accepted, and %d were", was.Corpus, len(r.accepted),
			was.Accepted())
	}
}

// judge fails for programs that differ, but those that are known to, and for programs that are
// known to and do not.
func (r *reading) judge(t *testing.T, ever map[string]bool) {
	for _, name := range r.count.Differ {
		if !ever[name] {
			t.Errorf("%s differs", name)
		}
	}
	for _, name := range r.agree {
		if ever[name] {
			t.Errorf("%s does not differ any more: %s should say so", name, everFile)
		}
	}
}

// everFile lists the programs that differed once, and after "still" those that still do.
const everFile = "testdata/corpora.txt"

// everDiffered returns the programs that ever differed, and whether they still do.
func everDiffered(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(everFile)
	if err != nil {
		t.Fatal(err)
	}
	ever := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		name, still := strings.CutPrefix(strings.TrimSpace(line), "still ")
		ever[name] = still
	}
	return ever
}

// keep writes what became of all programs, or compares it with what was written.
func keep(t *testing.T, now, stored corpora.Summary) {
	text, err := json.MarshalIndent(now, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + now.Markdown())
	if !*update {
		if was, err := json.MarshalIndent(stored, "", "\t"); err != nil || string(was) != string(text) {
			t.Errorf("%s is not what it would be now: -update writes it", corpora.SummaryFile)
		}
		return
	}
	path := filepath.Join("..", filepath.FromSlash(corpora.SummaryFile))
	if err := os.WriteFile(path, append(text, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
	ever := everDiffered(t)
	for name := range ever {
		ever[name] = false
	}
	for _, c := range now.Corpora {
		for _, name := range c.Differ {
			ever[name] = true
		}
	}
	writeEver(t, ever)
}

// writeEver writes the list of programs that ever differed.
func writeEver(t *testing.T, ever map[string]bool) {
	t.Helper()
	var lines []string
	for name, still := range ever {
		if still {
			name = "still " + name
		}
		lines = append(lines, name+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int {
		return strings.Compare(strings.TrimPrefix(a, "still "), strings.TrimPrefix(b, "still "))
	})
	if err := os.WriteFile(everFile, []byte(strings.Join(lines, "")), 0o666); err != nil {
		t.Fatal(err)
	}
}
