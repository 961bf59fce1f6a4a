package table

import (
	"slices"
	"strings"

	"github.com/hansa-fl/hansa/reports/infer"
)

// hiddenVariation says what the cells behind one place of a table differ in besides their seed:
// something that neither row nor column shows.
func (d *draft) hiddenVariation(cells []int) []string {
	values := map[string][]string{}
	var paths []string
	for _, i := range cells {
		for _, s := range infer.Settings(&d.In.Cells[i]) {
			if _, known := values[s.Path]; !known {
				paths = append(paths, s.Path)
			}
			if !slices.Contains(values[s.Path], s.Value) {
				values[s.Path] = append(values[s.Path], s.Value)
			}
		}
	}
	var differ []string
	for _, path := range paths {
		if v := values[path]; len(v) > 1 {
			differ = append(differ, path+" ("+strings.Join(v, ", ")+")")
		}
	}
	if len(differ) == 0 {
		return nil
	}
	return []string{"averages over settings that differ in " + strings.Join(differ, ", ")}
}
