package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/clusters"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/store"
)

// onHere is the value of --on for a run that is made on this machine.
const onHere = "here"

// engines are the values of --on.
func engines() []string { return append([]string{onHere}, clusters.Names()...) }

// A delivery is cells on their way to an engine.
type delivery struct {
	*job
	options *options
	site    *launch.Site
	engine  string
	most    int           // tasks
	want    time.Duration // that a task is expected to take; 0: as launch.Pack has it
	program string

	strategies string // how tasks run them: compiled or interpreted
}

// submit hands cells of a plan to a cluster, but for those that it has already.
func (c *command) submit(
	ctx context.Context, j *job, missing []int, f *runFlags,
) error {
	cluster, file := clusters.Named(f.on), clusters.SiteFile(f.site)
	site, err := clusters.ReadSite(file, cluster)
	if err != nil {
		return err
	}
	if err := f.adapt(cluster, site); err != nil {
		return err
	}
	limits, err := cluster.Limits(ctx)
	if err != nil {
		return fault.Of(fmt.Errorf("--on %s: %w", f.on, err))
	}
	missing, err = j.idle(ctx, missing)
	if err != nil || len(missing) == 0 {
		return err
	}
	if err := cluster.Try(ctx, site); err != nil {
		return fmt.Errorf("--on %s: %w%s", f.on, err, fromSite(file))
	}
	d := &delivery{job: j, options: &f.options, site: site, engine: f.on, most: limits.Tasks(site)}
	sub, err := d.prepare(ctx, missing)
	if err != nil {
		return err
	}
	if sub.Job, err = launch.Submit(ctx, cluster, d.array(sub)); err != nil {
		return fault.Of(fmt.Errorf("not submitted: %w; the same command tries again", err))
	}
	if f.collect {
		if sub.Collector, err = launch.Submit(ctx, cluster, d.collector(sub)); err != nil {
			c.say("hansa: the job that collects was not submitted: %v", err)
		}
	}
	if err := j.run.SaveSubmission(sub); err != nil {
		return fault.Unstorable(j.run.Dir, err)
	}
	c.say("submitted %s in %s as job %s; `%s` says how far they are",
		phrase.Count(len(missing), "cell", "cells"), phrase.Count(len(sub.Tasks), "task", "tasks"), sub.Job,
		phrase.Hint("status", f.called))
	return nil
}

// idle returns which of the cells nobody has.
func (j *job) idle(ctx context.Context, missing []int) ([]int, error) {
	s, err := j.survey(ctx, j.run, j.plan)
	if err != nil {
		return nil, err
	}
	if s.unknown != nil {
		return nil, fault.Of(fmt.Errorf("who has which cells is not known: %w", s.unknown))
	}
	live := s.live()
	missing = slices.DeleteFunc(missing, func(i int) bool { return live[j.x.ids[i]] })
	if len(live) > 0 {
		j.say("%s in the queue already", phrase.Count(len(live), "cell is", "cells are"))
	}
	return missing, nil
}

// fromSite says which site profile was used.
func fromSite(file string) string {
	if file == "" {
		return "; there is no site profile: see --site"
	}
	return "; the site profile is " + file
}

// prepare stores all that tasks need: the program, strategies, cells by task. Nobody runs them yet.
func (d *delivery) prepare(ctx context.Context, missing []int) (*store.Submission, error) {
	d.run.Dir = real(d.run.Dir) // tasks begin in other folders
	content, digest, err := d.programFor(ctx, missing)
	if err != nil {
		return nil, err
	}
	if d.program, err = d.run.Freeze("hansa", digest, content); err != nil {
		return nil, fault.Unstorable(d.run.Dir, err)
	}
	if err := keepCode(d.run, d.x.tools.sources); err != nil {
		return nil, err
	}
	now := time.Now().UTC()
	name := now.Format("20060102-150405-") + strings.ToLower(rand.Text()[:4])
	sub := &store.Submission{Name: name, Engine: d.engine, Program: digest,
		Made: now.Format(time.RFC3339Nano)}
	for k, cells := range d.pack(missing) {
		w := &store.Work{Strategies: d.x.tools.stored(), Terms: d.terms()}
		for _, i := range cells {
			w.Cells, w.IDs = append(w.Cells, d.x.cells[i]), append(w.IDs, d.x.ids[i])
		}
		sub.Tasks = append(sub.Tasks, w.IDs)
		if err := d.run.SaveWork(sub.Name, k, w); err != nil {
			return nil, fault.Unstorable(d.run.Dir, err)
		}
	}
	if err := d.run.SaveSubmission(sub); err != nil {
		return nil, fault.Unstorable(d.run.Dir, err)
	}
	return sub, nil
}

// pack deals cells to tasks; those that train the same clients go together.
func (d *delivery) pack(missing []int) (tasks [][]int) {
	var order []int
	var groups [][]int
	for _, batch := range d.batches(missing) {
		var group []int
		for range batch {
			group = append(group, len(order)+len(group))
		}
		groups, order = append(groups, group), append(order, batch...)
	}
	all := d.x.weights(d.run)
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
func (d *delivery) terms() store.Terms {
	t := d.options.Terms
	t.Folders = nil
	for _, folder := range d.x.folders(d.options) {
		t.Folders = append(t.Folders, real(folder))
	}
	t.Strategies, t.NoRequeue = d.strategies, d.site.NoRequeue
	return t
}

// array is what a cluster is asked for.
func (d *delivery) array(sub *store.Submission) *launch.Array {
	return &launch.Array{Site: d.site, Name: launch.JobName(sub.Name),
		Comment: "hansa:" + filepath.Base(d.run.Dir),
		Log:     filepath.Join(d.run.Folder(sub.Name), "log"),
		Tasks:   len(sub.Tasks),
		Command: []string{d.program, "task", "--run", d.run.Dir, "--submission", sub.Name},
	}
}

// collector is the job that collects what the tasks of an array leave, however they end.
func (d *delivery) collector(sub *store.Submission) *launch.Array {
	site := *d.site
	return &launch.Array{Site: &site, Name: launch.JobName(sub.Name) + collecting,
		Comment: "hansa:" + filepath.Base(d.run.Dir),
		Log:     filepath.Join(d.run.Folder(sub.Name), "log"),
		Command: []string{d.program, "collect", d.run.Dir}, After: sub.Job}
}

// collecting ends the names of jobs that collect.
const collecting = "-collect"

// weights guesses how many seconds every cell takes: its rounds, at the pace of cells of its method
// that are done; 0 where there are none.
func (x *experiment) weights(run store.Run) []float64 {
	type pace struct{ seconds, rounds float64 }
	paces := map[string]pace{}
	for i, id := range x.ids {
		a, err := run.LoadAttempt(id)
		if err != nil || a == nil || a.Resumed > 0 {
			continue
		}
		c := &x.cells[i]
		p := paces[c.Method]
		paces[c.Method] = pace{p.seconds + a.Seconds, p.rounds + float64(c.Rounds)}
	}
	weights := make([]float64, len(x.ids))
	for i, c := range x.cells {
		if p := paces[c.Method]; p.rounds > 0 {
			weights[i] = float64(c.Rounds) * p.seconds / p.rounds
		}
	}
	return weights
}
