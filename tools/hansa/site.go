package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/study"
)

// A siteKey is a key of the table [slurm] of a site profile.
type siteKey struct {
	name, about string
	set         func(s *launch.Site, value any) bool // false: the value is of another type
}

// siteKeys are all of them, in the order in which they are told of.
var siteKeys = []siteKey{
	{"partition", "partition", text(func(s *launch.Site) *string { return &s.Partition })},
	{"account", "account that pays", text(func(s *launch.Site) *string { return &s.Account })},
	{"qos", "quality of service", text(func(s *launch.Site) *string { return &s.QOS })},
	{"constraint", "features that nodes must have",
		text(func(s *launch.Site) *string { return &s.Constraint })},
	{"reservation", "reservation", text(func(s *launch.Site) *string { return &s.Reservation })},
	{"time", `time limit of a task, such as "1h" (the default)`,
		span(func(s *launch.Site) *time.Duration { return &s.Time })},
	{"mem", `memory of a task, such as "4G" (default what the site gives)`,
		text(func(s *launch.Site) *string { return &s.Memory })},
	{"cpus_per_task", "processors of a task, and cells that it runs at once (default 1)",
		number(func(s *launch.Site) *int { return &s.CPUs })},
	{"throttle", "tasks at once (default 256)",
		number(func(s *launch.Site) *int { return &s.Throttle })},
	{"max_tasks", "most tasks of one array (default what the cluster allows)",
		number(func(s *launch.Site) *int { return &s.MaxTasks })},
	{"signal", `how long before the time limit a task is told, such as "2m" (the default)`,
		span(func(s *launch.Site) *time.Duration { return &s.Signal })},
	{"exclude", "nodes that are not used",
		texts(func(s *launch.Site) *[]string { return &s.Exclude })},
	{"extra", "further options of sbatch",
		texts(func(s *launch.Site) *[]string { return &s.Extra })},
	{"setup", "lines of shell before a task, such as \"module load …\"",
		texts(func(s *launch.Site) *[]string { return &s.Setup })},
	{"scontrol", "tasks may ask to be started again (default true)",
		func(s *launch.Site, v any) bool {
			allowed, ok := v.(bool)
			s.NoRequeue = !allowed
			return ok
		}},
}

func text(at func(*launch.Site) *string) func(*launch.Site, any) bool {
	return func(s *launch.Site, v any) (ok bool) {
		*at(s), ok = v.(string)
		return ok
	}
}

func texts(at func(*launch.Site) *[]string) func(*launch.Site, any) bool {
	return func(s *launch.Site, v any) bool {
		list, ok := v.([]any)
		for _, one := range list {
			line, is := one.(string)
			ok = ok && is
			*at(s) = append(*at(s), line)
		}
		return ok
	}
}

func number(at func(*launch.Site) *int) func(*launch.Site, any) bool {
	return func(s *launch.Site, v any) bool {
		n, ok := v.(int64)
		*at(s) = int(n)
		return ok && n > 0
	}
}

func span(at func(*launch.Site) *time.Duration) func(*launch.Site, any) bool {
	return func(s *launch.Site, v any) bool {
		line, ok := v.(string)
		d, err := time.ParseDuration(line)
		*at(s) = d
		return ok && err == nil && d > 0
	}
}

// siteFile returns where the site profile lies, or "" where there is none: --site, $HANSA_SITE,
// hansa/site.toml of the user's configuration.
func siteFile(flag string) string {
	if file := cmp.Or(flag, os.Getenv("HANSA_SITE")); file != "" {
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

// readSite reads a site profile. Without a file it is that of a cluster with defaults for
// everything.
func readSite(file string) (*launch.Site, error) {
	site := new(launch.Site)
	if file == "" {
		return site, site.Check()
	}
	content, err := os.ReadFile(file)
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return nil, fmt.Errorf("the site profile %s: %w", file, err)
	}
	if problems := parseSite(site, file, string(content)); len(problems) > 0 {
		return nil, problems
	}
	if err := site.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return site, nil
}

// parseSite sets what a site profile says, and returns all that is wrong with it.
func parseSite(site *launch.Site, file, content string) (problems study.Problems) {
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
	var known []string
	for _, k := range siteKeys {
		known = append(known, k.name)
	}
	for name, table := range tables {
		values, ok := table.(map[string]any)
		if name != "slurm" || !ok {
			problems = append(problems, study.Problem{Pos: keyPos(file, &content, name),
				Message: fmt.Sprintf("unknown table %q", name), Hint: "known: [slurm]"})
			continue
		}
		for key, value := range values {
			at := keyPos(file, &content, key)
			k := slices.IndexFunc(siteKeys, func(k siteKey) bool { return k.name == key })
			switch {
			case k < 0:
				problems = append(problems, study.Problem{Pos: at,
					Message: fmt.Sprintf("unknown key %q", key), Hint: study.Suggest(key, known)})
			case !siteKeys[k].set(site, value):
				problems = append(problems, study.Problem{Pos: at,
					Message: fmt.Sprintf("%s: not %v", key, value), Hint: siteKeys[k].about})
			}
		}
	}
	return problems
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
