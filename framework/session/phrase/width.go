package phrase

import "github.com/olekukonko/tablewriter/pkg/twwidth"

// Width is how many columns of a terminal a text takes.
func Width(text string) int { return twwidth.WidthWithOptions(text, twwidth.Options{}) }

// Clip shortens a text to a width. It looks at no more of it than fits.
func Clip(text string, width int) string {
	used, end := 0, -1 // end: of what stands before the …, once there is more
	for i, r := range text {
		used += Width(string(r))
		if end < 0 && used >= width {
			end = i
		}
		if used > width {
			return text[:end] + "…"
		}
	}
	return text
}
