package launch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A Worker runs jobs in a process, one at a time. It is used by one goroutine.
type Worker struct {
	Path    string        // of the program
	Args    []string      // that make it call Serve
	Env     []string      // beside those of this process
	Silence time.Duration // after which a process counts as hung; 0: a minute
	// Blame returns where a job was that the process died of, from where it was last seen and what
	// the process wrote; nil: where it was last seen.
	Blame func(at, written string) string

	process *process // nil while there is none
}

// A process is a worker process that lives, or did a moment ago.
type process struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	jobs     *gob.Encoder
	stderr   *tail
	messages chan message // closed at its end
	err      error        // why messages was closed, once it is
}

// Do runs a job and returns its answer. It calls report for all that the job reports while it is at
// work. An error is a *Failure, or that of ctx, whose end calls the job off: Do returns once that
// has come to an end that loses nothing.
func (w *Worker) Do(ctx context.Context, job []byte, report func(Report)) ([]byte, error) {
	if w.process == nil {
		p, err := w.start()
		if err != nil {
			return nil, &Failure{Outcome: Crash, Message: "no worker process: " + err.Error()}
		}
		w.process = p
	}
	p, stop := w.process, ctx.Done()
	// That a process died meanwhile is found out by its messages.
	_ = p.jobs.Encode(request{Job: job})
	silence := time.NewTimer(w.silence())
	defer silence.Stop()
	at := ""
	for {
		select {
		case m, alive := <-p.messages:
			if !alive {
				outcome, message := p.exit()
				if w.Blame != nil {
					at = w.Blame(at, p.stderr.text.String())
				}
				died := w.giveUp(outcome, at, message)
				return nil, cmp.Or(ctx.Err(), died) // an interrupt of all ends the process, too
			}
			silence.Reset(w.silence())
			switch m.Kind {
			case place:
				at = m.At
			case progress:
				at = m.At
				report(m.Report)
			case answer:
				return m.Answer, nil
			case failure:
				if m.Failed.Outcome != Failed {
					w.Close() // it ends itself, or part of it still runs
				}
				return nil, &m.Failed
			case stopped:
				return nil, ctx.Err()
			}
		case <-silence.C:
			return nil, w.giveUp(TimeOut, at,
				fmt.Sprintf("the worker was silent for %v", w.silence()))
		case <-stop:
			stop = nil // once
			_ = p.jobs.Encode(request{Stop: true})
		}
	}
}

func (w *Worker) silence() time.Duration { return cmp.Or(w.Silence, time.Minute) }

// giveUp ends a process and returns what became of its job.
func (w *Worker) giveUp(o Outcome, at, message string) error {
	w.Close()
	return &Failure{Outcome: o, Message: message, At: at}
}

// Close ends the process, if there is one.
func (w *Worker) Close() {
	if p := w.process; p != nil {
		w.process = nil
		p.end()
	}
}

// start starts a process.
func (w *Worker) start() (*process, error) {
	p := &process{cmd: exec.Command(w.Path, w.Args...), stderr: new(tail),
		messages: make(chan message)}
	p.cmd.Env = append(append(os.Environ(), "GOTRACEBACK=none"), w.Env...)
	p.cmd.Stderr = p.stderr
	apart(p.cmd)
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.in, p.jobs = in, gob.NewEncoder(in)
	go p.listen(out)
	return p, nil
}

// listen passes on the messages of the process until there are no more.
func (p *process) listen(out io.Reader) {
	d := gob.NewDecoder(out)
	for {
		var m message
		if err := d.Decode(&m); err != nil {
			p.err = err
			close(p.messages)
			return
		}
		p.messages <- m
	}
}

// end kills the process and waits for its end.
func (p *process) end() {
	_ = p.in.Close()
	_ = p.cmd.Process.Kill() // it may be dead already
	for range p.messages {
		continue // until listen has seen the end
	}
	_ = p.cmd.Wait() // how it ended is known
}

// exit says how a process ended that was not asked to, and of what.
func (p *process) exit() (Outcome, string) {
	_ = p.in.Close()
	err := p.cmd.Wait()
	how := "exit status 0"
	if err != nil {
		how = err.Error()
	}
	outcome, line := Crash, p.stderr.first()
	if line != "" {
		how += ": " + line
	}
	// The words of the runtime, and of the race detector, where the system refuses memory.
	runtime := strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "runtime: ")
	refused := runtime && strings.Contains(line, "memory")
	if refused || strings.Contains(line, "failed to allocate") {
		outcome = Memory
	}
	return outcome, "the worker died: " + how
}

// A tail keeps the beginning of what a process writes: the first lines say why it died.
type tail struct{ text bytes.Buffer }

const most = 1 << 16

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.text.Write(b[:min(len(b), most-t.text.Len())])
	return len(b), nil
}

// first returns the first line that is not empty.
func (t *tail) first() string {
	for line := range strings.Lines(t.text.String()) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}
