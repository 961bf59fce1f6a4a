package clusters

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

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
	if problems := parse(site, c, file, string(content)); len(problems) > 0 {
		return nil, problems
	}
	if err := c.Check(site); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return site, nil
}

// parse sets what a site profile says, and returns all that is wrong with it.
func parse(site *launch.Site, c launch.Cluster, file, content string) (problems study.Problems) {
	var tables map[string]any
	if _, err := toml.Decode(content, &tables); err != nil {
		problem := study.Problem{Pos: study.Pos{File: file}, Message: err.Error()}
		var syntax toml.ParseError
		if errors.As(err, &syntax) {
			problem = study.Problem{Message: syntax.Message, Pos: study.Pos{File: file,
				Line: syntax.Position.Line, Col: syntax.Position.Col, Len: syntax.Position.Len}.
				In(&content)}
		}
		return study.Problems{problem}
	}
	for name, table := range tables {
		values, ok := table.(map[string]any)
		of := Named(name)
		if of == nil || !ok {
			problems = append(problems, study.Problem{Pos: keyPos(file, &content, name),
				Message: fmt.Sprintf("unknown table %q", name),
				Hint:    "known: [" + strings.Join(Names(), "], [") + "]"})
			continue
		}
		into := new(launch.Site) // of a cluster that is not asked
		if name == c.About().Name {
			into = site
		}
		for key, value := range values {
			if p := set(into, of.About().Keys, key, value); p != nil {
				p.Pos = keyPos(file, &content, key)
				problems = append(problems, *p)
			}
		}
	}
	return problems
}

// set sets what a site profile says for a key, or returns what is wrong with that.
func set(site *launch.Site, keys []launch.Key, key string, value any) *study.Problem {
	k := slices.IndexFunc(keys, func(k launch.Key) bool { return k.Name == key })
	if k < 0 {
		var known []string
		for _, k := range keys {
			known = append(known, k.Name)
		}
		return &study.Problem{Message: fmt.Sprintf("unknown key %q", key),
			Hint: study.Suggest(key, known)}
	}
	if !keys[k].Set(site, value) {
		return &study.Problem{Message: fmt.Sprintf("%s: not %v", key, value), Hint: keys[k].About}
	}
	return nil
}

// keyPos returns where a key, or a table, is written.
func keyPos(file string, content *string, key string) study.Pos {
	n := 0
	for line := range strings.Lines(*content) {
		n++
		bare := strings.TrimLeft(line, " \t[\"")
		rest, ok := strings.CutPrefix(bare, key)
		if ok && strings.ContainsAny(rest[:min(1, len(rest))], " \t=]\".") {
			return study.Pos{File: file, Line: n, Col: len([]rune(line)) - len([]rune(bare)) + 1,
				Len: len([]rune(key))}.In(content)
		}
	}
	return study.Pos{File: file}
}
