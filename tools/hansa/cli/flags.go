package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session"
)

// waysOfStrategies are the values of --strategies.
var waysOfStrategies = []string{session.EitherWay, session.AsInterpreted, session.AsCompiled}

// StrategiesVariable is the variable of the environment that says how strategies run where the
// command line does not.
const StrategiesVariable = "HANSA_STRATEGIES"

// strategiesFlag adds the flag that says how strategies run.
func strategiesFlag(cmd *cobra.Command, way *string) {
	cmd.Flags().StringVar(way, "strategies", "", "`HOW` strategies run, with the same results: "+
		"interpreted; compiled, which takes a Go toolchain and some seconds once; or auto, which "+
		"interprets them and compiles them meanwhile where a run takes longer "+
		"(default $"+StrategiesVariable+", or auto)")
	CompleteFlag(cmd, "strategies", waysOfStrategies...)
}

// wayOf returns how strategies run, by the flag or the environment.
func wayOf(flag string) (string, error) {
	name := "--strategies"
	if flag == "" {
		if flag = os.Getenv(StrategiesVariable); flag != "" {
			name = "$" + StrategiesVariable
		}
	}
	flag = cmp.Or(flag, session.EitherWay)
	return flag, OneOf(name, flag, waysOfStrategies)
}

// LimitFlags adds the flags that say what a strategy, and any cell, may take.
func LimitFlags(cmd *cobra.Command, o *session.Options) {
	f := cmd.Flags()
	f.DurationVar(&o.Call, "call-timeout", session.Budget,
		"`TIME` that one call into a strategy may take")
	f.DurationVar(&o.Cell, "cell-timeout", 0,
		"`TIME` that one training run may take before it counts as failed; its progress is saved "+
			"(default as long as it takes)")
	f.Var((*session.Size)(&o.Memory), "memory",
		"`SIZE` of the memory of each worker process, such as 2GiB; what clients keep from round "+
			"to round lies in a temporary file where it takes more than half of SIZE "+
			"(default its share of what the machine has)")
	f.StringVar(&o.Isolation, "isolation", session.StrategiesApart,
		"`WHERE` training runs are made: process, each in a worker process; none, in this one; "+
			"or auto, in worker processes where they have strategies")
	CompleteFlag(cmd, "isolation", isolations...)
	strategiesFlag(cmd, &o.Strategies)
	CompleteFlag(cmd, "call-timeout")
	CompleteFlag(cmd, "cell-timeout")
	CompleteFlag(cmd, "memory")
}

// CheckLimits refuses values of those flags that make no sense, and fills in how strategies run
// where only the environment says it.
func CheckLimits(o *session.Options) error {
	if o.Call <= 0 {
		return fmt.Errorf("--call-timeout %v: want more than 0", o.Call)
	}
	if o.Cell < 0 {
		return fmt.Errorf("--cell-timeout %v: want a time such as 30m, or 0 for as long "+
			"as it takes", o.Cell)
	}
	if err := OneOf("--isolation", o.Isolation, isolations); err != nil {
		return err
	}
	var err error
	if o.Strategies, err = wayOf(o.Strategies); err != nil {
		return err
	}
	if o.Strategies == session.AsCompiled && o.Isolation == session.NoneApart {
		return errors.New("--strategies compiled: compiled strategies run in worker processes; " +
			"leave out --isolation none")
	}
	return nil
}

// isolations are the values of --isolation.
var isolations = []string{session.StrategiesApart, session.AllApart, session.NoneApart}

// RunArgument says what the argument RUN of a command may be.
const RunArgument = "RUN is the name of a run in ./runs, its folder, or its experiment file."

// UnexaminedFlag adds the flag with which strategies are not examined.
func UnexaminedFlag(cmd *cobra.Command, on *bool) {
	cmd.Flags().BoolVar(on, "unexamined", false,
		"run strategies without checking that they meet the requirements of their kind")
}

// OverrideFlags adds the flags with which a command line changes an experiment.
func OverrideFlags(cmd *cobra.Command, o *session.Overrides) {
	f := cmd.Flags()
	f.StringArrayVar(&o.With, "with", nil,
		"add a method with the strategies of `FILE`, or of a folder, to those of the experiment")
	f.StringArrayVar(&o.Set, "set", nil,
		"replace a value of the file: `KEY=VALUE`, or \"LABEL: KEY=VALUE\" for one method")
	f.StringVar(&o.Seeds, "seeds", "", "a number of seeds, or a `LIST` such as 0,3,7")
	OnlyFlag(cmd, &o.Only)
	// These fail when there is no such flag, which a test would see.
	_ = cmd.RegisterFlagCompletionFunc("with", cobra.FixedCompletions([]string{"go"},
		cobra.ShellCompDirectiveFilterFileExt))
	_ = cmd.RegisterFlagCompletionFunc("seeds", cobra.NoFileCompletions)
	_ = cmd.RegisterFlagCompletionFunc("set", completeSet)
	_ = cmd.RegisterFlagCompletionFunc("only", completeOnly)
}

// OnlyFlag adds the flag that keeps some cells.
func OnlyFlag(cmd *cobra.Command, only *[]string) {
	cmd.Flags().StringArrayVar(only, "only", nil,
		"keep training runs with this `KEY=VALUE`: a method, a seed or a point of the sweep")
}

// DataFlag adds the flag that says where data sets lie.
func DataFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "data", "",
		"look for data sets in `FOLDER`, or a list of folders, before $HANSA_DATA")
	CompleteFlag(cmd, "data")
}

// Exclusive refuses a command line with more than one of some flags.
func Exclusive(cmd *cobra.Command, names ...string) {
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		var given []string
		for _, name := range names {
			if cmd.Flags().Changed(name) {
				given = append(given, "--"+name)
			}
		}
		if len(given) > 1 {
			return fmt.Errorf("%s exclude each other", strings.Join(given, " and "))
		}
		if before != nil {
			return before(cmd, args)
		}
		return nil
	}
}
