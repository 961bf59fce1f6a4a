package plugins

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/traefik/yaegi/interp"

	"github.com/hansa-fl/hansa/plugins/corpora"
	"github.com/hansa-fl/hansa/plugins/symbols"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// asWorker is set where the test binary interprets programs of the corpora for another one: these
// programs may end the process that they run in.
const asWorker = "HANSA_TEST_INTERPRETS"

// The test binary is a worker as well.
func TestMain(m *testing.M) {
	if os.Getenv(asWorker) == "" {
		os.Exit(m.Run())
	}
	if err := serveCorpora(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// A task is a program that is to be interpreted.
type task struct {
	Name, Text string
	Limit      time.Duration
}

// An ending is what became of a program.
type ending struct {
	Said    string   // what it printed, and how it ended
	Refused []string // why it is refused, if it is
	Slow    bool     // it had not ended in time
}

// serveCorpora interprets one program after the other.
func serveCorpora(r io.Reader, w io.Writer) error {
	debug.SetMaxStack(128 << 20)
	in, out := json.NewDecoder(r), json.NewEncoder(w)
	for {
		var now task
		switch err := in.Decode(&now); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := out.Encode(now.interpret()); err != nil {
			return err
		}
	}
}

// vetPanics is what a refusal begins with that is a panic: vet is never to panic.
const vetPanics = "vet panics: "

// vetted vets a program of the corpora.
func vetted(name, text string) (pkg *vet.Package, refused []string) {
	defer func() {
		if p := recover(); p != nil {
			pkg, refused = nil, []string{fmt.Sprint(vetPanics, p)}
		}
	}()
	files := []vet.File{{Name: name, Text: text}}
	pkg, problems := vet.CheckProgram(files, map[string]string{corpora.Recorder: corpora.Declared})
	for _, p := range problems {
		refused = append(refused, p.Message)
	}
	return pkg, refused
}

// interpret vets and interprets a program.
func (now task) interpret() ending {
	pkg, refused := vetted(now.Name, now.Text)
	if refused != nil {
		return ending{Refused: refused}
	}
	said := &limited{left: mostSaid}
	table := maps.Clone(symbols.Table())
	recorder := map[string]reflect.Value{}
	for name, f := range corpora.Values(said, func() { panic("exit") }) {
		recorder[name] = reflect.ValueOf(f)
	}
	table[corpora.Recorder+"/"+corpora.Recorder] = recorder
	m, err := newMachine(context.Background(), pkg, now.Limit, yaegi{interp.Exports(table)})
	if err != nil {
		return ending{Refused: []string{err.Error()}}
	}
	defer m.stop()
	err = m.call(now.Name, corpora.Run, func() error { m.value(corpora.Run).Call(nil); return nil })
	var fault *Fault
	if errors.As(err, &fault) && fault.Timeout {
		return ending{Slow: true}
	}
	if err != nil {
		return ending{Said: said.String() + endsInPanic}
	}
	return ending{Said: said.String()}
}

// mostSaid is how much is kept of what a program prints, and endsInPanic what is said of one that
// ends so.
const (
	mostSaid    = 1 << 20
	endsInPanic = "panic\n"
)

// A limited writer keeps so many bytes of what is written to it.
type limited struct {
	bytes.Buffer
	left int
}

// Write implements io.Writer.
func (l *limited) Write(p []byte) (int, error) {
	keep := min(len(p), l.left)
	l.left -= keep
	l.Buffer.Write(p[:keep])
	return len(p), nil
}

// A worker is a process that interprets programs, one after the other. One that a program ended
// is followed by another.
type worker struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	errs *limited
}

// start starts the process.
func (w *worker) start() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	w.cmd = exec.Command(self)
	w.cmd.Env = append(os.Environ(), asWorker+"=1", "GOTRACEBACK=none")
	w.errs = &limited{left: 1 << 12}
	w.cmd.Stderr = w.errs
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	w.out = bufio.NewReader(out)
	return w.cmd.Start()
}

// stop ends the process, if there is one.
func (w *worker) stop() {
	if w.cmd == nil {
		return
	}
	w.in.Close()
	_ = w.cmd.Process.Kill() // it may have ended
	_ = w.cmd.Wait()         // and says how
	w.cmd = nil
}

// interpret has a program interpreted. One that ends the process died; one that neither ends nor
// can be stopped is killed a while after its limit.
func (w *worker) interpret(t *testing.T, now task) (o ending) {
	t.Helper()
	if w.cmd == nil {
		if err := w.start(); err != nil {
			t.Fatal(err)
		}
	}
	var killed atomic.Bool
	timer := time.AfterFunc(now.Limit+10*time.Second, func() {
		killed.Store(true)
		_ = w.cmd.Process.Kill() // it may have ended
	})
	err := json.NewEncoder(w.in).Encode(now)
	line, read := w.out.ReadBytes('\n')
	if !timer.Stop() || err != nil || read != nil {
		w.stop()
		said, _, _ := strings.Cut(w.errs.String(), "\n")
		return ending{Slow: killed.Load(), Said: died + said + "\n"}
	}
	if err := json.Unmarshal(line, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// died is said of a program that ended its process.
const died = "died: "

// same reports whether two endings are the same. Processes that died may have said different
// things before.
func (e ending) same(as ending) bool {
	return e.Said == as.Said ||
		strings.HasPrefix(e.Said, died) && strings.HasPrefix(as.Said, died)
}
