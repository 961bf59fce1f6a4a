package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/commands"
	"github.com/hansa-fl/hansa/framework/launch/kubernetes"
	"github.com/hansa-fl/hansa/framework/session"
)

// The engines that hansa does not speak to, but writes for.
const (
	AsCommands   = "commands"
	AsKubernetes = "kubernetes"
)

// exportedAs are the values of --format of export-jobs.
var exportedAs = []string{AsCommands, AsKubernetes}

// JobFlags say what is written for an engine that hansa does not speak to.
type JobFlags struct {
	Format, Output string
	Tasks, CPUs    int
	Index          commands.Index
	Pods           kubernetes.Pods
	memory         session.Size // of a pod
}

// Add adds the flags to a command.
func (f *JobFlags) Add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.Format, "format", AsCommands, "`FORMAT`: commands or kubernetes")
	CompleteFlag(cmd, "format", exportedAs...)
	fs.StringVarP(&f.Output, "output", "o", "-", "write to `FILE`; - is standard output")
	fs.IntVar(&f.Tasks, "tasks", 1000, "divide training runs among at most `N` tasks")
	CompleteFlag(cmd, "tasks", "100", "1000")
	fs.IntVar(&f.CPUs, "cpus", 1, "`N` processors for a task, and as many training runs at once")
	CompleteFlag(cmd, "cpus", "1", "2", "4")
	f.indexFlags(cmd)
	f.podFlags(cmd)
}

// indexNames and podNames are the flags that only one format has.
var (
	indexNames = []string{"index-env", "first"}
	podNames   = []string{"claim", "mount", "image", "namespace", "queue", "parallel", "mem"}
)

// indexFlags say how an array engine tells a task which one it is.
func (f *JobFlags) indexFlags(cmd *cobra.Command) {
	var known []string
	for _, e := range commands.Engines() {
		known = append(known, cobra.CompletionWithDesc(e.Variable, e.Name))
	}
	fs := cmd.Flags()
	fs.StringVar(&f.Index.Variable, "index-env", "",
		"one script for all tasks, of which the variable `NAME` says which one it is")
	CompleteFlag(cmd, "index-env", known...)
	fs.IntVar(&f.Index.First, "first", 0, "`N` that NAME is for the first task (default 0; 1 "+
		"where the engine of NAME is known to count from 1)")
	CompleteFlag(cmd, "first", "0", "1")
}

// podFlags say how Kubernetes runs tasks.
func (f *JobFlags) podFlags(cmd *cobra.Command) {
	fs, p := cmd.Flags(), &f.Pods
	fs.StringVar(&p.Claim, "claim", "", "for pods: the volume claim `NAME` that holds the run")
	fs.StringVar(&p.Mount, "mount", "", "for pods: where they see the volume, a `FOLDER` that has "+
		"the run under the same path as here (default the folder of the run)")
	fs.StringVar(&p.Image, "image", "debian:12-slim", "for pods: the `IMAGE` of the container")
	fs.StringVar(&p.Namespace, "namespace", "",
		"for pods: their `NAMESPACE` (default that of kubectl)")
	fs.StringVar(&p.Queue, "queue", "", "for pods: the local queue `NAME` of Kueue")
	fs.IntVar(&p.Parallel, "parallel", 256, "for pods: at most `N` at once")
	fs.Var(&f.memory, "mem", "for pods: the `SIZE` of the memory of each, such as 4GiB (default "+
		"what the namespace gives)")
	for _, name := range podNames {
		if name == "mount" {
			CompleteFlag(cmd, name)
			continue
		}
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
}

// Check refuses flags that make no sense.
func (f *JobFlags) Check(cmd *cobra.Command) error {
	if f.Tasks < 1 || f.Tasks > kubernetes.MostTasks {
		return fmt.Errorf("--tasks %d: want 1 to %d", f.Tasks, kubernetes.MostTasks)
	}
	if f.CPUs < 1 {
		return fmt.Errorf("--cpus %d: want at least 1", f.CPUs)
	}
	if err := OneOf("--format", f.Format, exportedAs); err != nil {
		return err
	}
	if f.Format == AsKubernetes {
		f.Pods.Memory = uint64(f.memory)
		return errors.Join(Refuse(cmd, "--format "+AsCommands, indexNames), Flagged(f.Pods.Check()))
	}
	return errors.Join(Refuse(cmd, "--format "+AsKubernetes, podNames), f.checkIndex(cmd))
}

// Flagged returns an error that begins with the name of a flag as the command line has that.
func Flagged(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--%w", err)
}

// checkIndex refuses what makes no sense.
func (f *JobFlags) checkIndex(cmd *cobra.Command) error {
	if cmd.Flags().Changed("index-env") {
		if err := f.Index.Check(); err != nil {
			return fmt.Errorf("--index-env %q: %w", f.Index.Variable, err)
		}
	}
	switch first := cmd.Flags().Changed("first"); {
	case f.Index.Variable == "" && first:
		return errors.New("--first goes with --index-env")
	case f.Index.First < 0:
		return fmt.Errorf("--first %d: want at least 0", f.Index.First)
	case !first:
		f.Index.First = -1 // where the engine begins
	}
	return nil
}

// Refuse refuses flags that only go with something else.
func Refuse(cmd *cobra.Command, with string, names []string) error {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s goes with %s", name, with)
		}
	}
	return nil
}

// Share is how much memory a worker process may have: its part of what the pod has; 0 where that
// is not known.
func (f *JobFlags) Share() uint64 {
	return f.Pods.Heap() / uint64(f.CPUs)
}

// Text is what the engine is given.
func (f *JobFlags) Text(e *launch.Export) string {
	switch {
	case f.Format == AsKubernetes:
		return kubernetes.Manifest(e, &f.Pods)
	case f.Index.Variable != "":
		return commands.Script(e, &f.Index)
	}
	return commands.Lines(e)
}
