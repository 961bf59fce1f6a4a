package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/hansa-fl/hansa/framework/study"
)

// The forms of what is stored of a submission. They change whenever an older program would misread
// it, or this one an older one.
const (
	submissionForm = "hansa/submission/1"
	workForm       = "hansa/work/1"
)

// A Submission is cells that were handed to an engine beside this machine's own: a cluster, a list
// of commands. The engine starts tasks; which task runs which cells is settled here, so that tasks
// need no queue of ours.
type Submission struct {
	Form      string     `json:"form"` // SaveSubmission fills it in
	Name      string     `json:"name"`
	Engine    string     `json:"engine"`  // "slurm", "commands", "kubernetes", …
	Made      string     `json:"made"`    // RFC 3339
	Program   string     `json:"program"` // SHA-256 of the frozen one that tasks run
	Job       string     `json:"job,omitempty"`
	Collector string     `json:"collector,omitempty"` // the job that collects
	Tasks     [][]string `json:"tasks"`               // ids of cells, by the index of the task
}

// A Work is all that a task needs to know, whatever becomes of plan and experiment meanwhile.
type Work struct {
	Form       string       `json:"form"` // SaveWork fills it in
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
	Keep       bool          `json:"keep,omitempty"`       // arrays are stored
	Folders    []string      `json:"folders"`              // with data
	NoRequeue  bool          `json:"no_requeue,omitempty"` // it may not ask to be started again
}

// Folder returns where a submission lies.
func (r Run) Folder(submission string) string {
	return filepath.Join(r.Dir, "submissions", submission)
}

// SaveSubmission stores a submission.
func (r Run) SaveSubmission(s *Submission) error {
	s.Form = submissionForm
	return r.save(filepath.Join(r.Folder(s.Name), "submission.json"), s)
}

// Submissions returns all submissions of a run, the oldest first. What cannot be read is an error
// beside the others.
func (r Run) Submissions() (list []*Submission, trouble error) {
	entries, err := os.ReadDir(filepath.Join(r.Dir, "submissions"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		path := filepath.Join(r.Folder(e.Name()), "submission.json")
		var s Submission
		switch found, err := r.load(path, &s); {
		case err != nil:
			trouble = errors.Join(trouble, err)
		case !found: // it never came so far
		case s.Form != submissionForm:
			trouble = errors.Join(trouble, formError(path, s.Form, submissionForm))
		default:
			list = append(list, &s)
		}
	}
	slices.SortStableFunc(list, func(a, b *Submission) int {
		return cmp.Or(cmp.Compare(a.Made, b.Made), cmp.Compare(a.Name, b.Name))
	})
	return list, trouble
}

func formError(path, got, want string) error {
	return fmt.Errorf("%s is nothing that this version of hansa reads: its form is %q, not %q",
		path, got, want)
}

// SaveWork stores what a task of a submission has to do.
func (r Run) SaveWork(submission string, task int, w *Work) error {
	w.Form = workForm
	content, err := json.Marshal(w)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return writeFile(r.work(submission, task), append(content, '\n'))
}

// LoadWork returns what a task of a submission has to do.
func (r Run) LoadWork(submission string, task int) (*Work, error) {
	path := r.work(submission, task)
	var w Work
	found, err := r.load(path, &w)
	switch {
	case err != nil:
		return nil, err
	case !found:
		return nil, fmt.Errorf("there is no task %d of submission %q in %s", task, submission,
			r.Dir)
	case w.Form != workForm:
		return nil, formError(path, w.Form, workForm)
	case len(w.Cells) != len(w.IDs):
		return nil, fmt.Errorf("%s: %d ids for %d cells", path, len(w.IDs), len(w.Cells))
	}
	return &w, nil
}

func (r Run) work(submission string, task int) string {
	return filepath.Join(r.Folder(submission), "tasks", strconv.Itoa(task)+".json")
}

// A Turn is what a task leaves for its next start: how often it was started without getting
// anywhere.
type Turn struct {
	Rounds    int `json:"rounds"`    // of all its cells that were stored then
	Fruitless int `json:"fruitless"` // starts in a row that added none
}

// SaveTurn and LoadTurn store what a task leaves for its next start.
func (r Run) SaveTurn(submission string, task int, t Turn) error {
	return r.save(r.turn(submission, task), t)
}

// LoadTurn returns what the start before this one left, or nothing.
func (r Run) LoadTurn(submission string, task int) (t Turn) {
	if _, err := r.load(r.turn(submission, task), &t); err != nil {
		return Turn{} // it only guards against starts without end
	}
	return t
}

func (r Run) turn(submission string, task int) string {
	return filepath.Join(r.Folder(submission), "turns", strconv.Itoa(task)+".json")
}

// Freeze keeps a copy of a program, so that a new build changes nothing for tasks that wait, and
// returns where it lies: bin/<digest>/<name>.
func (r Run) Freeze(name, digest string, program []byte) (string, error) {
	path := filepath.Join(r.Dir, "bin", digest, name)
	if old, err := os.ReadFile(path); err == nil {
		if sum := sha256.Sum256(old); hex.EncodeToString(sum[:]) == digest {
			return path, nil
		}
	}
	if err := writeFile(path, program); err != nil {
		return "", err
	}
	return path, os.Chmod(path, 0o555)
}

// SaveFile replaces a file of a run in one step, so that whoever reads it finds the old one or the
// new one.
func (r Run) SaveFile(name string, content []byte) error {
	return writeFile(filepath.Join(r.Dir, name), content)
}
