package reports

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	aside = regexp.MustCompile(`<!--.*?-->`)
	tag   = regexp.MustCompile(`<(/?)([a-z]+)((?: [a-z]+="[^"<>]*")*)>`)
	sup   = regexp.MustCompile(`<sup>[^<]*</sup>`)
)

// TestHTMLNests: every element is closed where it should be, and besides tags there is
// nothing that HTML, or a document in another encoding, would read as its own.
func TestHTMLNests(t *testing.T) {
	for _, x := range examples() {
		text := aside.ReplaceAllString(string(written(t, tables(t, x.Input), HTML)), "")
		var open []string
		for _, m := range tag.FindAllStringSubmatch(text, -1) {
			switch name := m[2]; {
			case name == "br":
			case m[1] == "":
				open = append(open, name)
			case len(open) == 0 || open[len(open)-1] != name:
				t.Fatalf("%s: %s closes %v", x.name, m[0], open)
			default:
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 {
			t.Errorf("%s: %v is not closed", x.name, open)
		}
		plain := tag.ReplaceAllString(text, "")
		if strings.ContainsAny(plain, `<>"`) {
			t.Errorf("%s: not escaped in %s", x.name, plain)
		}
		for _, r := range text {
			if r >= 0x80 {
				t.Errorf("%s: %q is not ASCII", x.name, r)
			}
		}
	}
}

// TestHTMLRowsHaveAllCells: what stands in a line of the table is as wide as in any other,
// and the heads of rows read back as the labels of methods.
func TestHTMLRowsHaveAllCells(t *testing.T) {
	cell := regexp.MustCompile(`<t[hd]`)
	span := regexp.MustCompile(`colspan="(\d+)"`)
	head := regexp.MustCompile(`<th scope="row" align="left">(.*?)</th>`)
	for _, x := range examples() {
		list := tables(t, x.Input)
		for i, text := range strings.Split(string(written(t, list, HTML)), "</table>")[:len(list)] {
			want := -1
			for _, line := range strings.Split(text, "\n") {
				if !strings.HasPrefix(line, "<tr>") {
					continue
				}
				n := len(cell.FindAllString(line, -1))
				for _, m := range span.FindAllStringSubmatch(line, -1) {
					n += int(value(m[1])) - 1
				}
				if want < 0 {
					want = n
				}
				if n != want {
					t.Errorf("%s: %d cells instead of %d in %s", x.name, n, want, line)
				}
			}
			var got, labels []string
			for _, m := range head.FindAllStringSubmatch(text, -1) {
				name := html.UnescapeString(sup.ReplaceAllString(m[1], ""))
				name = strings.ReplaceAll(name, "\u00a0", " ")
				got = append(got, strings.TrimPrefix(name, "\u2003"))
			}
			for _, r := range layout(&list[i]).rows {
				labels = append(labels, strings.TrimPrefix(r.short, "  "))
			}
			if !slices.Equal(got, labels) {
				t.Errorf("%s: rows %q, want %q", x.name, got, labels)
			}
		}
	}
}

func TestHyperEntry(t *testing.T) {
	for _, c := range []struct {
		e    entry
		want string
	}{
		{entry{}, ``},
		{entry{word: "—", notes: []int{2}}, `&#8212;<sup>b</sup>`},
		{entry{whole: "3", frac: ".42", spread: "0.21", best: true, star: "**"},
			`<b>3.42&nbsp;&#177;&nbsp;0.21</b><sup>**</sup>`},
		{entry{whole: "72", frac: ".05", delta: &entry{whole: "+7", frac: ".86"}},
			`72.05&nbsp;(+7.86)`},
		{entry{whole: "75", aside: "(3/5)", notes: []int{1, 3}}, `75&nbsp;(3/5)<sup>a,&nbsp;c</sup>`},
		{entry{word: "~", aside: "(p < 0.1)"}, `~&nbsp;(p&nbsp;&lt;&nbsp;0.1)`},
	} {
		if got := hyperEntry(c.e); got != c.want {
			t.Errorf("%+v: %s, want %s", c.e, got, c.want)
		}
	}
}
