package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/plugins/symbols"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

// The test binary is hansa, too, where it is started as a worker process.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "task" {
		os.Exit(hansa(context.Background(), os.Stdout, os.Stderr, os.Args[1:]))
	}
	inherit(syscall.SIGINT, syscall.SIGHUP)
	if err := os.Setenv(cli.StrategiesVariable, session.AsInterpreted); err != nil { // compiling takes long
		panic(err)
	}
	code := m.Run()
	if err := os.RemoveAll(programs); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// programs is the folder of what builtProgram builds.
var programs string

// builtProgram builds hansa as users do, once for all tests, and returns its path. What tools/check has
// built so is not built again.
var builtProgram = sync.OnceValues(func() (path string, err error) {
	if programs, err = os.MkdirTemp("", "hansa-programs-"); err != nil {
		return "", err
	}
	if path = os.Getenv("HANSA_PROGRAM"); path != "" {
		return path, nil
	}
	path = filepath.Join(programs, "hansa")
	out, err := exec.Command("go", "build", "-o", path, symbols.Path+"/tools/hansa").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// asBuilt is builtProgram, for a test.
func asBuilt(t *testing.T) string {
	t.Helper()
	path, err := builtProgram()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// inherit has programs that tests start, and stop by these signals, not ignore them where these
// tests do, as with nohup: a signal that is listened to is no longer ignored by programs that are started.
func inherit(signals ...os.Signal) {
	for _, s := range signals {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s) // it is not read
		}
	}
}

// volatile is what differs from run to run in what hansa prints.
var volatile = []struct{ name, pattern, instead string }{
	{"how long a cell took", `(?m)(ok   .*  |FAIL\S* .* after )(\d+(?:\.\d+)?m?s|\d\d:\d\d)`, "${1}TIME"},
	{"how long the rest will take", `  eta [0-9:]+`, "  eta TIME"},
	{"the metric seconds in CSV", `(,seconds,s,,complete),[^,]*,[^,]*,`, "${1},TIME,TIME,"},
	{"when a run was at work and what it takes", `\d{4}-\d\d-\d\d \d\d:\d\d +\S+ k?B +`, "WHEN   SIZE   "},
	{"the same in JSON", `("last": )"[^"]*"|("bytes": )\d+`, "${1}${2}VOLATILE"},
	{"what a page takes, which says when it was run", `(\.html: )[\d.]+ [kM]B`, "${1}SIZE"},
	{"the name of a submission, which is when it was made", `\d{8}-\d{6}-[a-z2-7]{4}`, "SUBMISSION"},
	{"the folder of caches", `/dev/null/nowhere(?:/Library/Caches)?/hansa`, "CACHE/hansa"},
	{"what begins the escape sequences of a terminal", "\x1b", "␛"},
}

// steady returns a text without what differs from run to run.
func steady(text string) string {
	for _, v := range volatile {
		text = regexp.MustCompile(v.pattern).ReplaceAllString(text, v.instead)
	}
	return text
}

// Every folder of testdata/cases is a script: its file cmd has one command per line, which
// run in a fresh folder that holds the other files of the case. See script.step for the
// commands. What they print is what stdout and stderr say.
func TestCommands(t *testing.T) {
	cases, err := filepath.Glob("testdata/cases/*/cmd")
	if err != nil || len(cases) == 0 {
		t.Fatalf("found %d cases, %v", len(cases), err)
	}
	for _, cmd := range cases {
		dir, err := filepath.Abs(filepath.Dir(cmd))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(dir), func(t *testing.T) { play(t, dir) })
	}
}

// Of the cases those that run cells, have some fail, audit them and draw what they gave are what the
// race detector watches: what it learns from the others is the same.
func TestCommandsAtOnce(t *testing.T) {
	for _, name := range []string{"run", "overflow", "audit", "report"} {
		dir, err := filepath.Abs(filepath.Join("testdata", "cases", name))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { play(t, dir) })
	}
}

// play runs the script of a folder.
func play(t *testing.T, dir string) {
	cmd, err := os.ReadFile(filepath.Join(dir, "cmd"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HANSA_DATA", "")
	t.Setenv("COLUMNS", "")
	t.Setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
	t.Setenv("HOME", "/dev/null/nowhere")
	t.Setenv("NO_COLOR", "")
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	s := &script{T: t}
	for line := range strings.Lines(string(cmd)) {
		s.step(strings.TrimSpace(line))
	}
	golden(t, filepath.Join(dir, "stdout"), steady(s.out.String()))
	golden(t, filepath.Join(dir, "stderr"), steady(s.err.String()))
}

// A script is a case at work, and what it printed so far.
type script struct {
	*testing.T
	out, err strings.Builder
}

// word is one word of a command line: in single quotes, or without spaces.
var word = regexp.MustCompile(`'[^']*'|\S+`)

// step runs one line of a script: a comment after #; hansa, after its exit code where that
// is not 0; or one of
//
//	rm PATH               removes a file or a folder with all that is in it
//	cp FROM TO            copies a file, over what is there
//	cat PATH              prints a file
//	flip GLOB             changes one bit in the middle of the one file with such a name
//	files GLOB            says how many files have such a name
//	env KEY=VALUE         sets a variable of the environment
//	cd FOLDER             changes the folder
func (s *script) step(line string) {
	s.Helper()
	words := word.FindAllString(line, -1)
	for i, w := range words {
		words[i] = strings.Trim(w, "'")
	}
	if len(words) == 0 || strings.HasPrefix(line, "#") {
		return
	}
	want := 0
	if code, err := strconv.Atoi(words[0]); err == nil {
		want, words = code, words[1:]
	}
	said, complained := s.out.Len(), s.err.Len()
	if words[0] == "hansa" {
		s.hansa(want, words[1:])
	} else if err := s.files(words[0], words[1:]); err != nil {
		s.Fatalf("%s: %v", line, err)
	}
	line = "$ " + strings.TrimPrefix(line, fmt.Sprintf("%d ", want)) + "\n"
	head(&s.out, said, line)
	head(&s.err, complained, line)
}

// head writes a line before what was written from some place on, if anything was.
func head(b *strings.Builder, from int, line string) {
	if text := b.String(); len(text) > from {
		b.Reset()
		b.WriteString(text[:from] + line + text[from:])
	}
}

// hansa runs a command line, and holds it to what holds for every one.
func (s *script) hansa(want int, args []string) {
	s.Helper()
	var out strings.Builder
	code := hansa(s.Context(), &out, &s.err, args)
	s.out.WriteString(out.String())
	if code != want {
		s.Errorf("hansa %s: exit code %d, want %d", strings.Join(args, " "), code, want)
	}
	if code == exitUsage && out.Len() > 0 {
		s.Errorf("hansa %s: a mistake, and yet it printed\n%s", strings.Join(args, " "), &out)
	}
	if asked := strings.Join(args, " "); strings.Contains(asked, "--format json") && out.Len() > 0 {
		if !json.Valid([]byte(out.String())) {
			s.Errorf("hansa %s: that is no JSON", asked)
		}
	}
}

// files does what a script does beside calling hansa.
func (s *script) files(verb string, args []string) error {
	switch verb {
	case "rm":
		if _, err := os.Stat(args[0]); err != nil {
			return err
		}
		return os.RemoveAll(args[0])
	case "cp":
		content, err := os.ReadFile(args[0])
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(args[1]), 0o777); err != nil {
			return err
		}
		return os.WriteFile(args[1], content, 0o666)
	case "cat":
		content, err := os.ReadFile(args[0])
		s.out.Write(content)
		return err
	case "flip":
		return flip(args[0])
	case "files":
		found, err := filepath.Glob(args[0])
		fmt.Fprintln(&s.out, len(found))
		return err
	case "env":
		key, value, _ := strings.Cut(args[0], "=")
		s.Setenv(key, value)
		return nil
	case "cd":
		s.Chdir(args[0])
		return nil
	}
	return fmt.Errorf("there is no such command")
}

// flip changes one bit in the middle of the one file with such a name.
func flip(glob string) error {
	found, err := filepath.Glob(glob)
	if err != nil || len(found) != 1 {
		return fmt.Errorf("%d files, %v", len(found), err)
	}
	content, err := os.ReadFile(found[0])
	if err != nil {
		return err
	}
	content[len(content)/2] ^= 1
	return os.WriteFile(found[0], content, 0o666)
}
