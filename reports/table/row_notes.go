package table

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hansa-fl/hansa/framework/study"
	"github.com/hansa-fl/hansa/reports/infer"
)

// A rowNotes is what there is to tell of a row: texts in the order in which they come up,
// and the points that each is about.
type rowNotes struct {
	texts   []string
	points  map[string][]int
	present []int // points at which the row has cells that count
	planned int   // how many these are
}

// everywhere reports whether a text is about all points of the row.
func (s *rowNotes) everywhere(text string) bool { return len(s.points[text]) == s.planned }

// mergeTexts makes one text of those that differ in nothing but numbers: it is said once, with
// ranges.
func (s *rowNotes) mergeTexts() {
	groups := map[string][]string{}
	var order []string
	for _, text := range s.texts {
		key := withoutNumbers(text)
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], text)
	}
	for _, key := range order {
		texts := groups[key]
		var points []int
		for _, text := range texts {
			points = append(points, s.points[text]...)
		}
		slices.Sort(points)
		if n := len(points); len(texts) < 2 || len(slices.Compact(points)) != n {
			continue // one point is said several things of
		}
		all := mergeRanges(texts)
		s.texts[slices.Index(s.texts, texts[0])] = all
		s.texts = slices.DeleteFunc(s.texts, func(text string) bool {
			return slices.Contains(texts, text)
		})
		s.points[all] = points
	}
}

// placeNotes marks what say has to tell of the cells of every row and point that counts. What is
// true of every row, or of all but one or two, is no footnote but said of the table; what is true
// of all rows at a point is a footnote there. The rest is marked at the row where all its points
// agree and there are several, else at the first metric of the point.
func (d *draft) placeNotes(say func(cells []int) []string, counts func(cells []int) bool) {
	notes := make([]rowNotes, len(d.Methods))
	var texts []string
	for r, m := range d.Methods {
		notes[r] = d.rowNotesOf(m, say, counts)
		for _, text := range notes[r].texts {
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	done := map[string]bool{}
	for _, text := range texts {
		done[text] = d.noteTable(text, notes) || d.notePoints(text, notes)
	}
	for r := range notes {
		for _, text := range notes[r].texts {
			if !done[text] {
				d.noteRow(r, text, &notes[r])
			}
		}
	}
}

// rowNotesOf collects what there is to tell of a row.
func (d *draft) rowNotesOf(
	m infer.Method, say func(cells []int) []string, counts func(cells []int) bool,
) rowNotes {
	s := rowNotes{points: map[string][]int{}}
	for k, at := range d.block.Points {
		if d.isWorst(at) {
			continue // what there is to tell stands at the points where these runs are
		}
		cells := d.CellsAt(m, d.block, at)
		if counts(cells) {
			s.planned++
			s.present = append(s.present, k)
		}
		for _, text := range say(cells) {
			if !slices.Contains(s.texts, text) {
				s.texts = append(s.texts, text)
			}
			s.points[text] = append(s.points[text], k)
		}
	}
	s.mergeTexts()
	return s
}

// hasResults reports whether some of the cells have a result.
func (d *draft) hasResults(cells []int) bool {
	return slices.ContainsFunc(cells, func(i int) bool {
		return d.In.Results[d.In.IDs[i]] != nil
	})
}

// hasCells reports whether there are cells.
func hasCells(cells []int) bool { return len(cells) > 0 }

// noteTable says a text of the table if it is true of every row that counts, but for one or two of
// many that have nothing of it: these it names.
func (d *draft) noteTable(text string, notes []rowNotes) bool {
	const most = 2
	rows := 0
	var others []string
	for r := range notes {
		switch s := &notes[r]; {
		case s.planned == 0:
		case len(s.points[text]) == 0:
			others = append(others, strconv.Quote(study.OneLine(d.Methods[r].Label)))
		case s.everywhere(text):
			rows++
		default:
			return false
		}
	}
	text = inWords(text)
	switch {
	case rows < 2, len(others) > most, len(others) > 0 && rows <= 2*len(others):
		return false
	case len(others) > 0:
		text += " (all but " + strings.Join(others, " and ") + ")"
	}
	d.table.Notes = append(d.table.Notes, Note{Text: text})
	return true
}

// notePoints marks the points at which a text is true of every row that has cells there, if it is
// said nowhere else.
func (d *draft) notePoints(text string, notes []rowNotes) bool {
	said, present := make([]int, len(d.block.Points)), make([]int, len(d.block.Points))
	for r := range notes {
		for _, k := range notes[r].points[text] {
			said[k]++
		}
		for _, k := range notes[r].present {
			present[k]++
		}
	}
	for k, n := range said {
		if n > 0 && (n < 2 || n < present[k]) {
			return false
		}
	}
	for k, n := range said {
		if n > 0 {
			column := &d.table.Columns[k*len(d.Metrics)]
			column.Notes = append(column.Notes, d.mark(inWords(text)))
		}
	}
	return true
}

// noteRow marks where a text belongs in row r.
func (d *draft) noteRow(r int, text string, s *rowNotes) {
	row, n := &d.table.Rows[r], d.mark(inWords(text))
	if s.planned > 1 && s.everywhere(text) {
		row.Notes = append(row.Notes, n)
		return
	}
	for _, k := range s.points[text] {
		cell := &row.Cells[k*len(d.Metrics)]
		cell.Notes = append(cell.Notes, n)
	}
}
