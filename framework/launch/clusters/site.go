package clusters

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/study"
)

// SiteFile returns where the site profile lies, or "" where there is none: the one that is asked
// for, $HANSA_SITE, hansa/site.toml of the user's configuration.
func SiteFile(asked string) string {
	if file := cmp.Or(asked, os.Getenv("HANSA_SITE")); file != "" {
		return file
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	file := filepath.Join(dir, "hansa", "site.toml")
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

// ReadSite reads what a site profile says of a cluster. Without a file it is that of a cluster with
// defaults for everything. Mistakes in the file are study.Problems.
func ReadSite(file string, c launch.Cluster) (*launch.Site, error) {
	site := new(launch.Site)
	if file == "" {
		return site, c.Check(site)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return nil, fmt.Errorf("the site profile %s: %w", file, err)
	}
	if problems := parse(site, c, file, content); len(problems) > 0 {
		return nil, problems
	}
	if err := c.Check(site); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return site, nil
}

// parse sets what a site profile says, and returns all that is wrong with it.
func parse(site *launch.Site, c launch.Cluster, file string, content []byte) study.Problems {
	tables, problems := study.Fields(file, content)
	for _, table := range tables {
		of := Named(table.Key)
		if of == nil || table.Value != nil {
			problems = append(problems, study.Problem{Pos: table.At,
				Message: fmt.Sprintf("unknown table %q", table.Key),
				Hint:    "known: [" + strings.Join(Names(), "], [") + "]"})
			continue
		}
		into := new(launch.Site) // of a cluster that is not asked
		if table.Key == c.About().Name {
			into = site
		}
		for _, f := range table.Fields {
			if p := set(into, of.About().Keys, f); p != nil {
				problems = append(problems, *p)
			}
		}
	}
	return problems
}

// set sets what a site profile says for a key, or returns what is wrong with that.
func set(site *launch.Site, keys []launch.Key, f study.Field) *study.Problem {
	var known []string
	for _, k := range keys {
		switch known = append(known, k.Name); {
		case k.Name != f.Key:
		case k.Set(site, f.Value):
			return nil
		default:
			return &study.Problem{Pos: f.At, Message: fmt.Sprintf("%s: not %v", f.Key, f.Value),
				Hint: k.About}
		}
	}
	return &study.Problem{Pos: f.At, Message: fmt.Sprintf("unknown key %q", f.Key),
		Hint: study.Suggest(f.Key, known)}
}
