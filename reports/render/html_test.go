package render

import (
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hansa-fl/hansa/reports/reportstest"
	"github.com/hansa-fl/hansa/reports/table"
)

var (
	aside = regexp.MustCompile(`<!--.*?-->`)
	tag   = regexp.MustCompile(`<(/?)([a-z]+)((?: [a-z]+="[^"<>]*")*)>`)
	sup   = regexp.MustCompile(`<sup>[^<]*</sup>`)
)

// TestHTMLNests: every element is closed where it should be, and besides tags there is
// nothing that HTML, or a document in another encoding, would read as its own.
func TestHTMLNests(t *testing.T) {
	for _, x := range reportstest.Examples() {
		text := aside.ReplaceAllString(string(reportstest.Written(t, reportstest.Tables(t, x.Input), HTML)), "")
		var open []string
		for _, m := range tag.FindAllStringSubmatch(text, -1) {
			switch name := m[2]; {
			case name == "br":
			case m[1] == "":
				open = append(open, name)
			case len(open) == 0 || open[len(open)-1] != name:
				t.Fatalf("%s: %s closes %v", x.Name, m[0], open)
			default:
				open = open[:len(open)-1]
			}
		}
		if len(open) > 0 {
			t.Errorf("%s: %v is not closed", x.Name, open)
		}
		plain := tag.ReplaceAllString(text, "")
		if strings.ContainsAny(plain, `<>"`) {
			t.Errorf("%s: not escaped in %s", x.Name, plain)
		}
		for _, r := range text {
			if r >= 0x80 {
				t.Errorf("%s: %q is not ASCII", x.Name, r)
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
	for _, x := range reportstest.Examples() {
		list := reportstest.Tables(t, x.Input)
		for i, text := range strings.Split(string(reportstest.Written(t, list, HTML)), "</table>")[:len(list)] {
			want := -1
			for _, line := range strings.Split(text, "\n") {
				if !strings.HasPrefix(line, "<tr>") {
					continue
				}
				n := len(cell.FindAllString(line, -1))
				for _, m := range span.FindAllStringSubmatch(line, -1) {
					wide, _ := strconv.Atoi(m[1])
					n += wide - 1
				}
				if want < 0 {
					want = n
				}
				if n != want {
					t.Errorf("%s: %d cells instead of %d in %s", x.Name, n, want, line)
				}
			}
			var got, labels []string
			for _, m := range head.FindAllStringSubmatch(text, -1) {
				name := html.UnescapeString(sup.ReplaceAllString(m[1], ""))
				name = strings.ReplaceAll(name, "\u00a0", " ")
				got = append(got, strings.TrimPrefix(name, "\u2003"))
			}
			for _, r := range table.Layout(&list[i]).Rows {
				labels = append(labels, strings.TrimPrefix(r.Short, "  "))
			}
			if !slices.Equal(got, labels) {
				t.Errorf("%s: rows %q, want %q", x.Name, got, labels)
			}
		}
	}
}

func TestHyperEntry(t *testing.T) {
	for _, c := range []struct {
		e    table.Entry
		want string
	}{
		{table.Entry{}, ``},
		{table.Entry{Word: "—", Notes: []int{2}}, `&#8212;<sup>b</sup>`},
		{table.Entry{Whole: "3", Frac: ".42", Spread: "0.21", Best: true, Star: "**"},
			`<b>3.42&nbsp;&#177;&nbsp;0.21</b><sup>**</sup>`},
		{table.Entry{Whole: "72", Frac: ".05", Delta: &table.Entry{Whole: "+7", Frac: ".86"}},
			`72.05&nbsp;(+7.86)`},
		{table.Entry{Whole: "75", Aside: "(3/5)", Notes: []int{1, 3}}, `75&nbsp;(3/5)<sup>a,&nbsp;c</sup>`},
		{table.Entry{Word: "~", Aside: "(p < 0.1)"}, `~&nbsp;(p&nbsp;&lt;&nbsp;0.1)`},
	} {
		if got := htmlEntry(c.e); got != c.want {
			t.Errorf("%+v: %s, want %s", c.e, got, c.want)
		}
	}
}
