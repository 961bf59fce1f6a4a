package study

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// small is an experiment with more in its setting and after its method.
func small(setting, rest string) string {
	return "[setting]\nclients = 2\nrounds = 1\n" + setting +
		"\n[[method]]\nlabel = \"m\"\naggregator = \"b\"\n" + rest + "\n"
}

// Texts have limits, and what is beyond them is reported with its place and the limit, wherever it
// stands: labels of methods, metrics, points and ablations, keys, other texts, --set.
func TestTextsHaveLimits(t *testing.T) {
	long, longer := strings.Repeat("ä", 201), strings.Repeat("x", 10_001)
	numbers := strings.Repeat("1, ", 100)
	for want, src := range map[string]string{
		`9:9: label: 201 characters, more than 200`: small("", `[[method]]`+"\nlabel = \""+long+`"`),
		`4:39: label: 201 characters, more than 200`: small(
			`metrics = [{ name = "loss", label   = "`+long+`" }]`, ""),
		`9:16: label: 201 characters, more than 200`: small("", "[sweep]\nx = [{ label = \""+long+
			`", rounds = 2 }]`),
		`9:17: label: 201 characters, more than 200`: small("", "[sweep]\nxy = { label = [\""+long+
			`"], rounds = [2] }`),
		`9:18: label: 310 characters, more than 200 (give the point one of its own: ` +
			`{ label = "…", … })`: small("", "[sweep]\nlocal.weights = [["+numbers+"]]"),
		`10:1: a key: 201 characters, more than 200`: small("", "[[ablate]]\nof = \"m\"\n\""+long+
			`" = { rounds = 3 }`),
		`4:7: a key: 201 characters, more than 200`:      small("local."+strings.Repeat("k", 201)+" = 1", ""),
		`4:9: a text: 10001 characters, more than 10000`: small(`local = "`+longer+`"`, ""),
		`1002:1: a table has 1001 keys, more than 1000`:  "[setting.local]\n" + many(1001),
	} {
		_, err := Parse("f.toml", []byte(src), Overrides{})
		if err == nil || !strings.Contains(err.Error(), "f.toml:"+want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	_, err := Parse("f.toml", []byte(small("", "")), Overrides{Set: []string{"title=" + longer}})
	if err == nil || !strings.Contains(err.Error(), "--set: a text: 10001 characters") {
		t.Errorf("--set: %v", err)
	}
	if _, err := Parse("f.toml", []byte(small("", "[[method]]\nlabel = \""+long[:400]+"\"")),
		Overrides{}); err != nil {
		t.Errorf("a label of 200 characters: %v", err)
	}
}

// many is so many keys of a table.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d = 1\n", i)
	}
	return b.String()
}

// allocated returns how many bytes it takes to read an experiment and to report what is wrong.
func allocated(src string) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	spec, err := Parse("f.toml", []byte(src), Overrides{})
	var problems Problems
	_ = errors.As(err, &problems)
	if spec != nil {
		_, err = spec.Expand()
		var more Problems
		_ = errors.As(err, &more)
		problems = append(problems, more...)
	}
	_ = problems.Render(io.Discard, false)
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// An experiment four times as long takes about four times the memory to read and to refuse,
// whatever it has more of: characters of a text, keys, methods, points, mistakes.
func TestReadingIsLinear(t *testing.T) {
	repeat := func(text string) func(n int) string {
		return func(n int) string {
			var b strings.Builder
			for i := range n {
				b.WriteString(strings.ReplaceAll(text, "#", fmt.Sprint(i)))
			}
			return b.String()
		}
	}
	for what, make := range map[string]func(n int) string{
		"characters of a label": func(n int) string {
			return small("", "[[method]]\nlabel = \""+strings.Repeat("A", 100*n)+`"`)
		},
		"characters of a key": func(n int) string {
			return small(strings.Repeat("k", 100*n)+" = 1", "")
		},
		"characters of a choice": func(n int) string {
			return small(`law = "`+strings.Repeat("k", 100*n)+`"`, "")
		},
		"unknown keys": func(n int) string { return small(repeat("k# = 1\n")(n), "") },
		"methods": func(n int) string {
			return small("", repeat("[[method]]\nlabel = \"m#\"\n")(n))
		},
		"methods with a mistake": func(n int) string {
			return small("", repeat("[[method]]\nlabel = \"m#\"\nlocl.lr = 1\n")(n))
		},
		"ablations of no method": func(n int) string {
			return small("", repeat("[[ablate]]\nof = \"q#\"\nx = { rounds = 2 }\n")(n))
		},
		"mistakes in one line": func(n int) string {
			return small("", "[sweep]\nrounds = ["+repeat("-1, ")(n)+"]")
		},
		"points": func(n int) string { return small("", "[sweep]\nrounds = ["+repeat("1#, ")(n)+"]") },
	} {
		short, long := allocated(make(1000)), allocated(make(4000))
		if long > 6*short {
			t.Errorf("%s: %d bytes for 1000 of them, %d for 4000", what, short, long)
		}
	}
}

// What is wrong in many places gets no suggestions after the first hundred, and no list of all
// words that there are.
func TestSuggestionsAreBounded(t *testing.T) {
	var words []string
	for i := range 1000 {
		words = append(words, fmt.Sprintf("word-%d", i))
	}
	if s := Suggest("else", words); !strings.HasSuffix(s, "word-59 and 940 more") {
		t.Errorf("%q", s)
	}
	if near, ok := nearest(strings.Repeat("x", 300), []string{strings.Repeat("x", 299)}); ok {
		t.Errorf("%q is near", near)
	}
	wrong := strings.ReplaceAll(many(300), "k", "round")
	_, err := Parse("f.toml", []byte(small(wrong, "")), Overrides{})
	var problems Problems
	if !errors.As(err, &problems) || len(problems) < 300 {
		t.Fatal(err)
	}
	for i, p := range problems {
		if suggested := p.Hint != ""; suggested != (i < 100) {
			t.Errorf("mistake %d has the hint %q", i, p.Hint)
		}
	}
}
