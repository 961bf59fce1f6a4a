package view

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hansa-fl/hansa/framework/host"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/fault"
	"github.com/hansa-fl/hansa/framework/session/phrase"
	"github.com/hansa-fl/hansa/reports/leaderboard"
)

// A Site is what is made of runs, or of files of their records.
type Site struct {
	Runs     []string
	Claims   []string // whose methods are not compared
	Title    string
	Baseline string   // "": that of the report, or FedAvg
	Out      string   // folder of pages
	JSON     string   // file of records, in place of pages; "": none
	Flags    []string // of the command line, but for those that say what is read and written
	Check    Check    // in place of pages, where its Count is not 0
	Audit    bool     // methods are audited
	Data     string   // folders of data sets, of audits and of Check

	Say func(format string, args ...any)
}

// Make writes the site, or the file of records; or it runs some training runs again.
func (w *Site) Make(ctx context.Context, s *session.Session) error {
	records, err := Records(s, w.Runs, w.Claims)
	if err != nil {
		return err
	}
	if w.Check.Count > 0 {
		w.Check.Say, w.Check.Data = w.Say, w.Data
		return w.Check.Run(ctx, records)
	}
	if w.Audit {
		if err := auditRecords(records, w.Data); err != nil {
			return err
		}
	}
	if w.JSON != "" {
		return w.keep(records)
	}
	b := Leaderboard(records)
	b.Title, b.Baseline, b.Remake = w.Title, w.Baseline, siteCommand(records, w.Flags)
	files, err := leaderboard.Files(b)
	if err != nil {
		return err
	}
	removed, err := leaderboard.Write(w.Out, files)
	if errors.As(err, new(*leaderboard.ForeignError)) {
		return err
	}
	if err != nil {
		return fault.Unstorable(w.Out, err)
	}
	old := ""
	if removed > 0 {
		old = fmt.Sprintf("; removed %s of an earlier site", phrase.Count(removed, "page", "pages"))
	}
	w.Say("wrote %s: %s%s; begin with %s", w.Out, phrase.Count(len(files), "page", "pages"), old,
		filepath.Join(w.Out, "index.html"))
	return nil
}

// keep writes records into a file.
func (w *Site) keep(records []*leaderboard.Record) error {
	for _, r := range records {
		if len(r.Cells) > 0 && len(r.Results) == 0 {
			return fmt.Errorf("%s: nothing was run yet: there is nothing to keep", r.Name)
		}
	}
	text, err := leaderboard.Encode(records)
	if err != nil {
		return err
	}
	size, err := writePacked(w.JSON, text)
	if err != nil {
		return fault.Unstorable(filepath.Dir(w.JSON), err)
	}
	w.Say("wrote %s: %s of %s; %s makes the site of it", w.JSON, host.Bytes(float64(size)),
		phrase.Count(len(records), "run", "runs"), phrase.Hint("leaderboard", w.JSON))
	return nil
}

// siteCommand is the line that makes a site of the runs again. It names runs, whether the site is
// made of them or of a file of their records, so that both give the same pages.
func siteCommand(records []*leaderboard.Record, flags []string) string {
	line, claims := []string{"leaderboard"}, []string{}
	for _, r := range records {
		switch {
		case !r.ClaimsOnly:
			line = append(line, r.Name)
		case !slices.Contains(claims, r.Name): // a list of verdicts is of many experiments
			claims = append(claims, "--claims", r.Name)
		}
	}
	return phrase.Hint(append(append(line, claims...), flags...)...)
}
