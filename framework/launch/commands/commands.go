// Package commands writes the tasks of a submission as commands: a line for each task, or one
// script that an array engine starts for every task.
package commands

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session/phrase"
)

// Lines returns a command line for each task. env comes first, as not every reader of them is a
// shell.
func Lines(e *launch.Export) string {
	var b strings.Builder
	for k := range e.Tasks {
		fmt.Fprintf(&b, "env GOMAXPROCS=%d %s --index %d\n", e.CPUs, e.Command(), k)
	}
	return b.String()
}

// An Engine is how one engine starts the tasks of an array, whose script is called THIS.
type Engine struct {
	Variable, Name string
	First          int
	call           string // with FIRST, LAST and NUMBER of the tasks
}

// Engines returns those that are known by their variable.
func Engines() []Engine {
	return []Engine{
		{"PBS_ARRAY_INDEX", "PBS", 0, "qsub -J FIRST-LAST THIS"},
		{"PBS_ARRAYID", "Torque", 0, "qsub -t FIRST-LAST THIS"},
		{"SGE_TASK_ID", "Grid Engine", 1, "qsub -t FIRST-LAST THIS"},
		{"LSB_JOBINDEX", "LSF", 1, "bsub -J 'hansa[FIRST-LAST]' < THIS"},
		{"SLURM_ARRAY_TASK_ID", "Slurm", 0, "sbatch --array=FIRST-LAST --signal=B:TERM@120 THIS"},
		{"AWS_BATCH_JOB_ARRAY_INDEX", "AWS Batch", 0,
			"submit-job --array-properties size=NUMBER"},
		{"PARALLEL_SEQ", "GNU parallel", 1, "seq NUMBER | parallel -n0 ./THIS"},
	}
}

// submit returns the command that submits an array.
func (e *Engine) submit(first, last, number int) string {
	return strings.NewReplacer("FIRST", strconv.Itoa(first), "LAST", strconv.Itoa(last),
		"NUMBER", strconv.Itoa(number)).Replace(e.call)
}

// An Index is how an engine tells a task which one it is.
type Index struct {
	Variable string // of the environment
	First    int    // its value for the first task; below 0: what is known of the engine, or 0
}

// variable is what a shell takes for the name of a variable.
var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Check refuses what is no variable.
func (x *Index) Check() error {
	if !variable.MatchString(x.Variable) {
		return errors.New("want the name of a variable")
	}
	return nil
}

// engine returns the engine that is known by the variable, or nil.
func (x *Index) engine() *Engine {
	for _, e := range Engines() {
		if e.Variable == x.Variable {
			return &e
		}
	}
	return nil
}

// first returns the value of the variable for the first task.
func (x *Index) first() int {
	e := x.engine()
	if x.First < 0 && e != nil {
		return e.First
	}
	return max(x.First, 0)
}

// Script returns one script that is every task. It becomes the program, so that signals reach
// that.
func Script(e *launch.Export, x *Index) string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	which := "--index 0"
	if e.Tasks == 1 { // several engines have no array of one
		fmt.Fprintf(&b, "# The one task of %s: an ordinary job, no array.\n", e.Submission)
	} else {
		first := x.first()
		last := first + e.Tasks - 1
		fmt.Fprintf(&b, "# The %d tasks of %s: %s is %d to %d.\n", e.Tasks, e.Submission,
			x.Variable, first, last)
		if known := x.engine(); known != nil {
			fmt.Fprintf(&b, "# %s: %s\n", known.Name, known.submit(first, last, e.Tasks))
		}
		which = fmt.Sprintf("--index-env %s --first %d", x.Variable, first)
	}
	fmt.Fprintf(&b, "# Each needs %s. Exit codes: 0 done; 1 some training runs failed; %d do "+
		"not try\n"+
		"# again; %d try again later; %d stopped by SIGTERM, try again and it goes on.\n",
		phrase.Count(e.CPUs, "processor", "processors"), launch.ExitPlan, launch.ExitStorage,
		launch.ExitResume)
	fmt.Fprintf(&b, "export GOMAXPROCS=%d GOTRACEBACK=all\n", e.CPUs)
	fmt.Fprintf(&b, "exec %s %s\n", e.Command(), which)
	return b.String()
}
