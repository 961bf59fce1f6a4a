package diagnose

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
)

// A Machine is what is asked about this machine.
type Machine struct {
	Build store.Build // of this program
	Data  []string    // folders in which data sets are looked for
	Cache string      // the one of them that is made when it is needed
	Sets  []data.Set  // that are known
	Runs  string      // the whole path of the folder of runs, which need not be there
	// Strategy runs a strategy in a worker process; its error says which requirement it violates.
	Strategy func(ctx context.Context) error
}

// Ask asks about everything, and leaves nothing behind.
func (m *Machine) Ask(ctx context.Context, r Report) {
	m.program(r)
	numbers(r)
	processors(r)
	m.sets(r)
	m.place(r)
	if err := m.Strategy(ctx); err != nil {
		r.fail("strategies", phrase.FirstLine(err.Error()),
			"hansa starts itself as a worker process: may programs be executed where it lies?")
		return
	}
	r.ok("strategies", "one was interpreted in a process of its own, and meets the requirements "+
		"of its kind")
}

// program says which hansa this is.
func (m *Machine) program(r Report) {
	b := &m.Build
	revision := "of an unknown revision"
	if b.Revision != "" {
		revision = "of revision " + b.Revision
		if b.Modified {
			revision += ", changed since"
		}
	}
	digest, ok := host.Digest()
	if !ok {
		r.fail("program", "its own file cannot be read",
			"checkpoints and tasks need that: make the file of hansa readable")
		return
	}
	r.ok("program", "%s, SHA-256 %.12s, %s, %s", revision, digest, b.Go, b.Platform)
}

// numbers says what the last bits of numbers depend on.
func numbers(r Report) {
	found := fmt.Sprintf("kernels %s, functions %s", kernel.ISA(), host.Functions())
	asked := os.Getenv("HANSA_ISA")
	switch {
	case kernel.ISA() != "generic" || runtime.GOARCH != "amd64":
		r.ok("numbers", "%s", found)
	case asked != "":
		r.warn("numbers", found+", as HANSA_ISA="+asked+" has it",
			"unset HANSA_ISA: results are the same, several times sooner")
	default:
		r.warn("numbers", found+": the processor has no AVX2",
			"results are right, and take several times as long")
	}
}

// leastMemory is below what cells at once may not fit.
const leastMemory = 1 << 30

// processors says what there is to compute with.
func processors(r Report) {
	model, _, fused := host.Processor()
	if model == "" {
		model = "unnamed"
	}
	if !fused {
		model += ", without fused multiplication"
	}
	r.ok("processors", "%d of %d used; %s", runtime.GOMAXPROCS(0), runtime.NumCPU(), model)
	switch all := host.Installed(); {
	case all == 0:
		r.ok("memory", "it is not known how much there is")
	case all/uint64(runtime.GOMAXPROCS(0)) < leastMemory:
		r.warn("memory", host.Bytes(float64(all))+" for all processors",
			"fewer training runs at once need less: --jobs 1")
	default:
		r.ok("memory", "%s", host.Bytes(float64(all)))
	}
}

// sets says which data sets lie where.
func (m *Machine) sets(r Report) {
	any := false
	for _, folder := range m.Data {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			if folder != m.Cache {
				r.warn("data", folder+" is no folder", "correct --data, or $HANSA_DATA")
			}
			continue
		}
		any = true
		var names []string
		for _, set := range m.Sets {
			if whole(set, folder) {
				names = append(names, set.Name)
			}
		}
		if names == nil {
			names = []string{"no data set that hansa knows"}
		}
		r.ok("data", "in %s: %s", folder, strings.Join(names, ", "))
	}
	if !any {
		r.ok("data", "none; experiments on generated data need none, and hansa data get NAME "+
			"downloads others")
	}
}

// whole reports whether all of a data set lies in a folder, as it was published or unpacked.
func whole(set data.Set, folder string) bool {
	if paths, err := set.Find([]string{folder}); err == nil {
		for i, path := range paths {
			if !set.Files[i].Likely(path) {
				return false
			}
		}
		return true
	}
	var parts []string
	for _, p := range set.Parts {
		parts = append(parts, p.Name)
	}
	_, missing := set.Loose([]string{folder}, parts)
	return len(parts) > 0 && len(missing) == 0
}

// leastRoom is what a large run may need.
const leastRoom = 1 << 30

// place says whether runs can be kept here: files are written, replaced and read again.
func (m *Machine) place(r Report) {
	dir, undo, err := scratch(m.Runs)
	if err == nil {
		err = replaced(dir)
		undo()
	}
	if err != nil {
		r.fail("runs", fmt.Sprintf("nothing can be stored in %s: %v", m.Runs, fault.Cause(err)),
			"work in a folder of yours, or keep each run elsewhere with --dir")
		return
	}
	at := m.Runs
	if _, err := os.Stat(at); err != nil {
		at = filepath.Dir(at)
	}
	switch free, known := host.Room(at); {
	case !known:
		r.ok("runs", "files can be written, replaced and read in %s", m.Runs)
	case free < leastRoom:
		r.warn("runs", fmt.Sprintf("only %s are free in %s", host.Bytes(float64(free)), m.Runs),
			"make room, or keep runs elsewhere with --dir")
	default:
		r.ok("runs", "files can be written, replaced and read in %s; %s are free", m.Runs,
			host.Bytes(float64(free)))
	}
}

// scratch makes a folder among the runs, and returns what removes it again.
func scratch(runs string) (dir string, undo func(), err error) {
	_, before := os.Stat(runs)
	if err := os.MkdirAll(runs, 0o777); err != nil {
		return "", nil, err
	}
	dir, err = os.MkdirTemp(runs, ".doctor-")
	return dir, func() {
		_ = os.RemoveAll(dir) // what is left of it does no harm
		if before != nil {
			_ = os.Remove(runs) // unless there is something in it by now
		}
	}, err
}

// replaced writes a file, replaces it and reads it.
func replaced(dir string) error {
	run := store.Run{Dir: dir}
	var content []byte
	for k := range 2 {
		content = bytes.Repeat([]byte{byte(k)}, 1<<16)
		if err := run.SaveFile("file", content); err != nil {
			return err
		}
	}
	read, err := os.ReadFile(filepath.Join(dir, "file"))
	if err == nil && !bytes.Equal(read, content) {
		err = errors.New("what is read is not what was written")
	}
	return err
}
