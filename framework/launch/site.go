package launch

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Site is how a cluster wants to be asked, of each task. What is empty is left to the cluster,
// or has the default that is named.
type Site struct {
	Words map[string]string // by the key of the profile: what is the cluster's own, a word each

	Time     time.Duration // that it may take: a minute or more; 1 h
	Memory   string        // as "4G"
	CPUs     int           // 1
	Throttle int           // tasks that run at once; 256
	MaxTasks int           // of an array
	Signal   time.Duration // from USR1 to the end of Time; 120 s
	Exclude  []string      // nodes

	Extra []string // further options of the command that submits, as "--licenses=x"
	// Setup are lines of the task's script before its program, which /bin/sh reads: where
	// "module" is no command of that, a line before it reads its definition.
	Setup     []string
	NoRequeue bool // tasks may not ask to be started again
}

// Full returns the site with its defaults.
func (s Site) Full() Site {
	s.Time, s.Signal = cmp.Or(s.Time, time.Hour), cmp.Or(s.Signal, 120*time.Second)
	s.CPUs, s.Throttle = cmp.Or(s.CPUs, 1), cmp.Or(s.Throttle, 256)
	return s
}

var (
	amount = regexp.MustCompile(`^[1-9][0-9]*[KMGT]?$`)
	word   = regexp.MustCompile(`^[^\s]*$`)
)

// Check says what is wrong with the site on any cluster.
func (s *Site) Check() error {
	f := s.Full()
	words := map[string]string{"exclude": strings.Join(f.Exclude, ",")}
	maps.Copy(words, f.Words)
	for _, name := range slices.Sorted(maps.Keys(words)) {
		if !word.MatchString(words[name]) {
			return fmt.Errorf("%s: %q is not one word", name, words[name])
		}
	}
	if f.Memory != "" && !amount.MatchString(f.Memory) {
		return fmt.Errorf("mem: %q is not a number with K, M, G or T, as 4G", f.Memory)
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"cpus_per_task", f.CPUs}, {"throttle", f.Throttle}, {"max_tasks", f.MaxTasks}} {
		if n.value < 0 {
			return fmt.Errorf("%s: %d is below 0", n.name, n.value)
		}
	}
	for _, line := range f.Setup {
		if strings.ContainsRune(line, 0) {
			return fmt.Errorf("setup: %q has a NUL", line)
		}
	}
	switch {
	case f.Time < time.Minute:
		return fmt.Errorf("time: %v is less than a minute", f.Time)
	case f.Signal < time.Second || f.Signal > 65535*time.Second:
		return fmt.Errorf("signal: %v is not from 1 s to 65535 s", f.Signal)
	case f.Time <= 3*f.Signal:
		return fmt.Errorf("time: %v is not more than three times the %v (signal) that a "+
			"task has to come to an end", f.Time, f.Signal)
	}
	return nil
}

// SetMemory changes the memory of a task: to an amount as "8G", or to "x2", twice what it is. An
// empty text leaves it as it is.
func (s *Site) SetMemory(text string) error {
	times, multiple := strings.CutPrefix(text, "x")
	if !multiple {
		s.Memory = cmp.Or(text, s.Memory)
		return nil
	}
	k, err := strconv.ParseFloat(times, 64)
	if err != nil || k <= 0 {
		return fmt.Errorf("%s: want a size such as 8G, or x2 for twice as much", text)
	}
	number := strings.TrimRight(s.Memory, "KMGT")
	was, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return fmt.Errorf("%s: the site profile does not say of how much (mem)", text)
	}
	unit, kilo := strings.TrimPrefix(s.Memory, number), 1024.0
	if unit == "K" {
		kilo = 1
	}
	smaller := map[string]string{"K": "K", "": "K", "M": "K", "G": "M", "T": "G"}
	s.Memory = fmt.Sprintf("%.0f%s", k*was*kilo, smaller[unit])
	return nil
}

// A Key is a key of a cluster's table in a site profile.
type Key struct {
	Name, About string
	Set         func(s *Site, value any) bool // false: the value is of another type
}

// Word returns the key of a word that is the cluster's own.
func Word(name, about string) Key {
	return Key{name, about, func(s *Site, v any) bool {
		text, ok := v.(string)
		if s.Words == nil {
			s.Words = map[string]string{}
		}
		s.Words[name] = text
		return ok
	}}
}

// CommonKeys returns the keys that all clusters have.
func CommonKeys() []Key {
	return []Key{
		{"time", `time limit of a task, such as "1h" (the default)`,
			span(func(s *Site) *time.Duration { return &s.Time })},
		{"mem", `memory of a task, such as "4G" (default what the site gives)`,
			func(s *Site, v any) (ok bool) {
				s.Memory, ok = v.(string)
				return ok
			}},
		{"cpus_per_task", "processors of a task, and training runs at once (default 1)",
			number(func(s *Site) *int { return &s.CPUs })},
		{"throttle", "tasks at once (default 256)",
			number(func(s *Site) *int { return &s.Throttle })},
		{"max_tasks", "most tasks of one array (default what the cluster allows)",
			number(func(s *Site) *int { return &s.MaxTasks })},
		{"signal", `how long before the time limit a task is told, such as "2m" (the default)`,
			span(func(s *Site) *time.Duration { return &s.Signal })},
		{"exclude", "nodes that are not used",
			texts(func(s *Site) *[]string { return &s.Exclude })},
		{"extra", "further options of the command that submits",
			texts(func(s *Site) *[]string { return &s.Extra })},
		{"setup", `lines of shell before a task, such as "module load …"`,
			texts(func(s *Site) *[]string { return &s.Setup })},
	}
}

func texts(at func(*Site) *[]string) func(*Site, any) bool {
	return func(s *Site, v any) bool {
		list, ok := v.([]any)
		for _, one := range list {
			line, is := one.(string)
			ok = ok && is
			*at(s) = append(*at(s), line)
		}
		return ok
	}
}

func number(at func(*Site) *int) func(*Site, any) bool {
	return func(s *Site, v any) bool {
		n, ok := v.(int64)
		*at(s) = int(n)
		return ok && n > 0
	}
}

func span(at func(*Site) *time.Duration) func(*Site, any) bool {
	return func(s *Site, v any) bool {
		line, ok := v.(string)
		d, err := time.ParseDuration(line)
		*at(s) = d
		return ok && err == nil && d > 0
	}
}
