package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/framework/session/view"
	"github.com/hansa-fl/hansa/framework/store"
	"github.com/hansa-fl/hansa/reports/export"
	"github.com/hansa-fl/hansa/reports/infer"
	"github.com/hansa-fl/hansa/tools/hansa/cli"
)

// exports are the forms in which a run leaves hansa.
var exports = []string{"csv", "jsonl", "npy", "parquet", "safetensors", "tensorboard"}

// exportable is what of a run can be exported.
var exportable = []string{"measurements", "updates"}

// resultFlags say what is exported, and how.
type resultFlags struct {
	to, out, what, data string
	only                []string
	limit               session.Size
}

func (c *command) exportCommand() *cobra.Command {
	f := resultFlags{limit: 1 << 30}
	cmd := &cobra.Command{
		Use:     "export RUN",
		GroupID: "result",
		Short:   "Write all measurements for pandas, R, NumPy or TensorBoard",
		Long: "Write everything that was measured in a run, for every round of every " +
			"training run.\n\ncsv, jsonl, parquet: one long table with the columns cell (the " +
			"id of a training run), method, the axes of the sweep, seed, round, metric and " +
			"value. NaN is an empty field in CSV, and null with \"nan\": true in JSON. In " +
			"CSV a text that a spreadsheet would read as a formula begins with an " +
			"apostrophe.\n\nnpy: one array for each metric, training runs × rounds, with " +
			"tables that describe rows and columns.\n\ntensorboard: one folder for each " +
			"method, point and seed.\n\nsafetensors: the model that each training run ends with, " +
			"by the names and in the order in which PyTorch holds parameters. Training runs are " +
			"run again for it.\n\nTraining runs without a result are left out. The " +
			"same run gives the same bytes.\n\n" + cli.RunArgument,
		Example: "  hansa export quickstart --to parquet\n" +
			"  hansa export quickstart --to csv -o - | head\n" +
			"  hansa export quickstart --to tensorboard -o logs && tensorboard --logdir logs\n" +
			"  hansa export quickstart --what updates --only method=FedAVOT --only seed=0",
		Args:              cli.Want(1, 1, "one RUN"),
		ValidArgsFunction: cli.First(session.RunNames, cobra.ShellCompDirectiveDefault),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			run, plan, err := c.Open(args[0])
			if err != nil {
				return err
			}
			if f.what == "updates" {
				return c.exportUpdates(cmd.Context(), run, plan, &f)
			}
			if f.to == "safetensors" {
				m := &view.Models{Only: f.only, Data: f.data, Out: f.out, Say: c.Sayf}
				subject := &view.Subject{Session: c.Session, Run: run, Plan: plan}
				return m.Write(cmd.Context(), subject)
			}
			return c.export(run, plan, f.to, f.out)
		},
	}
	cmd.Flags().StringVar(&f.to, "to", "csv", "`FORMAT`: "+strings.Join(exports, ", "))
	cmd.Flags().StringVarP(&f.out, "output", "o", "export",
		"write into `FOLDER`; - is standard output, for csv and jsonl")
	cmd.Flags().StringVar(&f.what, "what", exportable[0], "`WHAT`: "+
		strings.Join(exportable, " or "))
	cmd.Flags().Var(&f.limit, "limit", "with --what updates, write no more than about `SIZE`")
	cli.OnlyFlag(cmd, &f.only)
	cli.DataFlag(cmd, &f.data)
	cli.CompleteFlag(cmd, "what", exportable...)
	cli.CompleteFlag(cmd, "limit")
	cli.CompleteFlag(cmd, "to", exports...)
	cli.CompleteFlag(cmd, "output")
	return cmd
}

// check refuses flags that make no sense.
func (f *resultFlags) check(cmd *cobra.Command) error {
	if err := cli.OneOf("--what", f.what, exportable); err != nil {
		return err
	}
	if f.what == "updates" {
		if cmd.Flags().Changed("to") || f.out == "-" {
			return errors.New("--what updates writes NumPy arrays into a folder: leave --to out")
		}
		return nil
	}
	if cmd.Flags().Changed("limit") {
		return errors.New("--limit is for --what updates")
	}
	for _, flag := range []string{"only", "data"} {
		if cmd.Flags().Changed(flag) && f.to != "safetensors" {
			return fmt.Errorf("--%s is for --what updates and --to safetensors", flag)
		}
	}
	if err := cli.OneOf("--to", f.to, exports); err != nil {
		return err
	}
	if f.out == "-" && !slices.Contains([]string{"csv", "jsonl"}, f.to) {
		return fmt.Errorf("-o -: %s is files, not text; name a folder", f.to)
	}
	return nil
}

// export writes a run in a form into a folder, or to standard output.
func (c *command) export(run store.Run, plan *store.Plan, to, out string) error {
	in := c.Gather(run, plan, nil)
	if err := c.complete(in); err != nil {
		return err
	}
	if out == "-" {
		return fault.Of(writeTidy(c.Out, to, in))
	}
	path := filepath.Join(out, filepath.Base(session.Real(run.Dir)))
	files := 0
	put := func(name string, content []byte) error {
		files++
		return host.Replace(filepath.Join(path, filepath.FromSlash(name)),
			func(w io.Writer) error { _, err := w.Write(content); return err })
	}
	var err error
	switch to {
	case "npy":
		err = export.Arrays(*in, put)
	case "tensorboard":
		err = export.Events(*in, put)
	default:
		path += "." + to
		err = host.Replace(path, func(w io.Writer) error { return writeTidy(w, to, in) })
	}
	switch {
	case err != nil:
		return fault.Unstorable(out, err)
	case files > 0:
		c.Sayf("%s has %s", path, phrase.Count(files, "file", "files"))
	default:
		c.Sayf("wrote %s", path)
	}
	return nil
}

// exportUpdates writes what clients sent and what servers did in each round of training runs.
func (c *command) exportUpdates(
	ctx context.Context, run store.Run, plan *store.Plan, f *resultFlags,
) error {
	u := &view.Updates{Only: f.only, Data: f.data, Out: f.out, Limit: uint64(f.limit), Say: c.Sayf}
	folder, n, err := u.Write(ctx, &view.Subject{Session: c.Session, Run: run, Plan: plan})
	if err != nil {
		return err
	}
	c.Sayf("%s has %s, each with the numbers that the run has", folder,
		phrase.Count(n, "training run", "training runs"))
	return nil
}

// complete refuses a run without any result, and says how many cells lack one.
func (c *command) complete(in *infer.Input) error {
	missing := 0
	for _, id := range in.IDs {
		if in.Results[id] == nil {
			missing++
		}
	}
	switch {
	case missing == len(in.IDs):
		return fault.Of(errors.New("no training run has a result"))
	case missing > 0:
		c.Sayf("%d of %d training runs have no result and are left out", missing, len(in.IDs))
	}
	return nil
}

// writeTidy writes a run as one long table.
func writeTidy(w io.Writer, to string, in *infer.Input) error {
	switch to {
	case "jsonl":
		return export.TidyJSONL(w, *in)
	case "parquet":
		return export.TidyParquet(w, *in)
	}
	return export.TidyCSV(w, *in)
}
