package session

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/clusters"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/framework/study"
)

// A submission is cells on their way to an engine.
type submission struct {
	*Job
	options *Options
	site    *launch.Site
	engine  string
	most    int           // tasks
	want    time.Duration // that a task is expected to take; 0: as launch.Pack has it
	program string

	strategies string // how tasks run them: compiled or interpreted
}

// A Target is the cluster that cells are handed to.
type Target struct {
	Name    string       // of the cluster
	File    string       // its site profile; "": there is none
	Site    *launch.Site // what is asked for
	Collect bool         // one more job writes the tables once all tasks have ended
	// Next are the arguments of hansa with which one more job goes on once all tasks have ended;
	// none: there is no such job.
	Next []string
}

// Submit hands cells to a cluster, but for those that it has already. It returns nil where it has
// all of them.
func (j *Job) Submit(ctx context.Context, missing []int, o *Options, to *Target) (
	*store.Submission, error,
) {
	cluster := clusters.Named(to.Name)
	if cluster == nil {
		return nil, fmt.Errorf("there is no cluster %q; %s", to.Name,
			study.Suggest(to.Name, clusters.Names()))
	}
	mark, err := j.Run.CancelMark()
	if err != nil {
		return nil, fault.Of(err)
	}
	limits, err := cluster.Limits(ctx)
	if err != nil {
		return nil, fault.Of(fmt.Errorf("--on %s: %w", to.Name, err))
	}
	missing, err = j.Idle(ctx, missing)
	if err != nil || len(missing) == 0 {
		return nil, err
	}
	if err := cluster.Try(ctx, to.Site); err != nil {
		return nil, fmt.Errorf("--on %s: %w%s", to.Name, err, FromSite(to.File))
	}
	d := &submission{Job: j, options: o, site: to.Site, engine: to.Name,
		most: limits.Tasks(to.Site)}
	sub, err := d.prepare(ctx, missing)
	if err != nil {
		return nil, err
	}
	if sub.Job, err = launch.Submit(ctx, cluster, d.array(sub)); err != nil {
		return nil, fault.Of(fmt.Errorf("not submitted: %w; the same command tries again", err))
	}
	if to.Collect {
		a := d.after(sub, collecting, []string{"collect", d.Run.Dir})
		if sub.Collector, err = launch.Submit(ctx, cluster, a); err != nil {
			j.Sayf("hansa: the job that collects was not submitted: %v", err)
		}
	}
	if len(to.Next) > 0 {
		a := d.after(sub, succeeding, to.Next)
		if sub.Successor, err = launch.Submit(ctx, cluster, a); err != nil {
			j.Sayf("hansa: the job that goes on was not submitted: %v", err)
		}
	}
	if err := j.Run.SaveSubmission(sub); err != nil {
		return nil, fault.Unstorable(j.Run.Dir, err)
	}
	return sub, j.callOff(ctx, cluster, sub, mark)
}

// callOff cancels what was submitted where the run was cancelled meanwhile: it has another mark. A
// cancellation that comes after this finds the submission.
func (j *Job) callOff(
	ctx context.Context, c launch.Cluster, sub *store.Submission, mark string,
) error {
	now, err := j.Run.CancelMark()
	if err != nil || now == mark {
		return fault.Of(err)
	}
	ctx, stop := context.WithTimeout(ctx, cancelTime)
	defer stop()
	if err := launch.Cancel(ctx, c, jobNames(sub)); err != nil {
		return fault.Of(fmt.Errorf("%s was cancelled while it was submitted: %w", j.Run.Dir, err))
	}
	return fault.Of(fmt.Errorf("%s was cancelled while it was submitted: what was submitted is "+
		"cancelled, too", j.Run.Dir))
}

// Idle returns which of the cells no task has.
func (j *Job) Idle(ctx context.Context, missing []int) ([]int, error) {
	s, err := j.RunState(ctx, j.Run, j.Plan)
	if err != nil {
		return nil, err
	}
	if s.Unknown != nil {
		return nil, fault.Of(fmt.Errorf("which training runs tasks have is not known: %w",
			s.Unknown))
	}
	live := s.live()
	missing = slices.DeleteFunc(missing, func(i int) bool { return live[j.Experiment.IDs[i]] })
	if len(live) > 0 {
		j.Sayf("%s in the queue already", phrase.Count(len(live), "training run is",
			"training runs are"))
	}
	return missing, nil
}

// FromSite says which site profile was used.
func FromSite(file string) string {
	if file == "" {
		return "; there is no site profile: see --site"
	}
	return "; the site profile is " + file
}

// prepare stores all that tasks need: the program, strategies, cells by task. No task runs yet.
func (d *submission) prepare(ctx context.Context, missing []int) (*store.Submission, error) {
	d.Run.Dir = Real(d.Run.Dir) // tasks begin in other folders
	content, digest, err := d.programFor(ctx, missing)
	if err != nil {
		return nil, err
	}
	if d.program, err = d.Run.Freeze("hansa", digest, content); err != nil {
		return nil, fault.Unstorable(d.Run.Dir, err)
	}
	if err := keepCode(d.Run, d.Experiment.Tools.Sources); err != nil {
		return nil, err
	}
	now := time.Now().UTC()
	name := now.Format("20060102-150405-") + strings.ToLower(rand.Text()[:4])
	sub := &store.Submission{Name: name, Engine: d.engine, Program: digest,
		Made: now.Format(time.RFC3339Nano)}
	for k, cells := range d.pack(missing) {
		w := &store.Work{Strategies: d.Experiment.Tools.Stored(), Terms: d.terms()}
		for _, i := range cells {
			w.Cells, w.IDs = append(w.Cells, d.Experiment.Cells[i]), append(w.IDs,
				d.Experiment.IDs[i])
		}
		sub.Tasks = append(sub.Tasks, w.IDs)
		if err := d.Run.SaveWork(sub.Name, k, w); err != nil {
			return nil, fault.Unstorable(d.Run.Dir, err)
		}
	}
	if err := d.Run.SaveSubmission(sub); err != nil {
		return nil, fault.Unstorable(d.Run.Dir, err)
	}
	return sub, nil
}

// pack assigns cells to tasks; those that train the same clients go together.
func (d *submission) pack(missing []int) (tasks [][]int) {
	var order []int
	var groups [][]int
	for _, batch := range d.batches(missing) {
		var group []int
		for range batch {
			group = append(group, len(order)+len(group))
		}
		groups, order = append(groups, group), append(order, batch...)
	}
	all := d.Experiment.weights(d.Run)
	weights := make([]float64, len(order))
	for k, i := range order {
		weights[k] = all[i]
	}
	for _, task := range launch.Pack(weights, groups,
		launch.Packing{Most: d.most, CPUs: d.site.Full().CPUs, Want: d.want}) {
		cells := make([]int, len(task))
		for k, at := range task {
			cells[k] = order[at]
		}
		tasks = append(tasks, cells)
	}
	return tasks
}

// terms are how tasks run their cells.
func (d *submission) terms() store.Terms {
	t := d.options.Terms
	t.Folders = nil
	for _, folder := range d.Experiment.folders(d.options) {
		t.Folders = append(t.Folders, Real(folder))
	}
	t.Strategies, t.NoRequeue = d.strategies, d.site.NoRequeue
	return t
}

// array is what a cluster is asked for.
func (d *submission) array(sub *store.Submission) *launch.Array {
	return &launch.Array{Site: d.site, Name: launch.JobName(sub.Name),
		Comment: "hansa:" + filepath.Base(d.Run.Dir),
		Log:     filepath.Join(d.Run.Folder(sub.Name), "log"),
		Tasks:   len(sub.Tasks),
		Command: []string{d.program, "task", "--run", d.Run.Dir, "--submission", sub.Name},
	}
}

// after is a job that runs hansa once the tasks of an array have ended, however they end.
func (d *submission) after(sub *store.Submission, ending string, args []string) *launch.Array {
	site := *d.site
	return &launch.Array{Site: &site, Name: launch.JobName(sub.Name) + ending,
		Comment: "hansa:" + filepath.Base(d.Run.Dir),
		Log:     filepath.Join(d.Run.Folder(sub.Name), "log"),
		Command: append([]string{d.program}, args...), After: sub.Job}
}

// The ends of the names of jobs that collect, and of those that go on with the run.
const (
	collecting = "-collect"
	succeeding = "-next"
)

// jobNames returns what the cluster calls the jobs of a submission: its array, and those after it.
func jobNames(sub *store.Submission) []string {
	name := launch.JobName(sub.Name)
	names := []string{name}
	if sub.Collector != "" {
		names = append(names, name+collecting)
	}
	if sub.Successor != "" {
		names = append(names, name+succeeding)
	}
	return names
}

// programFor returns the program that tasks elsewhere run, and its SHA-256: this one, or one with
// the strategies compiled in, where they can be.
func (d *submission) programFor(ctx context.Context, missing []int) (
	content []byte, digest string, err error,
) {
	d.strategies = AsInterpreted
	if d.compilable(missing, d.options) {
		path, err := d.compileAhead(ctx)
		if err != nil {
			return nil, "", err
		}
		if path != "" {
			d.strategies = AsCompiled
			content, digest, err := host.ReadProgram(path)
			return content, digest, fault.Of(err)
		}
	}
	content, digest, err = host.Program()
	return content, digest, fault.Of(err)
}

// compileAhead returns the program with the strategies compiled in, or "" where they are to be
// interpreted.
func (d *submission) compileAhead(ctx context.Context) (string, error) {
	list, offline := d.Experiment.Tools.Loaded, d.options.Strategies == EitherWay
	if path, err := list.Program(); path != "" || err != nil {
		return path, err
	}
	if _, lacking := exec.LookPath("go"); lacking != nil && offline {
		return "", nil
	}
	d.Sayf("compiling %s: "+compilingTakes, list.Names())
	path, err := list.Compile(ctx, offline)
	if errors.As(err, new(fault.Fault)) && offline {
		d.Sayf("hansa: %s cannot be compiled and stays interpreted: %v", list.Names(), err)
		return "", nil
	}
	return path, err
}

// Export stores what tasks need of an engine that is not asked here: at most so many tasks. It
// returns the path of their program, too.
func (j *Job) Export(ctx context.Context, missing []int, o *Options, to *Target, most int) (
	sub *store.Submission, program string, err error,
) {
	d := &submission{Job: j, options: o, engine: to.Name, most: most, want: time.Nanosecond,
		site: to.Site}
	sub, err = d.prepare(ctx, missing)
	return sub, d.program, err
}
