package study

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// corpus are documents that a scanner may trip over, beside the files of testdata.
var corpus = []string{
	"",
	"\xef\xbb\xbfa = 1\n", "\xfe\xff\xff\xfe",
	"a = \"\"\"x\"\"\"\"\"\nb = '''y''''\nc = \"\"\"\\\n   \\\"\"\"\"\n",
	"a = 'it # is' # not\nb = \"\\\"#\\\\\"\n",
	"\"a.b\" = 1\na . \"b\" . 'c' = { d.e = [1, { f = 2 }], \"g h\" = 3 }\n",
	"a = [ # one\n  1, # two\n\t[2, 3],\n  { b = 4 },\n]\n",
	"[a.b]\r\nc = 1\r\n[a]\r\nd = 2\r\n",
	"[[a]]\nb = 1\n[a.c]\nd = 2\n[[a.e]]\nf = 3\n[[a.e]]\nf = 4\n[[a]]\nb = 5\n",
	"[ x . \"y\" ]\nz = 1\n[[ p . q ]]\nr = 1\n",
	"d = 1979-05-27 07:32:00Z\nt = 07:32:00\ni = -inf\nh = 0xBEEF\nf = 1_0.5e+3\n",
	"a = {\n  b = 1, # c\n  c = [ {}, { d = 2, }, ],\n}\n",
	"\"\\u03b8\" = 'θ' # θ\n'κ.λ' = \"κ\"\n",
	"0=[0,{\"\"=0}]",
	"a = [[[], [[]]], []]\nb = {}\n",
	"x = '''\nnew\nline'''\ny = 2\n",
	"true = true\n1 = 2\n1.2 = 3\ninf = inf\n",
	"a = [\"x\", # \"y\"\n 'z']\nb=[1,2,]\n",
	"\t[setting]\t# tab\n\t\tclients\t=\t5\t\n",
	"a = 1\n\x00", "a = \"\n", "[a", "a = [", "a = {", "a.", "= 1", "]", "a = 0x", "[[a]\n", "a = '''",
	"a = {a={a={a={a=1}}}}\n" + strings.Repeat("[", 100),
	strings.Repeat("a.", 100) + "a = 1\n",
}

// addCorpus adds every document of the corpus and of testdata.
func addCorpus(f *testing.F, add func(src string)) {
	f.Helper()
	corpus := slices.Clone(corpus)
	files, err := filepath.Glob("testdata/*.toml")
	if err != nil || len(files) == 0 {
		f.Fatal("no files: ", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		corpus = append(corpus, string(src))
	}
	for _, src := range corpus {
		add(src)
	}
}

// FuzzParse shows that no document and no command line makes the package panic, and that
// whatever it has to say can be printed.
func FuzzParse(f *testing.F) {
	sets := []string{
		"local.lr=1", "rounds=[2]", "FedAVOT: rounds=3", "FedAVOT, loose: local=adam", "x",
		"title = ' ", "report.final=5", "partition=[{label=1}]", "sweep.x=1", "a.b.c=[", "metrics.x=1",
	}
	addCorpus(f, func(src string) {
		for i := range sets {
			f.Add([]byte(src), sets[i], sets[(i+3)%len(sets)])
		}
	})
	f.Fuzz(func(t *testing.T, src []byte, set, seeds string) {
		spec, err := Parse("fuzz.toml", src, Overrides{Set: []string{set, set}, Seeds: seeds})
		problems := problemsOf(t, err)
		if spec == nil && len(problems) == 0 {
			t.Fatal("neither a spec nor a problem")
		}
		if spec != nil && len(spec.Seeds) < 100 {
			cells, err := spec.Expand()
			problems = append(problems, problemsOf(t, err)...)
			if len(cells) < 1000 {
				problems = append(problems, Duplicates(cells)...)
			}
		}
		var b strings.Builder
		if err := problems.Render(&b, true); err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			if p.Message == "" || p.Pos.File == "" || strings.ContainsAny(p.Message, "\r\n") {
				t.Errorf("a problem that cannot be shown: %#v", p)
			}
		}
	})
}

// FuzzScan shows that every key and value of a document stands where the marks say.
func FuzzScan(f *testing.F) {
	addCorpus(f, func(src string) { f.Add([]byte(src)) })
	f.Fuzz(func(t *testing.T, src []byte) {
		text := withoutMark(string(src))
		marks := scan("fuzz.toml", text)
		if marks.tooDeep != nil || marks.again != nil || marks.empty != nil {
			return
		}
		var doc map[string]any
		if _, err := toml.Decode(string(src), &doc); err == nil {
			checkMarks(t, strings.Split(text, "\n"), doc, marks.root)
		}
	})
}

// checkMarks compares the values of a table with the text at their marks.
func checkMarks(t *testing.T, lines []string, doc map[string]any, m *mark) {
	t.Helper()
	if len(doc) != len(m.table) || len(doc) != len(m.keys) {
		t.Fatalf("%d keys, %d marks", len(doc), len(m.table))
	}
	for key, value := range doc {
		c := m.table[key]
		if c == nil {
			t.Fatalf("no mark for %q", key)
		}
		checkKey(t, lines, key, c)
		checkValue(t, lines, key, value, c)
	}
}

// checkKey checks that the key itself stands at its mark.
func checkKey(t *testing.T, lines []string, key string, m *mark) {
	t.Helper()
	written := at(t, lines, m.at.Key)
	var back map[string]any
	_, err := toml.Decode(written+" = 1", &back)
	_, ok := back[key]
	if err != nil || !ok || len(back) != 1 || strings.TrimSpace(written) != written {
		t.Fatalf("key %q: %v has %q", key, m.at.Key, written)
	}
}

func checkValue(t *testing.T, lines []string, key string, value any, m *mark) {
	t.Helper()
	switch v := value.(type) {
	case map[string]any:
		checkMarks(t, lines, v, m)
	case []any:
		checkItems(t, lines, key, v, m)
	case []map[string]any:
		items := make([]any, len(v))
		for i := range v {
			items[i] = v[i]
		}
		checkItems(t, lines, key, items, m)
	}
	written := at(t, lines, m.at.Value)
	if m.at.Value == m.at.Key {
		return // a table under a header or a dotted key
	}
	var back map[string]any
	if _, err := toml.Decode("value = "+written, &back); err != nil {
		for _, opening := range []string{"[", "{", "\"\"\"", "'''"} {
			if strings.HasPrefix(written, opening) {
				return // it goes on in the next line
			}
		}
		t.Fatalf("%s: %v has %q", key, m.at.Value, written)
	}
	if fmt.Sprintf("%#v", back["value"]) != fmt.Sprintf("%#v", value) { // NaN is itself here
		t.Fatalf("%s = %#v: %v has %q", key, value, m.at.Value, written)
	}
}

func checkItems(t *testing.T, lines []string, key string, items []any, m *mark) {
	t.Helper()
	if len(items) != len(m.items) {
		t.Fatalf("%s: %d elements, %d marks", key, len(items), len(m.items))
	}
	for i := range items {
		checkKey(t, lines, key, m.items[i])
		checkValue(t, lines, key, items[i], m.items[i])
	}
}

// at returns the text at a place.
func at(t *testing.T, lines []string, p Pos) string {
	t.Helper()
	if p.Line < 1 || p.Line > len(lines) {
		t.Fatalf("%v: there are %d lines", p, len(lines))
	}
	line := []rune(lines[p.Line-1])
	if p.Col < 1 || p.Col-1+p.Len > len(line) {
		t.Fatalf("%v+%d: the line has %d characters", p, p.Len, len(line))
	}
	return string(line[p.Col-1 : p.Col-1+p.Len])
}
