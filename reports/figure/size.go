package figure

import (
	"strings"

	"gonum.org/v1/plot/vg"
)

// A Size is how wide a figure is and how large its text. A height follows from what is drawn.
type Size struct {
	Name  string
	Width vg.Length // of the figure
	Text  vg.Length // size of the font; ticks and legends are a little smaller
	Least vg.Length // that no figure is lower than
	Most  vg.Length // that no figure should be higher than
}

// Sizes returns the sizes that figures have, by what a venue calls a column: of one column, of
// both, of a slide.
func Sizes() []Size {
	const in = vg.Inch
	return []Size{
		{"column", 3.25 * in, 8, 1 * in, 8.5 * in},
		{"double", 6.75 * in, 8, 1 * in, 8.5 * in},
		{"slide", 10 * in, 15, 2 * in, 5.6 * in},
		{"ieee", 3.5 * in, 8, 1 * in, 8.5 * in},
		{"ieee-double", 7.16 * in, 8, 1 * in, 8.5 * in},
		{"icml", 3.25 * in, 8, 1 * in, 8.5 * in},
		{"icml-double", 6.75 * in, 8, 1 * in, 8.5 * in},
		{"neurips", 5.5 * in, 8, 1 * in, 8.5 * in},
	}
}

// SizeNamed returns the size of a name, in any case, or false when there is none.
func SizeNamed(name string) (Size, bool) {
	for _, s := range Sizes() {
		if s.Name == strings.ToLower(name) {
			return s, true
		}
	}
	return Size{}, false
}
