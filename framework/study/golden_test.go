package study

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expected files of testdata")

// TestFiles reads every experiment of testdata and compares its result with the file beside it:
// cells, or problems as a user sees them. Comments at the top of a file that look like flags are
// those of the command line.
func TestFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.toml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files: ", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			got, extension := outcome(t, file)
			base := strings.TrimSuffix(file, ".toml")
			compare(t, base+extension, got)
			for _, other := range []string{".cells", ".err"} {
				if _, err := os.Stat(base + other); err == nil && other != extension {
					t.Errorf("%s%s is there, but the outcome is %s", base, other, extension)
				}
			}
		})
	}
}

// compare compares a text with that of a file, or writes the file.
func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s (- want, + got):\n%s", file, diff(string(want), got))
	}
}

// diff returns the lines that differ between two texts, with those between the first and
// the last of them.
func diff(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	var out strings.Builder
	for _, line := range a {
		out.WriteString("- " + line + "\n")
	}
	for _, line := range b {
		out.WriteString("+ " + line + "\n")
	}
	return out.String()
}

// outcome reads an experiment and returns the text of its cells or problems, and the
// extension of the file in which it is kept. Everything that can go wrong is asked for
// at once, as the command does it.
func outcome(t *testing.T, file string) (text, extension string) {
	t.Helper()
	overrides, only := flags(t, file)
	spec, err := Read(file, overrides)
	problems := problemsOf(t, err)
	var cells []Cell
	if spec != nil {
		cells, err = spec.Expand()
		problems = append(problems, problemsOf(t, err)...)
	}
	if len(problems) == 0 {
		problems = Duplicates(cells)
	}
	if len(problems) == 0 {
		cells, err = filtered(cells, only)
		problems = problemsOf(t, err)
	}
	if len(problems) > 0 {
		var b bytes.Buffer
		if err := problems.Render(&b, false); err != nil {
			t.Fatal(err)
		}
		return b.String(), ".err"
	}
	return describe(t, spec, cells), ".cells"
}

func problemsOf(t *testing.T, err error) Problems {
	t.Helper()
	if err == nil {
		return nil
	}
	problems, ok := err.(Problems)
	if !ok {
		t.Fatalf("%T: %v", err, err)
	}
	return problems
}

// flags returns what the comments at the top of a file ask for.
func flags(t *testing.T, file string) (Overrides, []string) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var o Overrides
	var only []string
	for line := range strings.Lines(string(src)) {
		option, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "# --")
		if !ok {
			break
		}
		name, value, _ := strings.Cut(option, " ")
		switch name {
		case "set":
			o.Set = append(o.Set, value)
		case "seeds":
			o.Seeds = value
		case "only":
			only = append(only, value)
		default:
			t.Fatalf("%s: unknown flag %q", file, name)
		}
	}
	return o, only
}

// describe returns a readable text of an experiment: the first cell in full, of all
// others what distinguishes them from it. Seeds of one setting share an entry.
func describe(t *testing.T, s *Spec, cells []Cell) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "title   %s\npaper   %s\n", s.Title, s.Paper)
	fmt.Fprintf(&b, "name    %s\nseeds   %v\n", s.Name, s.Seeds)
	for _, m := range s.Methods {
		fmt.Fprintf(&b, "method  %s\n", strings.TrimRight(m+"  "+s.Roles[m], " "))
	}
	for _, a := range s.Axes {
		fmt.Fprintf(&b, "axis    %s: %s\n", a.Name, strings.Join(a.Labels, " | "))
	}
	fmt.Fprintf(&b, "report  %+v\n", s.Report)
	for _, r := range s.References {
		fmt.Fprintf(&b, "paper   %+v\n", r)
	}
	b.WriteString(tuneText(s.Tune))
	var first map[string]string
	for i := 0; i < len(cells); {
		c, lines := cells[i], valuesOf(t, cells[i])
		fmt.Fprintf(&b, "\n%s", c.Method)
		for _, p := range c.Point {
			fmt.Fprintf(&b, " | %s", p.Label)
		}
		b.WriteString(" | seed")
		sameButSeed := func(d Cell) bool {
			return d.Method == c.Method && slices.Equal(d.Point, c.Point)
		}
		for ; i < len(cells) && sameButSeed(cells[i]); i++ {
			fmt.Fprintf(&b, " %d", cells[i].Seed)
			if !maps.Equal(valuesOf(t, cells[i]), lines) {
				t.Errorf("%s: cells differ in more than their seed", c.Method)
			}
		}
		b.WriteString("\n")
		for _, path := range slices.Sorted(maps.Keys(first)) {
			if _, ok := lines[path]; !ok {
				fmt.Fprintf(&b, "  %s no more\n", path)
			}
		}
		for _, path := range slices.Sorted(maps.Keys(lines)) {
			if lines[path] != first[path] {
				fmt.Fprintf(&b, "  %s = %s\n", path, lines[path])
			}
		}
		if first == nil {
			first = lines
		}
	}
	return b.String()
}

// tuneText returns a search in lines, with the place of every range.
func tuneText(t *Tune) string {
	if t == nil {
		return ""
	}
	text := fmt.Sprintf("tune    %d by %s, seeds %v, %s, %v, required: %t\n", t.Budget, t.By, t.Seeds,
		t.Search, t.Share, t.Required)
	if len(t.Across) > 0 {
		text += fmt.Sprintf("tune    across %v\n", t.Across)
	}
	for _, p := range t.Space {
		text += fmt.Sprintf("tune    %q %s %s [%v, %v] %s  @ %s\n", p.Method, p.Path, p.Scale, p.Low,
			p.High, appendValue(nil, []any(p.Values)), where(p.At.Key))
	}
	return text
}

// valuesOf returns every value of a cell by its path, with the place where it was
// written. A value without one is an error.
func valuesOf(t *testing.T, c Cell) map[string]string {
	t.Helper()
	out := map[string]string{}
	add := func(path string, v any) {
		span, ok := c.Origins[path]
		if !ok {
			t.Errorf("%s: %s has no origin", c.Method, path)
		}
		value, key := where(span.Value), where(span.Key)
		out[path] = fmt.Sprintf("%s  @ %s, %s", appendValue(nil, v), key, value)
	}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, value := range v {
				walk(path+"."+key, value)
			}
		case []any:
			for i, value := range v {
				walk(fmt.Sprintf("%s[%d]", path, i), value)
			}
		default:
			add(path, v)
		}
	}
	add("method", c.Method)
	add("clients", c.Clients)
	add("rounds", c.Rounds)
	add("measure_every", c.Every)
	add("law", c.Law)
	if c.SameData {
		add("data_seed", c.DataSeed)
	}
	for _, p := range c.Point {
		add("sweep."+p.Axis, p.Label)
	}
	for slot, p := range c.Picks {
		add(slot+".name", p.Name)
		walk(slot, p.Params)
	}
	for i, p := range c.Preprocess {
		path := fmt.Sprintf("preprocess[%d]", i)
		add(path+".name", p.Name)
		walk(path, p.Params)
	}
	for i, m := range c.Measures {
		path := fmt.Sprintf("metrics[%d]", i)
		add(path+".name", m.Name)
		add(path, fmt.Sprintf("%s average=%t", m.Key, m.Average))
		walk(path, m.Params)
	}
	out["role"], out["parent"] = c.Role, c.Parent
	return out
}

func where(p Pos) string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%d:%d+%d", p.Line, p.Col, p.Len)
}
