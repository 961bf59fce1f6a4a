package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/hansa-fl/hansa/framework/study"
)

// A Submission is cells that were handed to an engine beside this machine's own: a cluster, a list
// of commands. The engine starts tasks; which task runs which cells is settled here, so that tasks
// need no queue of ours.
type Submission struct {
	Name      string     `json:"name"`
	Engine    string     `json:"engine"`  // "slurm", "commands", "kubernetes", …
	Made      string     `json:"made"`    // RFC 3339
	Program   string     `json:"program"` // SHA-256 of the frozen one that tasks run
	Job       string     `json:"job,omitempty"`
	Collector string     `json:"collector,omitempty"` // the job that collects
	Successor string     `json:"successor,omitempty"` // the job that goes on with the run
	Tasks     [][]string `json:"tasks"`               // ids of cells, by the index of the task
}

// A Work is all that a task needs to know, whatever becomes of plan and experiment meanwhile.
type Work struct {
	Cells      []study.Cell `json:"cells"`
	IDs        []string     `json:"ids"` // parallel to Cells
	Strategies []Strategy   `json:"strategies,omitempty"`
	Terms      Terms        `json:"terms"`
}

// Terms are how cells are to be run. No result depends on them.
type Terms struct {
	Call       time.Duration `json:"call"`                 // a call into a strategy may take
	Cell       time.Duration `json:"cell,omitempty"`       // a cell may take; 0: what it takes
	Checkpoint time.Duration `json:"checkpoint"`           // between two; 0: never
	Memory     uint64        `json:"memory,omitempty"`     // bytes of a worker; 0: its share
	Isolation  string        `json:"isolation"`            // of which cells
	Strategies string        `json:"strategies,omitempty"` // "compiled" into the program, or not
	Keep       bool          `json:"keep,omitempty"`       // arrays are stored
	Folders    []string      `json:"folders"`              // with data
	NoRequeue  bool          `json:"no_requeue,omitempty"` // it may not ask to be started again
}

// Folder returns where a submission lies.
func (r Run) Folder(submission string) string {
	return filepath.Join(r.Dir, "submissions", submission)
}

// submissionFile returns where a file of a submission lies.
func submissionFile(submission, file string) (string, error) {
	if !submissionName.MatchString(submission) {
		return "", fmt.Errorf("%.80q is no name of a submission", submission)
	}
	return "submissions/" + submission + "/" + file, nil
}

// submissionName is the form of the names of submissions.
var submissionName = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z-]{0,63}$`)

// SaveSubmission stores a submission.
func (r Run) SaveSubmission(s *Submission) error {
	name, err := submissionFile(s.Name, "submission.json")
	if err != nil {
		return err
	}
	return r.save(name, submissionForm, s.Name, s)
}

// DropSubmission removes all that is stored of a submission.
func (r Run) DropSubmission(submission string) error {
	name, err := submissionFile(submission, "submission.json")
	if err != nil {
		return err
	}
	return r.within(func(f *folder) error {
		if err := f.direct(name); err != nil {
			return err
		}
		return f.named(f.root.RemoveAll(path.Dir(name)))
	})
}

// Submissions returns all submissions of a run, the oldest first. What cannot be read is an error
// beside the others.
func (r Run) Submissions() (list []*Submission, trouble error) {
	trouble = r.within(func(f *folder) error {
		folders, trouble := f.match("submissions/*")
		for _, at := range folders {
			var s Submission
			found, err := f.load(at+"/submission.json", submissionForm, path.Base(at), &s)
			if err == nil && found { // else it never started
				err = s.check(path.Base(at))
			}
			switch {
			case err != nil:
				trouble = errors.Join(trouble, err)
			case found:
				list = append(list, &s)
			}
		}
		return trouble
	})
	slices.SortStableFunc(list, func(a, b *Submission) int {
		return cmp.Or(cmp.Compare(a.Made, b.Made), cmp.Compare(a.Name, b.Name))
	})
	return list, gone(trouble)
}

// check refuses names of files that would be no names of what they should be.
func (s *Submission) check(name string) error {
	wrong := func(what string) error {
		return fmt.Errorf("submission %s %w: %s", name, ErrDamaged, what)
	}
	switch {
	case s.Name != name || !submissionName.MatchString(name):
		return wrong("its name is another one")
	case !hex64.MatchString(s.Program):
		return wrong("its program has no SHA-256")
	}
	for _, task := range s.Tasks {
		for _, id := range task {
			if !hex64.MatchString(id) {
				return wrong(fmt.Sprintf("%.80q is no id of a training run", id))
			}
		}
	}
	return nil
}

// SaveWork stores what a task of a submission has to do.
func (r Run) SaveWork(submission string, task int, w *Work) error {
	name, of, err := taskFile(submission, "tasks", task)
	if err != nil {
		return err
	}
	return r.save(name, workForm, of, w)
}

// LoadWork returns what a task of a submission has to do.
func (r Run) LoadWork(submission string, task int) (*Work, error) {
	name, of, err := taskFile(submission, "tasks", task)
	if err != nil {
		return nil, err
	}
	var w Work
	found, err := r.load(name, workForm, of, &w)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, fmt.Errorf("there is no task %d of submission %q in %s", task, submission,
			r.Dir)
	}
	if err := identified(w.Cells, w.IDs); err != nil {
		return nil, fmt.Errorf("%s %w: %w", r.at(name), ErrDamaged, err)
	}
	return &w, nil
}

// taskFile returns where a file of a task lies, and what its record is of.
func taskFile(submission, kind string, task int) (name, of string, err error) {
	name, err = submissionFile(submission, fmt.Sprintf("%s/%d.json", kind, task))
	return name, fmt.Sprintf("%s/%d", submission, task), err
}

// A Turn is what a task leaves for its next start: how often it was started without getting
// anywhere.
type Turn struct {
	Rounds    int `json:"rounds"`    // of all its cells that were stored then
	Fruitless int `json:"fruitless"` // starts in a row that added none
}

// SaveTurn and LoadTurn store what a task leaves for its next start.
func (r Run) SaveTurn(submission string, task int, t Turn) error {
	name, of, err := taskFile(submission, "turns", task)
	if err != nil {
		return err
	}
	return r.save(name, turnForm, of, t)
}

// LoadTurn returns what the start before this one left, or nothing.
func (r Run) LoadTurn(submission string, task int) (t Turn) {
	name, of, err := taskFile(submission, "turns", task)
	if err == nil {
		_, err = r.load(name, turnForm, of, &t)
	}
	if err != nil {
		return Turn{} // it only guards against starts without end
	}
	return t
}

// Freeze keeps a copy of a program, so that a new build changes nothing for tasks that wait, and
// returns where it lies: bin/<digest>/<name>.
func (r Run) Freeze(program, digest string, content []byte) (string, error) {
	name := path.Join("bin", digest, program)
	if !hex64.MatchString(digest) {
		return "", fmt.Errorf("%.80q is no SHA-256 of a program", digest)
	}
	return r.at(name), r.storing(func(f *folder) error {
		if old, err := f.read(name); err == nil {
			if sum := sha256.Sum256(old); hex.EncodeToString(sum[:]) == digest {
				return nil
			}
		}
		if err := f.write(name, content); err != nil {
			return err
		}
		return f.named(f.root.Chmod(name, 0o555))
	})
}

// SaveFile replaces a file of a run in one step, so that what reads it finds the old one or the
// new one.
func (r Run) SaveFile(name string, content []byte) error {
	return r.storing(func(f *folder) error { return f.write(filepath.ToSlash(name), content) })
}

// ReadFile returns the content of a file of a run.
func (r Run) ReadFile(name string) (content []byte, err error) {
	err = r.within(func(f *folder) (err error) {
		content, err = f.read(filepath.ToSlash(name))
		return err
	})
	return content, err
}

// Look lists the folders of results: a process that asks for the names of files first does not see
// what a network file system remembers of them.
func (r Run) Look() {
	_ = r.within(func(f *folder) error { // what is wrong with them is said when they are read
		_, err := f.match("results/*/*")
		return err
	})
}
