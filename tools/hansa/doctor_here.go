package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/hansa-fl/hansa/framework/data"
	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/kernel"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/exam"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/plugins"
	"github.com/hansa-fl/hansa/plugins/draft"
	"github.com/hansa-fl/hansa/plugins/vet"
)

// here looks at this machine.
func (d *doctor) here(ctx context.Context) {
	d.program()
	d.numbers()
	d.machine()
	d.sets()
	d.place()
	d.strategies(ctx)
}

// program says which hansa this is.
func (d *doctor) program() {
	b := session.Build()
	revision := "of an unknown revision"
	if b.Revision != "" {
		revision = "of revision " + b.Revision
		if b.Modified {
			revision += ", changed since"
		}
	}
	digest, ok := host.Digest()
	if !ok {
		d.wrong("program", "its own file cannot be read",
			"checkpoints and tasks need that: make the file of hansa readable")
		return
	}
	d.fine("program", "%s, SHA-256 %.12s, %s, %s", revision, digest, b.Go, b.Platform)
}

// numbers says what the last bits of numbers depend on.
func (d *doctor) numbers() {
	found := fmt.Sprintf("kernels %s, functions %s", kernel.ISA(), host.Functions())
	asked := os.Getenv("HANSA_ISA")
	switch {
	case kernel.ISA() != "generic" || runtime.GOARCH != "amd64":
		d.fine("numbers", "%s", found)
	case asked != "":
		d.odd("numbers", found+", as HANSA_ISA="+asked+" has it",
			"unset HANSA_ISA: results are the same, several times sooner")
	default:
		d.odd("numbers", found+": the processor has no AVX2",
			"results are right, and take several times as long")
	}
}

// leastMemory is below what cells at once may not fit.
const leastMemory = 1 << 30

// machine says what there is to compute with.
func (d *doctor) machine() {
	model, _, fused := host.Processor()
	if model == "" {
		model = "unnamed"
	}
	if !fused {
		model += ", without fused multiplication"
	}
	d.fine("processors", "%d of %d used; %s", runtime.GOMAXPROCS(0), runtime.NumCPU(), model)
	switch all := host.Installed(); {
	case all == 0:
		d.fine("memory", "it is not known how much there is")
	case all/uint64(runtime.GOMAXPROCS(0)) < leastMemory:
		d.odd("memory", host.Size(int64(all))+" for all processors",
			"fewer cells at once need less: --jobs 1")
	default:
		d.fine("memory", "%s", host.Size(int64(all)))
	}
}

// sets says which data sets lie where.
func (d *doctor) sets() {
	any := false
	for _, folder := range session.Folders("", d.data) {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			if folder != session.DataCache() { // which is made when it is needed
				d.odd("data", folder+" is no folder", "correct --data, or $HANSA_DATA")
			}
			continue
		}
		any = true
		var names []string
		for _, set := range knownSets() {
			if whole(set, folder) {
				names = append(names, set.Name)
			}
		}
		if names == nil {
			names = []string{"no data set that hansa knows"}
		}
		d.fine("data", "in %s: %s", folder, strings.Join(names, ", "))
	}
	if !any {
		d.fine("data", "none; experiments on generated data need none, and hansa data get NAME "+
			"downloads others")
	}
}

// whole reports whether all of a data set lies in a folder, as it was published or unpacked.
func whole(set data.Set, folder string) bool {
	if paths, err := set.Find([]string{folder}); err == nil {
		for i, path := range paths {
			info, err := os.Stat(path)
			if err != nil || set.Files[i].Size != 0 && info.Size() != set.Files[i].Size {
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

// runsFolder is where runs are kept.
const runsFolder = "runs"

// leastRoom is what a large run may need.
const leastRoom = 1 << 30

// place says whether runs can be kept here: files are written, replaced and read again.
func (d *doctor) place() {
	what := session.Real(runsFolder)
	dir, undo, err := scratch()
	if err == nil {
		err = replaced(dir)
		undo()
	}
	if err != nil {
		d.wrong("runs", fmt.Sprintf("nothing can be stored in %s: %v", what, fault.Cause(err)),
			"work in a folder of yours, or keep each run elsewhere with --dir")
		return
	}
	at := "."
	if _, err := os.Stat(runsFolder); err == nil {
		at = runsFolder
	}
	switch free, known := host.Room(at); {
	case !known:
		d.fine("runs", "files can be written, replaced and read in %s", what)
	case free < leastRoom:
		d.odd("runs", fmt.Sprintf("only %s are free in %s", host.Size(int64(free)), what),
			"make room, or keep runs elsewhere with --dir")
	default:
		d.fine("runs", "files can be written, replaced and read in %s; %s are free", what,
			host.Size(int64(free)))
	}
}

// scratch makes a folder among the runs, and returns what removes it again.
func scratch() (dir string, undo func(), err error) {
	_, before := os.Stat(runsFolder)
	if err := os.MkdirAll(runsFolder, 0o777); err != nil {
		return "", nil, err
	}
	dir, err = os.MkdirTemp(runsFolder, ".doctor-")
	return dir, func() {
		_ = os.RemoveAll(dir) // what is left of it does no harm
		if before != nil {
			_ = os.Remove(runsFolder) // unless there is something in it by now
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
		err = fmt.Errorf("what is read is not what was written")
	}
	return err
}

// strategies says whether code of the user's can be run: interpreted, in a process of its own.
func (d *doctor) strategies(ctx context.Context) {
	text, err := draft.Draft{Kind: "aggregator"}.Template("mine.go")
	if err == nil {
		source := plugins.NewSource("mine.go", []vet.File{{Name: "mine.go", Text: text}})
		var s *plugins.Strategy
		if s, err = plugins.Load(ctx, source, exam.Budget); err == nil {
			var found *exam.Examined
			if found, err = session.Examination(ctx, s, false); err == nil {
				err = broken(found)
			}
		}
	}
	if err != nil {
		d.wrong("strategies", phrase.FirstLine(err.Error()),
			"hansa starts itself as a worker process: may programs be executed where it lies?")
		return
	}
	d.fine("strategies", "one was interpreted in a process of its own, and keeps its promises")
}

// broken says which promise a strategy broke first.
func broken(found *exam.Examined) error {
	if len(found.Violations) > 0 {
		return fmt.Errorf("%s: %s", found.Violations[0].Check, found.Violations[0].Found)
	}
	return nil
}
