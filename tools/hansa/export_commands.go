package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session/phrase"
)

// tasks are the tasks of a submission, as an engine has to start them.
type tasks struct {
	program, run, submission string // whole paths, and a name of letters, digits and hyphens
	number                   int
	cpus                     int // of each
}

// lines returns a command line for each task. env comes first, as not everyone who reads them is
// a shell.
func (t *tasks) lines() string {
	var b strings.Builder
	for k := range t.number {
		fmt.Fprintf(&b, "env GOMAXPROCS=%d %s --index %d\n", t.cpus, t.command(), k)
	}
	return b.String()
}

// command returns the command line of a task but for its index.
func (t *tasks) command() string {
	return fmt.Sprintf("%s task --run %s --submission %s", phrase.Quoted(t.program),
		phrase.Quoted(t.run),
		t.submission)
}

// A variable is how an engine tells a task which one it is.
type variable struct {
	name  string
	first int // its value for the first task
}

// An arrayEngine is how one engine starts the tasks of an array, whose script is called THIS.
type arrayEngine struct {
	variable, name string
	first          int
	call           string // with FIRST, LAST and NUMBER of the tasks
}

// arrayEngines are those that are known by their variable.
var arrayEngines = []arrayEngine{
	{"PBS_ARRAY_INDEX", "PBS", 0, "qsub -J FIRST-LAST THIS"},
	{"PBS_ARRAYID", "Torque", 0, "qsub -t FIRST-LAST THIS"},
	{"SGE_TASK_ID", "Grid Engine", 1, "qsub -t FIRST-LAST THIS"},
	{"LSB_JOBINDEX", "LSF", 1, "bsub -J 'hansa[FIRST-LAST]' < THIS"},
	{"SLURM_ARRAY_TASK_ID", "Slurm", 0, "sbatch --array=FIRST-LAST --signal=B:TERM@120 THIS"},
	{"AWS_BATCH_JOB_ARRAY_INDEX", "AWS Batch", 0, "submit-job --array-properties size=NUMBER"},
	{"PARALLEL_SEQ", "GNU parallel", 1, "seq NUMBER | parallel -n0 ./THIS"},
}

// submit returns the command that submits an array.
func (e *arrayEngine) submit(first, last, number int) string {
	return strings.NewReplacer("FIRST", strconv.Itoa(first), "LAST", strconv.Itoa(last),
		"NUMBER", strconv.Itoa(number)).Replace(e.call)
}

func (v *variable) flags(cmd *cobra.Command) {
	var known []string
	for _, e := range arrayEngines {
		known = append(known, cobra.CompletionWithDesc(e.variable, e.name))
	}
	fs := cmd.Flags()
	fs.StringVar(&v.name, "index-env", "",
		"one script for all tasks, of which the variable `NAME` says which one it is")
	completeFlag(cmd, "index-env", known...)
	fs.IntVar(&v.first, "first", 0, "`N` that NAME is for the first task (default 0; 1 where the "+
		"engine of NAME is known to count from 1)")
	completeFlag(cmd, "first", "0", "1")
}

// names are its flags.
func (v *variable) names() []string { return []string{"index-env", "first"} }

// variableName is what a shell takes for the name of a variable.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// check refuses what makes no sense, and fills in where a known engine begins.
func (v *variable) check(cmd *cobra.Command) error {
	first := cmd.Flags().Changed("first")
	switch {
	case cmd.Flags().Changed("index-env") && !variableName.MatchString(v.name):
		return fmt.Errorf("--index-env %q: want the name of a variable", v.name)
	case v.name == "" && first:
		return errors.New("--first goes with --index-env")
	case v.first < 0:
		return fmt.Errorf("--first %d: want at least 0", v.first)
	}
	if e := v.engine(); e != nil && !first {
		v.first = e.first
	}
	return nil
}

// engine returns the engine that is known by the variable, or nil.
func (v *variable) engine() *arrayEngine {
	for i := range arrayEngines {
		if arrayEngines[i].variable == v.name {
			return &arrayEngines[i]
		}
	}
	return nil
}

// script returns one script that is every task. It becomes the program, so that signals reach
// that.
func (v *variable) script(t *tasks) string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	which := "--index 0"
	if t.number == 1 { // several engines have no array of one
		fmt.Fprintf(&b, "# The one task of %s: an ordinary job, no array.\n", t.submission)
	} else {
		last := v.first + t.number - 1
		fmt.Fprintf(&b, "# The %d tasks of %s: %s is %d to %d.\n", t.number, t.submission, v.name,
			v.first, last)
		if e := v.engine(); e != nil {
			fmt.Fprintf(&b, "# %s: %s\n", e.name, e.submit(v.first, last, t.number))
		}
		which = fmt.Sprintf("--index-env %s --first %d", v.name, v.first)
	}
	fmt.Fprintf(&b, "# Each needs %s. Exit codes: 0 done; 1 some cells failed; 65 do not try\n"+
		"# again; 74 try again later; 75 stopped by SIGTERM, try again and it goes on.\n",
		phrase.Count(t.cpus, "processor", "processors"))
	fmt.Fprintf(&b, "export GOMAXPROCS=%d GOTRACEBACK=all\n", t.cpus)
	fmt.Fprintf(&b, "exec %s %s\n", t.command(), which)
	return b.String()
}
