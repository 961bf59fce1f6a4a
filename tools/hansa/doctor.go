package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/launch/clusters"
	"github.com/hansa-fl/hansa/framework/session/fault"
)

// How things are.
const (
	isOK    = "ok"
	isWarn  = "warn"
	isWrong = "fail"
)

// A symptom is one thing that the doctor has looked at.
type symptom struct {
	Level string `json:"level"` // how it is
	What  string `json:"what"`
	Found string `json:"found"`
	Do    string `json:"do,omitempty"` // about it
}

// A doctor looks at one thing after another.
type doctor struct {
	*command
	doctorFlags
	symptoms []symptom
}

// doctorFlags say what is looked at.
type doctorFlags struct {
	on, site, data, format string
	timeout                time.Duration
}

// doctorFormats are the ways to print what was found.
var doctorFormats = []string{"text", "json"}

func (c *command) doctorCommand() *cobra.Command {
	d := &doctor{command: c}
	cmd := &cobra.Command{
		Use:     "doctor",
		GroupID: "look",
		Short:   "Say whether everything is right on this machine, and on a cluster",
		Long: "Say whether everything that runs need is right here: this program, its kernels " +
			"and its numbers, processors and memory, data sets, the place of runs, strategies. " +
			"With --on slurm also whether it is on a cluster: what it allows, whether it takes " +
			"tasks of the site profile, and what two tasks find that are really submitted — on " +
			"which nodes they are, whether numbers are the same there, whether one sees what " +
			"the other writes and how soon, whether they have the processors and the memory " +
			"that were asked for, and whether they are told before their time is over. They " +
			"need a few seconds, and leave nothing.\n\n" +
			"Every line says ok, warn or fail, and what to do about it; the exit code is 1 where " +
			"one says fail.",
		Example: "  hansa doctor\n  hansa doctor --on slurm --site gpu.toml",
		Args:    want(0, 0, "nothing but flags"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if d.timeout <= 0 {
				return fmt.Errorf("--timeout %v: want a time such as 5m", d.timeout)
			}
			if err := oneOf("--on", d.on, engines()); err != nil {
				return err
			}
			if err := oneOf("--format", d.format, doctorFormats); err != nil {
				return err
			}
			return d.visit(cmd.Context())
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&d.on, "on", onHere, "`WHERE` to look: here, or here and on a cluster with "+
		strings.Join(clusters.Names(), " or "))
	fs.StringVar(&d.site, "site", "", "`FILE` that says how the cluster is to be asked "+
		"(default $HANSA_SITE, or hansa/site.toml of your configuration)")
	dataFlag(cmd, &d.data)
	fs.DurationVar(&d.timeout, "timeout", 5*time.Minute,
		"`TIME` that the two tasks may wait and run")
	fs.StringVar(&d.format, "format", "text", "`FORMAT`: text or json")
	completeFlag(cmd, "on", engines()...)
	completeFlag(cmd, "format", doctorFormats...)
	completeFlag(cmd, "timeout", "5m", "1h")
	return cmd
}

// visit looks at everything, and reports it. The error is ErrFailed where something is wrong.
func (d *doctor) visit(ctx context.Context) error {
	d.here(ctx)
	var err error
	if d.on != onHere {
		err = d.cluster(ctx, clusters.Named(d.on))
	}
	if d.format == "json" {
		if err := d.json(); err != nil {
			return err
		}
	}
	if err == nil && d.count(isWrong) > 0 {
		err = fault.ErrFailed
	}
	return err
}

// Ways to note how something is.
func (d *doctor) fine(what, format string, args ...any) {
	d.note(symptom{isOK, what, fmt.Sprintf(format, args...), ""})
}

func (d *doctor) odd(what, found, do string) { d.note(symptom{isWarn, what, found, do}) }

func (d *doctor) wrong(what, found, do string) { d.note(symptom{isWrong, what, found, do}) }

// note keeps what was found, and prints it as soon as it is known.
func (d *doctor) note(s symptom) {
	d.symptoms = append(d.symptoms, s)
	if d.format == "json" {
		return
	}
	level := fmt.Sprintf("%-4s", s.Level)
	if s.Level == isWrong {
		level = d.paint(d.out, red, level)
	}
	text := s.Found
	if s.Do != "" {
		text += "\n→ " + s.Do
	}
	// Whoever does not read it any more does not need the rest either.
	_ = d.print(paragraph(fmt.Sprintf("%s  %-12s", level, s.What), text, columns(d.out)))
}

// count counts what is on a level.
func (d *doctor) count(level string) (n int) {
	for _, s := range d.symptoms {
		if s.Level == level {
			n++
		}
	}
	return n
}

// json prints everything that was found.
func (d *doctor) json() error {
	encoder := json.NewEncoder(d.out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return fault.Of(encoder.Encode(struct {
		OK     bool      `json:"ok"` // nothing is wrong
		Checks []symptom `json:"checks"`
	}{d.count(isWrong) == 0, d.symptoms}))
}
