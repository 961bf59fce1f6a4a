package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hansa-fl/hansa/framework/session/toolbox"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

// A lab is an empty folder with experiments and the program in it, and no source of hansa: what is
// compiled there is compiled once for all tests of it. All labs have one cache of programs, as those
// of a user have.
type lab struct {
	*testing.T
	program string
	env     []string
}

func newLab(t *testing.T) *lab {
	t.Helper()
	dir := t.TempDir()
	l := &lab{T: t, program: filepath.Join(dir, "hansa")}
	built, err := os.ReadFile(asBuilt(t))
	if err == nil {
		err = os.WriteFile(l.program, built, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	cache, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	kept := strings.Fields(string(cache))
	l.env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, cli.StrategiesVariable+"=")
	})
	l.env = append(l.env, "GOPROXY=off", "GOFLAGS=-mod=mod", "GOCACHE="+kept[0],
		"GOMODCACHE="+kept[1], "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "HOME="+dir)
	cases, err := filepath.Abs("testdata/cases/strategies")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(dir))
	err = errors.Join(os.CopyFS(".", os.DirFS(cases)), os.MkdirAll("cache/hansa", 0o777),
		os.MkdirAll(filepath.Join(programs, "compiled"), 0o777),
		os.Symlink(filepath.Join(programs, "compiled"), "cache/hansa/compiled"))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// compiled returns how many programs the cache has.
func (l *lab) compiled() int {
	l.Helper()
	list, err := filepath.Glob("cache/hansa/compiled/programs/*")
	if err != nil {
		l.Fatal(err)
	}
	return len(list)
}

// run runs a command line of the program, and returns what it prints and what it says.
func (l *lab) run(want int, program string, args ...string) (out, said string) {
	l.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = l.env
	var a, b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &a, &b
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != want {
		l.Fatalf("hansa %s: %v, want status %d\n%s%s", strings.Join(args, " "), err, want, &a, &b)
	}
	return a.String(), b.String()
}

// hansa is run with the program.
func (l *lab) hansa(want int, line string) (out, said string) {
	l.Helper()
	return l.run(want, l.program, strings.Fields(line)...)
}

// without runs f where there is no Go toolchain.
func (l *lab) without(f func()) {
	was := l.env
	l.env = append(slices.Clone(was), "PATH=")
	f()
	l.env = was
}

func (l *lab) has(text string, all ...string) {
	l.Helper()
	for _, part := range all {
		if !strings.Contains(text, part) {
			l.Errorf("it does not say %q:\n%s", part, text)
		}
	}
}

// What goes wrong in compiled code costs its cell, and is told with the line of the author. What
// is refused when it is interpreted is not compiled. This comes before TestCompiled, which computes
// while strategies are compiled: that takes seconds then.
func TestCompiledGoesWrong(t *testing.T) {
	l := newLab(t)
	_, said := l.hansa(exitUsage, "run misspelt.toml --strategies compiled")
	l.has(said, "misspelt.toml:26:31: error: aggregator half: shore: no such parameter")
	if err := os.WriteFile("refused.go", []byte("package half\n\nimport _ \"os\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, said = l.hansa(exitUsage, "build --with refused.go -o refused")
	l.has(said, "strategies may not import \"os\"")
	table, said := l.hansa(exitFailed, "run bad.toml --unexamined -j 1 --memory 300MiB --strategies compiled")
	l.has(said, "compiling half.go, bad.go: once; some seconds, the first time a minute or two\n")
	for i, want := range []string{"ok   Half", "bad.go:48:3: index: Aggregate: panic: index out of range",
		"bad.go:51:3: nil-map: Aggregate: panic: assignment to entry in nil map",
		"bad.go:53:3: divide: Aggregate: panic: integer divide by zero",
		"bad.go:37:1: deep: Aggregate: the worker died: exit status 2: runtime: goroutine stack exceeds",
		"grow: Aggregate: it used more than its 300 MiB of memory; it was last seen here",
		"bad.go:40:1: short: Aggregate: returned 1 parameters, the model has 4",
		"bad.go:40:1: nan: Aggregate: returned NaN at parameter 2",
		"bad.go:40:1: writes: Aggregate: changed r.Global, which it may only read",
		"bad.go:71:3: Aggregate: the worker died: exit status 2: "} {
		line := fmt.Sprintf("[%2d/10] ", i+1)
		_, rest, _ := strings.Cut(said, line)
		rest, _, _ = strings.Cut(rest, "\n")
		// A worker that dies at once may not have been asked which component it is at.
		l.has(line+strings.Replace(rest, ": huge: ", ": ", 1), want)
	}
	l.has(table, "compiled from half.go", "compiled from bad.go")
	_, said = l.hansa(exitFailed, "run loop.toml --unexamined --call-timeout 500ms --strategies compiled")
	l.has(said, "bad.go:55:3: loop: Aggregate: took longer than 500ms")
}

// Strategies that are compiled give the results of those that are interpreted, in a folder with
// nothing but the program and without a network, and every way to run cells takes them.
func TestCompiled(t *testing.T) {
	l := newLab(t)
	before := l.compiled()
	l.hansa(0, "run good.toml --dir interpreted --strategies interpreted")
	l.without(func() {
		_, said := l.hansa(exitFailed, "run good.toml --dir x --strategies compiled")
		l.has(said, "--strategies compiled: there is no Go toolchain: no go is found in the path; "+
			"--strategies interpreted needs none")
		table, _ := l.hansa(0, "run good.toml --dir x")
		l.has(table, "¹ interpreted from half.go, sha256 ")
		_, said = l.hansa(exitFailed, "check --parity good.toml")
		l.has(said, "there is no Go toolchain")
	})
	l.meanwhile()
	table, _ := l.hansa(0, "run good.toml --dir compiled --strategies compiled")
	l.has(table, "¹ compiled from half.go, sha256 ")
	l.same("interpreted", "compiled")
	l.compiledOnce()
	l.mixed()
	l.elsewhere()
	l.built()
	out, _ := l.hansa(0, "check --parity --quiet good.toml half.go")
	l.has(out, "good.toml: 6 training runs", "  4 results of at most 8 rounds, interpreted and compiled: the "+
		"same bits\n", "  60 results, interpreted and compiled: the same bits\n")
	out, _ = l.hansa(0, "check --parity --quiet --seeds 1 good.toml") // seed 0, not 0 seeds
	l.has(out, "  2 results of at most 8 rounds, interpreted and compiled: the same bits\n")
	if n := l.compiled() - before; n != 1 {
		t.Errorf("the cache has %d more programs, want one", n)
	}
}

// A long run interprets until its strategies are compiled, and has cells of both kinds.
func (l *lab) meanwhile() {
	l.Helper()
	cmd := exec.Command(l.program, "run", "good.toml", "--dir", "long", "--seeds", "10000",
		"--set", "rounds=2000", "--only", "method=Half", "-j", "1")
	cmd.Env = l.env
	var table bytes.Buffer
	cmd.Stdout = &table
	progress, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		l.Fatal(err)
	}
	said, compiled, done := "", false, 0
	for lines := bufio.NewScanner(progress); lines.Scan(); {
		line := lines.Text()
		if compiled && strings.Contains(line, "] ok ") {
			if done++; done == 2 { // the first was at work by then
				err = cmd.Process.Signal(os.Interrupt)
			}
		}
		if strings.Contains(line, "cannot be compiled") { // a run of ten thousand cells would go on
			err = cmd.Process.Signal(os.Interrupt)
		}
		compiled = compiled || line == "training runs that begin now use half.go compiled"
		if !strings.Contains(line, "] ok ") {
			said += line + "\n"
		}
	}
	_ = cmd.Wait() // it was interrupted
	if err != nil || cmd.ProcessState.ExitCode() != exitInterrupted {
		l.Errorf("%v, %v", cmd.ProcessState, err)
	}
	l.has(said, "compiling half.go meanwhile: once; some seconds, the first time a minute or two\n")
	l.has(table.String(), "interpreted from half.go, sha256 ", "compiled from half.go, sha256 ")
}

// same compares the results of two runs.
func (l *lab) same(a, b string) {
	l.Helper()
	x, y := contents(l.T, a+"/results"), contents(l.T, b+"/results")
	if len(x) == 0 || !maps.Equal(x, y) {
		l.Errorf("%d results in %s and %d in %s, which are not the same", len(x), a, len(y), b)
	}
}

// What was compiled is there for all that follows, with a toolchain and without.
func (l *lab) compiledOnce() {
	l.Helper()
	l.without(func() {
		for dir, flags := range map[string]string{"again": "--strategies compiled", "auto": "",
			"apart": "--isolation process"} {
			table, said := l.hansa(0, "run good.toml --dir "+dir+" "+flags)
			l.has(table, "¹ compiled from half.go, sha256 ")
			if strings.Contains(said, "compiling") {
				l.Errorf("it is compiled again:\n%s", said)
			}
			l.same("interpreted", dir)
		}
	})
	l.env = append(l.env, cli.StrategiesVariable+"=interpreted")
	table, _ := l.hansa(0, "run good.toml --dir by-variable")
	l.has(table, "¹ interpreted from half.go, sha256 ")
	l.env = l.env[:len(l.env)-1]
	table, _ = l.hansa(0, "run good.toml --dir here --isolation none")
	l.has(table, "¹ interpreted from half.go, sha256 ")
	_, said := l.hansa(exitUsage, "run good.toml --dir here --isolation none --strategies compiled")
	l.has(said, "compiled strategies run in worker processes; leave out --isolation none")
	_, said = l.hansa(exitUsage, "run good.toml --strategies fast")
	l.has(said, "--strategies")
}

// A run goes on in the other way, and its table says which cells ran how; they are of one build.
func (l *lab) mixed() {
	l.Helper()
	l.hansa(0, "run good.toml --dir mixed --strategies interpreted --only seed=0")
	table, said := l.hansa(0, "resume mixed --strategies compiled")
	l.has(table, "interpreted from half.go, sha256 ", "compiled from half.go, sha256 ")
	if strings.Contains(said, "last bits may differ") {
		l.Errorf("it warns of results that are the same:\n%s", said)
	}
	l.same("interpreted", "mixed")
}

// Tasks for other machines have the program with them, and need no toolchain there.
func (l *lab) elsewhere() {
	l.Helper()
	l.hansa(0, "export-jobs good.toml --dir jobs -o jobs.sh --tasks 1 --strategies compiled")
	lines, err := os.ReadFile("jobs.sh")
	if err != nil {
		l.Fatal(err)
	}
	env, err := exec.LookPath("env")
	if err != nil {
		l.Fatal(err)
	}
	words := strings.Fields(strings.ReplaceAll(string(lines), "'", ""))
	l.without(func() { l.run(0, env, words[1:]...) })
	table, _ := l.hansa(0, "table jobs")
	l.has(table, "¹ compiled from half.go, sha256 ")
	l.same("interpreted", "jobs")
}

// A program that has a strategy compiled in needs no toolchain and no cache, and interprets what
// has changed since.
func (l *lab) built() {
	l.Helper()
	_, said := l.hansa(exitUsage, "build")
	l.has(said, "--with PATH: name a strategy to compile")
	_, said = l.hansa(exitUsage, "build --with bad.toml")
	l.has(said, "bad.toml:1:1: error: expected 'package'")
	l.hansa(0, "build --with half.go -o with-half")
	was := l.env
	l.env = append(slices.Clone(was), "XDG_CACHE_HOME=/dev/null/nowhere")
	l.without(func() {
		table, _ := l.run(0, "./with-half", "run", "good.toml", "--dir", "with")
		l.has(table, "¹ compiled from half.go, sha256 ")
		l.same("interpreted", "with")
		if err := os.MkdirAll("changed", 0o777); err != nil {
			l.Fatal(err)
		}
		for from, to := range map[string]string{"other.go": "half.go", "good.toml": "good.toml"} {
			text, err := os.ReadFile(from)
			if err == nil {
				err = os.WriteFile(filepath.Join("changed", to), text, 0o666)
			}
			if err != nil {
				l.Fatal(err)
			}
		}
		table, _ = l.run(0, "./with-half", "run", "changed/good.toml")
		l.has(table, "¹ interpreted from half.go, sha256 ")
	})
	l.env = was
}

// A process that died is blamed on the line that its stack has first, and on the call that was seen
// last; where none was seen, on the function of that line.
func TestBlame(t *testing.T) {
	source, err := plugins.Read("testdata/cases/strategies/bad.go")
	if err != nil {
		t.Fatal(err)
	}
	s, err := plugins.Load(t.Context(), source, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	file := "\t/tmp/hansa/" + s.CompiledFile(0)
	for _, c := range [][3]string{
		{"bad.go:40:1: huge: Aggregate", "x.(*bad).Aggregate(0xc0001, {0x1, 0x2})\n" + file + ":71 +0x1d\n",
			"bad.go:71:3: huge: Aggregate"},
		{"", "main.main()\n\t/main.go:1\nx.(*bad).Aggregate(0xc0001, ...)\n" + file + ":71 +0x1d\n",
			"bad.go:71:3: Aggregate"},
		{"", "x.down[...](...)\n" + file + ":37\n", "bad.go:37:1: down"},
		{"", file + ":37\n", "bad.go:37:1"},
		{"bad.go:40:1: deep: Aggregate", "goroutine 1 [running]:\nmain.main()\n", "bad.go:40:1: deep: Aggregate"},
		{"", "killed\n", ""},
	} {
		if got := (toolbox.Strategies{s}).Blame(c[0], c[1]); !strings.HasSuffix(got, c[2]) || c[2] == "" && got != "" {
			t.Errorf("%q and %q: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

// Where nothing is compiled the same commands do without.
func TestNothingToCompile(t *testing.T) {
	var out, said bytes.Buffer
	t.Setenv("PATH", "")
	args := []string{"check", "--parity", "--quiet", "../../experiments/quickstart.toml"}
	if code := hansa(t.Context(), &out, &said, args); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, &said)
	}
	if !strings.Contains(out.String(), "no strategies: there is nothing to compare") {
		t.Errorf("it says\n%s", &out)
	}
}
